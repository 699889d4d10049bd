/** The use of memory. Uncertain memory is `other`. */
export const CATEGORIES = [
  'parameters',
  'gradients',
  'optimizerState',
  'activations',
  'inputs',
  'weightCopies',
  'backward',
  'workspace',
  'other',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** Indices into {@link CATEGORIES}, and one more. */
export const enum CategoryCode {
  Parameters = 0,
  Gradients = 1,
  OptimizerState = 2,
  Activations = 3,
  Inputs = 4,
  /** Weights in half precision, made by autocast. */
  WeightCopies = 5,
  /** Results on the way of a backward pass, which it frees itself. */
  Backward = 6,
  Workspace = 7,
  Other = 8,
  /** A batch, by the text of the line: frames and times alone are ambiguous. */
  PerhapsInputs = 9,
}

/** How many values a {@link CategoryCode} has. */
export const CATEGORY_CODES = 10;
