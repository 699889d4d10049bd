import type { LoopRound } from './loopRound.js';

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

  /**
   * @param grad how sure it is that it has a graph
   * @param isTensor true if it can be nothing but a tensor
   */
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
