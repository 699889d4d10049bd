import { byteText } from '../text/byteText.js';
import { say } from '../text/say.js';
import type { Bytes } from '../model/units.js';
import type { DeviceRoom } from './deviceRoom.js';
import { holderName } from './holderName.js';
import type { LineReport, Verdict } from './report.js';

/** Why what a line allocates cannot grow for ever. */
export interface Bound {
  /** What keeps it, as the source calls it, and where it is put there. */
  readonly holder: string;
  readonly file: string;
  readonly line: number;
  /** A sentence about the holder: `It is a deque of at most 35.` */
  readonly limit: string;
  readonly isFull: boolean;
  /** What it keeps once it is full; null where that is not known. */
  readonly full: FullSize | null;
}

/** What something with a bound keeps once it is full. */
export interface FullSize {
  readonly bytes: Bytes;
  /** Of these, what it does not keep yet. */
  readonly moreBytes: Bytes;
  /** False if it may be more: an item may be more than one block. */
  readonly isExact: boolean;
}

/** What it keeps with so many items, where it has some of them now. */
export function fullSize(bytesPerItem: number, items: number, most: number, isExact: boolean): FullSize {
  const moreBytes = Math.round(bytesPerItem * Math.max(0, most - items));
  return { bytes: Math.round(bytesPerItem * items) + moreBytes, moreBytes, isExact };
}

/**
 * Takes back what a line is accused of, as what keeps its memory is still filling up or has just become full; unless the
 * device is too small for it: then it stays a leak, and both are said.
 * @param room null where no device's capacity is known
 */
export function weighBound(line: LineReport, bound: Bound, room: DeviceRoom | null): void {
  const name = bound.file.slice(bound.file.lastIndexOf('/') + 1);
  const fits = bound.isFull || (bound.full === null || room === null ? null : bound.full.moreBytes <= room.roomBytes);
  line.bound = {
    name: bound.holder,
    file: bound.file,
    line: bound.line,
    isFull: bound.isFull,
    fullBytes: bound.full?.bytes ?? null,
    fits,
  };
  const sentences = [
    say('Kept by `{0}` ({1}:{2}).', holderName(bound.holder), name, bound.line),
    bound.limit,
    fits === false && room !== null ? tooMuchText(bound.full, room) : fillingText(bound),
  ];
  if (line.evidence !== null) {
    line.evidence = { ...line.evidence, reason: [...sentences, line.evidence.reason].join(' ') };
  }
  if (fits === false) return;
  const verdict: Verdict = bound.isFull ? 'plateau' : 'growing';
  line.verdict = verdict;
  line.leakedBytes = 0;
  for (const stack of line.stacks) if (stack.verdict === 'leak') stack.verdict = verdict;
}

function fillingText({ isFull, full }: Bound): string {
  if (isFull) return say('It is full now.');
  if (full === null) return say('It is still filling.');
  return full.isExact
    ? say('It is still growing: full, it keeps about {0}.', byteText(full.bytes))
    : say('It is still growing: full, it keeps {0} or more.', byteText(full.bytes));
}

function tooMuchText(full: FullSize | null, { capacityBytes, roomBytes }: DeviceRoom): string {
  return say(
    'Full, it would keep {0}; of {1} on the device {2} are left: it will not fit.',
    byteText(full?.bytes ?? 0),
    byteText(capacityBytes),
    byteText(roomBytes),
  );
}
