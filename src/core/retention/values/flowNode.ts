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
  /** Values that autograd needs for the backward of this one: its graph holds their data and graphs. */
  readonly parents: FlowNode[] = [];
  /** Values that this one holds unchanged: a container its items, a view its base. */
  readonly holds: FlowNode[] = [];
  /** Values whose storage it shares without their graphs, as `detach()` returns. */
  readonly storage: FlowNode[] = [];
  /** Alternatives after a branch: the value is one of these. */
  readonly same: FlowNode[] = [];
  /** Values held through attributes and items that are replaced some time. */
  content: (() => Iterable<FlowNode>) | null = null;
  /** The certainty that the watched line allocates the value. */
  allocated: Sureness = 0;
  /** True after the backward pass of the value: its graph holds nothing any more. */
  freed = false;
  /** An object that may own parameters, and so their gradients. */
  isObject = false;
  /** The loops around the operation that created it; null for older or unknown ones. */
  made: readonly LoopRound[] | null = null;
  /** The maximum certainty that it holds its contents. */
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
  /** The limit, as the source writes it. */
  readonly text: string;
  /** Null if the source does not show the number. */
  readonly count: number | null;
}

/** Facts on a value besides its contents. */
export type Known =
  /** A number, or `None` as null. */
  | { readonly kind: 'constant'; readonly value: number | null }
  /** A whole number from zero up to, but not, this. */
  | { readonly kind: 'below'; readonly limit: ItemLimit }
  /** A value that a loop draws, the same each time that the loop begins. */
  | { readonly kind: 'drawn'; readonly from: object; readonly loop: string }
  /** A value that occurs once in the run, such as the next number of a counter. */
  | { readonly kind: 'unique' }
  /** `id()` of this. */
  | { readonly kind: 'identity'; readonly of: FlowNode }
  /** `len()` of this. */
  | { readonly kind: 'length'; readonly of: FlowNode };

/** Common facts of two values. */
export function knownOfEither(a: Known | null, b: Known | null): Known | null {
  if (a === b || a === null || b === null) return a === b ? a : null;
  if (a.kind === 'constant' && b.kind === 'constant') return a.value === b.value ? a : null;
  if (a.kind === 'unique' && b.kind === 'unique') return a;
  // A place in a ring, and where it starts.
  if (a.kind === 'below' && b.kind === 'constant') return a;
  return a.kind === 'constant' && b.kind === 'below' ? b : null;
}

/** A number of items in the source's words and, if known, in figures. */
export function itemLimit({ known }: { readonly known: Known | null }, text: string): ItemLimit {
  return { text, count: known?.kind === 'constant' ? known.value : null };
}

/** One more than a number: a store under a test of at most this number. */
export function oneMore({ text, count }: ItemLimit): ItemLimit {
  return count === null ? { text: `${text} + 1`, count } : { text: String(count + 1), count: count + 1 };
}
