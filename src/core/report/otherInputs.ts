import type { CycleGraph } from '../model/cycleGraph.js';
import type { Trend } from '../model/trend.js';

/** Inputs beside snapshots: amounts without lines, and reference cycles. */
export interface OtherInputs {
  readonly trends: readonly { readonly path: string; readonly trend: Trend }[];
  readonly cycles: readonly { readonly path: string; readonly cycles: CycleGraph }[];
}

export const NO_OTHERS: OtherInputs = { trends: [], cycles: [] };
