/** What a replay has to know of a trace before it begins. */
import type { DeviceHistory } from '../model/history.js';
import { isPrivatePool } from '../model/privatePool.js';
import { Action, type DeviceTrace, type Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import { t } from '../text/translate.js';
import { confOf } from './settings.js';

const HIGH_WORD = 2 ** 32;

/** Why a device's trace cannot be replayed, null if it can. */
export function unreplayable(snapshot: Snapshot, { trace }: DeviceHistory): string | null {
  const { absent, settings, segments, segmentEvents } = snapshot;
  if (absent.includes('trace') || trace.count === 0) return t('The recording has no trace of this device.');
  if (trace.device < 0) return t('Host memory has an allocator of its own, which the replay does not know.');
  if (absent.includes('addresses') || absent.includes('reserved') || segments.count + segmentEvents.count === 0)
    return t('The recording has no segments, so the layout of memory is not known.');
  if (/backend:\s*cudaMallocAsync/.test(confOf(settings)))
    return t('The driver places the memory (cudaMallocAsync), so there is no layout to replay.');
  if (!isExact(snapshot, trace)) return t('The recording has addresses or sizes that no device has.');
  return null;
}

/** Larger sizes and distances make sums that a number does not hold exactly. */
const MAX_SIZE: Bytes = 2 ** 50;
const MAX_HIGH_DISTANCE = 2 ** 18;

/** True if all sums of sizes and addresses are exact. */
function isExact({ events, segments, blocks }: Snapshot, { device, first, count }: DeviceTrace): boolean {
  const range = { low: Infinity, high: -Infinity };
  const add = (addrHigh: number, size: Bytes): boolean => {
    range.low = Math.min(range.low, addrHigh);
    range.high = Math.max(range.high, addrHigh);
    return size >= 0 && size <= MAX_SIZE;
  };
  for (let event = first; event < first + count; event++)
    if (events.action[event] <= Action.SegmentUnmap && !add(events.addrHigh[event], events.size[event])) return false;
  for (let segment = 0; segment < segments.count; segment++) {
    if (segments.device[segment] !== device) continue;
    if (!add(segments.addrHigh[segment], segments.totalSize[segment])) return false;
    for (let block = segments.firstBlock[segment]; block < segments.firstBlock[segment + 1]; block++)
      if (!add(blocks.addrHigh[block], blocks.size[block])) return false;
  }
  return range.high - range.low <= MAX_HIGH_DISTANCE;
}

/** Whether an action changes reserved memory. */
export function isOfSegments(action: number): boolean {
  return (
    action === Action.SegmentAlloc ||
    action === Action.SegmentFree ||
    action === Action.SegmentMap ||
    action === Action.SegmentUnmap
  );
}

/** The segments of private pools, by address. */
export function privateSegments(
  { segments, strings }: Snapshot,
  { trace }: DeviceHistory,
  base: number,
): PrivateSegments {
  const found: { start: number; end: number; pool: number }[] = [];
  for (let segment = 0; segment < segments.count; segment++) {
    if (segments.device[segment] !== trace.device || !isPrivatePool(strings.text(segments.pool[segment]))) continue;
    const start = (segments.addrHigh[segment] - base) * HIGH_WORD + segments.addrLow[segment];
    found.push({ start, end: start + segments.totalSize[segment], pool: segments.pool[segment] });
  }
  found.sort((a, b) => a.start - b.start);
  return { starts: found.map(({ start }) => start), found };
}

export interface PrivateSegments {
  readonly starts: readonly number[];
  readonly found: readonly { readonly end: number; readonly pool: number }[];
}
