import type { ByteSource } from '../bytes/byteSource.js';
import type { CycleGraph } from '../model/cycleGraph.js';
import type { Snapshot } from '../model/snapshot.js';
import type { Trend } from '../model/trend.js';
import { t } from '../text/translate.js';

/** The kind of an input. */
export type ReadResult =
  | {
      readonly kind: 'snapshot';
      readonly snapshot: Snapshot;
      /** Snapshots that the input holds; one where left out. */
      readonly members?: number;
      /** True if most events are those of a later dump, with the stacks and the clock of that one. */
      readonly tookEvents?: boolean;
    }
  /** Amounts over time, without lines. */
  | { readonly kind: 'trend'; readonly trend: Trend }
  /** Reference cycles that held tensors. */
  | { readonly kind: 'cycles'; readonly cycles: CycleGraph };

/** An input other than a snapshot. */
export type OtherResult = Exclude<ReadResult, { readonly kind: 'snapshot' }>;

/** A trend of a source; it has no times, capacities or warnings but those given. */
export function trendOf(
  { size }: ByteSource,
  known: Pick<Trend, 'format' | 'count' | 'series'> & Partial<Trend>,
): ReadResult {
  const none = { timeUs: null, isWallClock: false, capacities: [], warnings: [] };
  return { kind: 'trend', trend: { fileBytes: size, ...none, ...known } };
}

/** Names the containers around a result, such as `gzip/json`, and counts the bytes of the outermost. */
export function wrapResult(result: ReadResult, container: string, fileBytes: number): ReadResult {
  const wrap = <T extends { format: string }>(inner: T): T => ({
    ...inner,
    format: `${container}/${inner.format}`,
    fileBytes,
  });
  switch (result.kind) {
    case 'snapshot':
      return { ...result, snapshot: wrap(result.snapshot) };
    case 'trend':
      return { kind: 'trend', trend: wrap(result.trend) };
    case 'cycles':
      return { kind: 'cycles', cycles: wrap(result.cycles) };
  }
}

/** Marks a result as one of several in its container. Only the first of nested inputs is read. */
export function oneOf(result: ReadResult, members: number): ReadResult {
  if (result.kind !== 'snapshot' || members === 1) return result;
  const { snapshot, members: inside = 1 } = result;
  if (inside === 1) return { ...result, members };
  const warning = {
    code: 'moreSnapshots',
    message: t(
      'A file in this container holds {0} snapshots, of which the first is shown: unpack the container.',
      inside,
    ),
  };
  return { kind: 'snapshot', snapshot: { ...snapshot, warnings: [...snapshot.warnings, warning] }, members };
}
