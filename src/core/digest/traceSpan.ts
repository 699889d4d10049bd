import { Growable } from '../model/growable.js';
import { Action, NO_STACK, type DeviceTrace, type Snapshot } from '../model/snapshot.js';
import type { EventIndex, StackId } from '../model/units.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { freeStacks, stepTable } from '../attribution/lifetimes.js';
import type { DeviceHistory } from '../model/history.js';
import type { StackWords } from './stackKey.js';
import type { Steps } from '../attribution/steps.js';

/** Places that are found again in another dump's trace of the same events: where the hash of some events is round. */
export interface Anchors {
  /** Ordinals of the last of the hashed events, ascending. */
  readonly at: Uint32Array;
  readonly hash: Int32Array;
  readonly timeUs: Float64Array;
}

/** What tells where one device's trace meets that of another dump. */
export interface TraceMeeting {
  readonly events: number;
  readonly anchors: Anchors;
  /** Ordinals of the boundary marks that earlier dumps left. */
  readonly marks: readonly number[];
}

/** What one device's trace adds to the history of a run: enough to join it to the traces of earlier dumps. */
export interface TraceSpan extends TraceMeeting {
  readonly device: number;
  readonly stepSource: Steps['source'];
  /** Ordinals at which steps begin. */
  readonly starts: Uint32Array;
  /** When they begin; null where the file does not say. */
  readonly startsUs: Float64Array | null;
  /** What was born or freed from this ordinal on is in `lives`, if it outlived its step. */
  readonly since: number;
  readonly lives: SpanLives;
  /** Stacks and frames that lines of `lives` name. */
  readonly stacks: readonly StackWords[];
  readonly sites: readonly (DigestFrame | null)[];
}

/** Allocations that outlived their step, one row each. */
export interface SpanLives {
  readonly count: number;
  /** Ordinals, -1 for what was there before the trace. */
  readonly birth: Int32Array;
  /** Ordinals; the number of events for what is live at the end. */
  readonly death: Int32Array;
  readonly addrLow: Uint32Array;
  readonly addrHigh: Uint32Array;
  readonly bytes: Float64Array;
  /** Index into `stacks`; {@link UNKNOWN} for what was there before. */
  readonly stack: Uint32Array;
  /** Index into `sites` of who freed it; {@link UNKNOWN} while it lives. */
  readonly site: Uint32Array;
}

export const UNKNOWN = 0xffffffff;

/** Events that a hash covers; a power of two. */
export const HASHED = 8;
/** Of all places one in so many is an anchor, near the ends of a trace more. */
const SPARSE = 63;
const DENSE = 3;
const NEAR_END = 8192;
/** Rows of older events are left out: earlier dumps have them. */
const MOST_LIVES = 100_000;

/** @param words of a stack, and the user's frame of one that freed */
export function traceSpan(
  snapshot: Snapshot,
  history: DeviceHistory,
  steps: Steps,
  words: { stack: (stack: StackId, forward: StackId) => StackWords; site: (stack: StackId) => DigestFrame | null },
): TraceSpan {
  const { trace, time, startUs } = history;
  return {
    device: trace.device,
    ...traceMeeting(snapshot, trace),
    stepSource: steps.source,
    starts: steps.starts,
    startsUs:
      time === null || startUs === null ? null : Float64Array.from(steps.starts, (ordinal) => startUs + time[ordinal]),
    ...livesOf(snapshot, history, steps, words),
  };
}

/** Looks for what tells where a trace meets another. Linear in its events. */
export function traceMeeting(snapshot: Snapshot, trace: DeviceTrace): TraceMeeting {
  const marks: number[] = [];
  for (let i = 0; i < trace.count; i++) {
    if (snapshot.events.action[trace.first + i] === Action.Snapshot) marks.push(i);
  }
  return { events: trace.count, anchors: anchorsOf(snapshot, trace), marks };
}

function anchorsOf(snapshot: Snapshot, trace: DeviceTrace): Anchors {
  const at = new Growable(Uint32Array);
  const hash = new Growable(Int32Array);
  const time = new Growable(Float64Array);
  const { timeUs } = snapshot.events;
  const leaving = factorOf(HASHED);
  /** Of the last events, by their ordinals' last bits: each is hashed once. */
  const lately = new Int32Array(HASHED);
  let rolling = 0;
  for (let i = 0; i < trace.count; i++) {
    const place = i & (HASHED - 1);
    const left = lately[place];
    lately[place] = eventHash(snapshot, trace.first + i);
    rolling = (Math.imul(rolling, FACTOR) + lately[place] - Math.imul(left, leaving)) | 0;
    if (i < HASHED - 1 || !isAnchor(rolling, i, trace.count)) continue;
    at.push(i);
    hash.push(rolling);
    time.push(timeUs[trace.first + i]);
  }
  return { at: at.take(), hash: hash.take(), timeUs: time.take() };
}

/** True if a trace of `events` has an anchor where the events up to `at` have this hash. */
export function isAnchor(hash: number, at: number, events: number): boolean {
  const mask = at < NEAR_END || at >= events - NEAR_END ? DENSE : SPARSE;
  return ((Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 8) & mask) === 0;
}

const FACTOR = 0x01000193;

function factorOf(power: number): number {
  let factor = 1;
  for (let i = 0; i < power; i++) factor = Math.imul(factor, FACTOR);
  return factor;
}

function eventHash({ events }: Snapshot, event: EventIndex): number {
  let hash = Math.imul(events.action[event] + 1, 0x9e3779b1) ^ events.addrLow[event];
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) ^ events.addrHigh[event];
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) ^ ((events.size[event] % 0x100000000) | 0);
  return Math.imul(hash ^ (hash >>> 16), 0x27d4eb2f);
}

function livesOf(
  snapshot: Snapshot,
  history: DeviceHistory,
  steps: Steps,
  words: { stack: (stack: StackId, forward: StackId) => StackWords; site: (stack: StackId) => DigestFrame | null },
): Pick<TraceSpan, 'since' | 'lives' | 'stacks' | 'sites'> {
  const { allocations, trace } = history;
  const stepOf = stepTable(steps, trace.count);
  const freeStackOf = freeStacks(snapshot, history);
  /** The last thing that happened to a row. */
  const touched = (row: number): number =>
    allocations.death[row] < trace.count ? allocations.death[row] : allocations.birth[row];
  let rows: number[] = [];
  for (let row = 0; row < allocations.count; row++) {
    const birth = allocations.birth[row];
    const death = allocations.death[row];
    const freed = death < trace.count;
    // Live from before the trace to its end: the snapshot's blocks tell it.
    if (birth < 0 ? freed : !freed || stepOf[death] > stepOf[birth]) rows.push(row);
  }
  let since = 0;
  if (rows.length > MOST_LIVES) {
    rows.sort((a, b) => touched(a) - touched(b));
    since = touched(rows[rows.length - MOST_LIVES - 1]) + 1;
    rows = rows.slice(-MOST_LIVES);
  }
  rows.sort((a, b) => allocations.birth[a] - allocations.birth[b]);
  const stacks = new Indexed<StackWords>();
  const sites = new Indexed<DigestFrame | null>();
  const { events } = snapshot;
  const eventOf = (row: number): EventIndex =>
    trace.first + (allocations.birth[row] < 0 ? allocations.death[row] : allocations.birth[row]);
  const siteOf = (row: number): number => {
    if (allocations.death[row] >= trace.count) return UNKNOWN;
    const stack = freeStackOf(allocations.death[row]);
    return sites.of(stack, () => words.site(stack));
  };
  return {
    since,
    lives: {
      count: rows.length,
      birth: Int32Array.from(rows, (row) => allocations.birth[row]),
      death: Int32Array.from(rows, (row) => allocations.death[row]),
      addrLow: Uint32Array.from(rows, (row) => events.addrLow[eventOf(row)]),
      addrHigh: Uint32Array.from(rows, (row) => events.addrHigh[eventOf(row)]),
      bytes: Float64Array.from(rows, (row) => allocations.bytes[row]),
      stack: Uint32Array.from(rows, (row) => {
        if (allocations.birth[row] < 0) return UNKNOWN;
        const stack = allocations.stack[row];
        const forward = allocations.forwardStack[row] ?? NO_STACK;
        return stacks.of(forward === NO_STACK ? stack : `${stack}/${forward}`, () => words.stack(stack, forward));
      }),
      site: Uint32Array.from(rows, siteOf),
    },
    stacks: stacks.values,
    sites: sites.values,
  };
}

/** Values by key, each with the index of its first asking. */
class Indexed<Value> {
  readonly values: Value[] = [];
  private readonly index = new Map<string | number, number>();

  of(key: string | number, make: () => Value): number {
    let at = this.index.get(key);
    if (at === undefined) {
      at = this.values.length;
      this.index.set(key, at);
      this.values.push(make());
    }
    return at;
  }
}
