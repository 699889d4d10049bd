/** A loop that is running, and its present round. */
export interface LoopRound {
  /** Names the loop: the same whenever it runs. */
  readonly loop: string;
  /** Names the round: never twice the same. */
  readonly round: number;
}

/** How sure it is that something holds: not, perhaps, likely, surely. */
export type Sureness = 0 | 1 | 2 | 3;

/** A value at one moment of the run that is followed. */
export class FlowNode {
  /** Values that autograd needs for this one's backward: its graph keeps them, their data and their graphs. */
  readonly parents: FlowNode[] = [];
  /** Values that this one keeps as they are: a container its items, a view its base. */
  readonly holds: FlowNode[] = [];
  /** Values whose storage it shares, without their graphs: what `detach()` gives. */
  readonly storage: FlowNode[] = [];
  /** One of these it is: after a branch. */
  readonly same: FlowNode[] = [];
  /** What it keeps through attributes and items that are replaced in time. */
  content: (() => Iterable<FlowNode>) | null = null;
  /** How sure it is that the watched line allocates it. */
  allocated: Sureness = 0;
  /** Its backward has run: its graph keeps nothing any more. */
  freed = false;
  /** An object that may own parameters, whose gradients it keeps. */
  isObject = false;
  /** The loops that ran when an operation made it; null for what was there before, or is not known. */
  made: readonly LoopRound[] | null = null;
  /** It keeps what it holds no surer than so. */
  limit: Sureness = 3;

  /** @param grad certainty that it has a graph @param isTensor true if it can only be a tensor */
  constructor(
    readonly grad: Sureness,
    readonly isTensor = false,
  ) {}
}

export function larger(a: Sureness, b: Sureness): Sureness {
  return a > b ? a : b;
}

export function smaller(a: Sureness, b: Sureness): Sureness {
  return a < b ? a : b;
}

/** Items that something holds at most. */
export interface ItemLimit {
  /** As the source says it. */
  readonly text: string;
  /** Null where the source does not tell the number. */
  readonly count: number | null;
}

/** What is known of a value besides what it keeps. */
export type Known =
  /** A number, or `None` as null. */
  | { readonly kind: 'constant'; readonly value: number | null }
  /** A whole number from zero up to, but not, this. */
  | { readonly kind: 'below'; readonly limit: ItemLimit }
  /** One of what a loop draws from something, the same ones each time that the loop begins. */
  | { readonly kind: 'drawn'; readonly from: object; readonly loop: string }
  /** `id()` of this. */
  | { readonly kind: 'identity'; readonly of: FlowNode }
  /** `len()` of this. */
  | { readonly kind: 'length'; readonly of: FlowNode };

/** What is known of either of two values. */
export function knownOfEither(a: Known | null, b: Known | null): Known | null {
  if (a === b || a === null || b === null) return a === b ? a : null;
  if (a.kind === 'constant' && b.kind === 'constant') return a.value === b.value ? a : null;
  // A place in a ring, and where it starts.
  if (a.kind === 'below' && b.kind === 'constant') return a;
  return a.kind === 'constant' && b.kind === 'below' ? b : null;
}

/** How many items a number allows, as the source says it and, where it is known, in figures. */
export function itemLimit({ known }: { readonly known: Known | null }, text: string): ItemLimit {
  return { text, count: known?.kind === 'constant' ? known.value : null };
}

/** The room for one more than a number: what is put in while there is still no more than that. */
export function oneMore({ text, count }: ItemLimit): ItemLimit {
  return count === null ? { text: `${text} + 1`, count } : { text: String(count + 1), count: count + 1 };
}
