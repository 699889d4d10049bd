import type { CycleGraph } from '../model/cycleGraph.js';
import type { Snapshot } from '../model/snapshot.js';
import type { Trend } from '../model/trend.js';

/** What an input turned out to be. */
export type ReadResult =
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  /** Amounts over time, without lines. */
  | { readonly kind: 'trend'; readonly trend: Trend }
  /** Reference cycles that kept tensors. */
  | { readonly kind: 'cycles'; readonly cycles: CycleGraph };

/** Names the containers around a result, such as `gzip/json`, and counts the bytes of the outermost. */
export function wrapResult(result: ReadResult, container: string, fileBytes: number): ReadResult {
  const wrap = <T extends { format: string }>(inner: T): T => ({
    ...inner,
    format: `${container}/${inner.format}`,
    fileBytes,
  });
  switch (result.kind) {
    case 'snapshot':
      return { kind: 'snapshot', snapshot: wrap(result.snapshot) };
    case 'trend':
      return { kind: 'trend', trend: wrap(result.trend) };
    case 'cycles':
      return { kind: 'cycles', cycles: wrap(result.cycles) };
  }
}
