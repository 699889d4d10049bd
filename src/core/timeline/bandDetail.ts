import { Action, type Snapshot } from '../model/snapshot.js';
import type { DeviceHistory } from '../model/history.js';
import type { Bytes } from '../model/units.js';
import type { AllocationIndex } from './allocationIndex.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { stackFrames } from '../attribution/ownerTally.js';
import type { Owner } from '../attribution/owner.js';
import type { SeriesLayout } from './seriesLayout.js';

/** An allocation at one place of the series, or all live ones of a series. */
export interface AllocationDetail {
  owner: Owner;
  bytes: Bytes;
  blocks: number;
  /** Event that made the oldest of the blocks; -1 if that was before the trace. */
  allocated: number;
  /** Event that freed the last of them; null if one is there at the end. */
  freed: number | null;
  /** Stack of the largest block, innermost first. */
  frames: DigestFrame[];
  /** The metadata that the program set for the largest block, when it was allocated or later; empty without any. */
  metadata: string;
  /** Which compiled region allocated it, empty where none. */
  compileContext: string;
}

/** @param event the state after it */
export function seriesDetail(
  snapshot: Snapshot,
  index: AllocationIndex,
  layout: SeriesLayout,
  series: number,
  event: number,
): AllocationDetail {
  const { allocations } = index.history;
  const rows: number[] = [];
  for (let row = 0; row < allocations.count; row++) {
    if (allocations.birth[row] > event || allocations.death[row] <= event) continue;
    if (layout.seriesOf[index.sourceOf[row]] === series) rows.push(row);
  }
  return detailOf(snapshot, index, layout, series, rows);
}

/** @param row of the allocation table */
export function blockDetail(
  snapshot: Snapshot,
  index: AllocationIndex,
  layout: SeriesLayout,
  row: number,
): AllocationDetail {
  return detailOf(snapshot, index, layout, layout.seriesOf[index.sourceOf[row]], [row]);
}

function detailOf(
  snapshot: Snapshot,
  index: AllocationIndex,
  layout: SeriesLayout,
  series: number,
  rows: readonly number[],
): AllocationDetail {
  const { allocations, trace } = index.history;
  const { owner } = layout.allSeries[series];
  let bytes: Bytes = 0;
  let largest = -1;
  let allocated = trace.count;
  let freed = -1;
  for (const row of rows) {
    bytes += allocations.bytes[row];
    if (largest === -1 || allocations.bytes[row] > allocations.bytes[largest]) largest = row;
    allocated = Math.min(allocated, allocations.birth[row]);
    freed = Math.max(freed, allocations.death[row]);
  }
  return {
    owner,
    bytes,
    blocks: rows.length,
    allocated: rows.length === 0 ? -1 : allocated,
    freed: freed >= trace.count ? null : freed,
    frames: largest === -1 ? [] : framesOf(snapshot, allocations.stack[largest], allocations.forwardStack[largest]),
    ...(largest === -1 ? NO_TEXTS : textsOf(snapshot, index.history, largest)),
  };
}

type Texts = Pick<AllocationDetail, 'metadata' | 'compileContext'>;

const NO_TEXTS: Texts = { metadata: '', compileContext: '' };

/** Different texts of one block's metadata. */
const MAX_TEXTS = 8;

function textsOf({ events, strings }: Snapshot, { allocations, trace }: DeviceHistory, row: number): Texts {
  const birth = allocations.birth[row];
  if (birth < 0) return NO_TEXTS;
  const allocated = trace.first + birth;
  const metadata = new Set<number>();
  if (events.metadata !== null) {
    metadata.add(events.metadata[allocated]);
    const end = trace.first + Math.min(allocations.death[row], trace.count);
    for (let event = allocated + 1; event < end && metadata.size < MAX_TEXTS; event++) {
      // Later releases annotate a live block: its address, and a text.
      if (
        events.action[event] === Action.Other &&
        events.addrLow[event] === events.addrLow[allocated] &&
        events.addrHigh[event] === events.addrHigh[allocated]
      )
        metadata.add(events.metadata[event]);
    }
  }
  const known = [...metadata].map((text) => strings.text(text)).filter((text) => text !== '');
  const compileContext = events.compileContext === null ? '' : strings.text(events.compileContext[allocated]);
  return { metadata: known.join('; '), compileContext };
}

function framesOf(snapshot: Snapshot, stack: number, forward: number): DigestFrame[] {
  const own = stackFrames(snapshot, stack);
  return own.length > 0 ? own : stackFrames(snapshot, forward);
}
