/** Why an allocation failed, as far as the numbers of the message show it. */
import { DEFAULT_SETTINGS, segmentBytes } from '../allocator/settings.js';
import type { Bytes } from '../model/units.js';
import type { OomNumbers } from './message.js';

/**
 * - `tooLarge`: the request is larger than the device
 * - `fragmentation`: free and cached memory together are enough, but not in one piece
 * - `outside`: what is missing is held by other processes, or outside of PyTorch
 * - `full`: PyTorch's own memory fills the device, or nothing else is known to
 * - `limit`: a limit that the program set
 * - `segment`: the device has enough free memory for the request, but not for the segment that it needs
 * - `deviceHasRoom`: the device has enough free memory
 * - `inconsistent`: the numbers contradict each other
 * - `incomplete`: the message has too few numbers
 */
export type OomClass =
  | 'tooLarge'
  | 'fragmentation'
  | 'outside'
  | 'full'
  | 'limit'
  | 'segment'
  | 'deviceHasRoom'
  | 'inconsistent'
  | 'incomplete';

export interface OomJudgement {
  readonly class: OomClass;
  /** True where so much is allocated that the request only tips over. */
  readonly onlyTipsOver: boolean;
  /** Neither free nor PyTorch's; null if unknown. */
  readonly outsideBytes: Bytes | null;
  /** Missing even with an empty cache; null if unknown. */
  readonly shortBytes: Bytes | null;
}

/** If this share of the device is allocated, the request is only the last straw, not the cause. */
const TIPPING = 0.9;
/** Share of the device. Less memory outside of PyTorch is no cause, because CUDA itself and a desktop take as much. */
const OWN_PART = 0.1;
const OWN_BYTES: Bytes = 1024 ** 3;
/** A small device has less than that, but CUDA takes no less. */
const MIN_BYTES: Bytes = 512 * 1024 ** 2;
/** Where that much of the device is outside of PyTorch and that little is left in the cache, the cache decides nothing. */
const LARGE_OUTSIDE = 0.25;
const SMALL_REST = 0.05;
/** Less free memory is none: a driver does not give out the last of it. */
const NO_ROOM = 0.01;
/** The numbers of a message are rounded to hundredths, and read one after the other while other processes run. */
const MAX_ROUNDING: Bytes = 0.02 * 1024 ** 3;
const MAX_DRIFT = 0.02;

/** The segment that PyTorch requests from the driver, by its default settings. @param requested as the allocator rounded it */
export function segmentOf(requested: Bytes): Bytes {
  return segmentBytes(requested, DEFAULT_SETTINGS);
}

export function judge(numbers: OomNumbers): OomJudgement {
  const { capacityBytes: capacity, allocatedBytes: allocated, unusedBytes: unused, freeBytes: free } = numbers;
  const isUnknown = allocated === null || unused === null || free === null || capacity === null;
  const outside = isUnknown ? numbers.otherBytes : Math.max(0, capacity - free - allocated - unused);
  const kind = classOf(numbers, outside);
  const isWrong = kind === 'inconsistent';
  const { requestedBytes: requested } = numbers;
  return {
    class: kind,
    onlyTipsOver:
      (kind === 'fragmentation' || kind === 'segment') &&
      allocated !== null &&
      capacity !== null &&
      allocated >= TIPPING * capacity,
    outsideBytes: isWrong ? null : outside,
    shortBytes:
      isWrong || requested === null || free === null || unused === null ? null : Math.max(0, requested - free - unused),
  };
}

function classOf(numbers: OomNumbers, outside: Bytes | null): OomClass {
  const { requestedBytes: requested, capacityBytes: capacity, allocatedBytes: allocated, limitBytes: limit } = numbers;
  const { freeBytes: free, unusedBytes: unused } = numbers;
  if (requested === null) return 'incomplete';
  // A message of Metal shows only its limit.
  if (numbers.backend === 'MPS') return limit === null ? 'incomplete' : 'limit';
  const max = capacity === null ? Infinity : capacity + Math.max(MAX_ROUNDING, MAX_DRIFT * capacity);
  if (free !== null && free > max) return 'inconsistent';
  if (capacity !== null && requested > capacity) return 'tooLarge';
  if ((allocated ?? 0) + (unused ?? 0) + (free ?? 0) > max) return 'inconsistent';
  const reserved = (allocated ?? 0) + (unused ?? 0);
  const isLimited = limit !== null && allocated !== null && reserved + requested > limit - MAX_ROUNDING;
  if (isLimited && (free === null || free >= requested)) return 'limit';
  const isFree = free !== null && free >= requested;
  if (isFree && numbers.segmentBytes !== undefined && free < numbers.segmentBytes) return 'segment';
  if (isFree && (capacity === null || free >= NO_ROOM * capacity)) return 'deviceHasRoom';
  const rest = (free ?? 0) + (unused ?? 0);
  if (isFree || (unused !== null && rest >= requested)) {
    const isSmall = capacity !== null && outside !== null && rest < SMALL_REST * capacity;
    if (isSmall && outside >= LARGE_OUTSIDE * capacity) return 'outside';
    return isFree && (unused ?? 0) < requested ? 'deviceHasRoom' : 'fragmentation';
  }
  // What is neither free nor allocated may be the cache.
  if (capacity !== null && allocated !== null && allocated + requested > capacity) {
    return outside === null || unused === null
      ? 'full'
      : beyondCache(requested - (free ?? 0) - unused, outside, capacity);
  }
  if (free === null || unused === null) return 'incomplete';
  // A recording may not name the capacity.
  if (capacity === null) return 'full';
  if (outside === null) return 'incomplete';
  return beyondCache(requested - free - unused, outside, capacity);
}

/** @param short missing with an empty cache */
function beyondCache(short: Bytes, outside: Bytes, capacity: Bytes): OomClass {
  const isMuch = outside >= OWN_BYTES ? outside >= OWN_PART * capacity : outside >= LARGE_OUTSIDE * capacity;
  return isMuch && outside >= Math.max(short, MIN_BYTES) ? 'outside' : 'full';
}
