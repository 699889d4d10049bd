import { getOrAdd } from '../maps.js';
import { eventTime } from '../model/eventTime.js';
import { Growable } from '../model/growable.js';
import { Action, NO_STACK, type DeviceTrace, type Snapshot } from '../model/snapshot.js';
import type { Recording } from '../model/recording.js';
import type { Microseconds, StackId } from '../model/units.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { freeStacks, type LongRows } from '../attribution/categories/lifetimes.js';
import type { DeviceHistory } from '../model/history.js';
import type { DigestStack } from './stackKey.js';
import type { Steps } from '../attribution/steps/steps.js';

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
  /** The time of the snapshot by the recording; null without one. */
  readonly takenAtUs: Microseconds | null;
  /** The recording's for this device. */
  readonly behindUs: Microseconds | null;
}

/** What one device's trace adds to the history of a run: enough to join it to the traces of earlier dumps. */
export interface TraceSpan extends TraceMeeting {
  readonly device: number;
  readonly stepSource: Steps['source'];
  /** Ordinals at which steps begin. */
  readonly starts: Uint32Array;
  /** When they begin; null where the file does not say. */
  readonly startsUs: Float64Array | null;
  /** What was allocated or freed from this ordinal on is in `lives`, if it outlived its step. */
  readonly since: number;
  readonly lives: SpanLives;
  /** Stacks and frames that lines of `lives` name. */
  readonly stacks: readonly DigestStack[];
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
/** One place of about this many is an anchor; near the ends of a trace, more are. */
const SPARSE = 63;
const DENSE = 3;
const NEAR_END = 8192;
/** Maximum number of rows. Those of older events are left out, because earlier dumps have them. */
const MAX_LIVES = 100_000;

/** The frames of a stack, and the user's frame of one that freed. */
export interface SpanStacks {
  stack: (stack: StackId, forward: StackId) => DigestStack;
  site: (stack: StackId) => DigestFrame | null;
}

export function traceSpan(
  snapshot: Snapshot,
  history: DeviceHistory,
  steps: Steps,
  rows: LongRows,
  stacksOf: SpanStacks,
  meeting: TraceMeeting,
): TraceSpan {
  const { trace, startUs } = history;
  return {
    device: trace.device,
    ...meeting,
    stepSource: steps.source,
    starts: steps.starts,
    startsUs:
      startUs === null
        ? null
        : Float64Array.from(steps.starts, (ordinal) => startUs + (history.timeAt(ordinal) ?? Number.NaN)),
    ...livesOf(snapshot, history, rows, stacksOf),
  };
}

/** Looks for what tells where a trace meets another. Linear in its events. */
export function traceMeeting(snapshot: Snapshot, trace: DeviceTrace, recording: Recording | null): TraceMeeting {
  const takenAtUs = recording?.takenAtUs ?? null;
  const behindUs = recording?.behindUs[trace.device] ?? null;
  return { events: trace.count, ...placesOf(snapshot, trace), takenAtUs, behindUs };
}

function placesOf({ events }: Snapshot, { first, count }: DeviceTrace): Pick<TraceMeeting, 'anchors' | 'marks'> {
  const marks: number[] = [];
  const at = new Growable(Uint32Array);
  const hash = new Growable(Int32Array);
  const time = new Growable(Float64Array);
  const { action, addrLow, addrHigh, size } = events;
  const leaving = factorOf(HASHED);
  /** Hashes of the last events, by the last bits of their ordinals: each is computed once. */
  const lately = new Int32Array(HASHED);
  let rolling = 0;
  for (let i = 0; i < count; i++) {
    const event = first + i;
    if (action[event] === Action.Snapshot) marks.push(i);
    let own = Math.imul(action[event] + 1, 0x9e3779b1) ^ addrLow[event];
    own = Math.imul(own ^ (own >>> 16), 0x85ebca6b) ^ addrHigh[event];
    own = Math.imul(own ^ (own >>> 13), 0xc2b2ae35) ^ (size[event] | 0);
    own = Math.imul(own ^ (own >>> 16), 0x27d4eb2f);
    const place = i & (HASHED - 1);
    rolling = (Math.imul(rolling, FACTOR) + own - Math.imul(lately[place], leaving)) | 0;
    lately[place] = own;
    if (i < HASHED - 1 || !isAnchor(rolling, i, count)) continue;
    at.push(i);
    hash.push(rolling);
    time.push(eventTime(events, event));
  }
  return { anchors: { at: at.take(), hash: hash.take(), timeUs: time.take() }, marks };
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

function livesOf(
  snapshot: Snapshot,
  history: DeviceHistory,
  { olderRows, longLived }: LongRows,
  stacksOf: SpanStacks,
): Pick<TraceSpan, 'since' | 'lives' | 'stacks' | 'sites'> {
  const { allocations, trace } = history;
  const freeStackOf = freeStacks(snapshot, history);
  /** The last thing that happened to a row. */
  const touched = (row: number): number =>
    allocations.death[row] < trace.count ? allocations.death[row] : allocations.birth[row];
  // What lives from before the trace to its end is left out: the blocks tell it.
  let rows = [...olderRows.filter((row) => allocations.death[row] < trace.count), ...longLived];
  let since = 0;
  if (rows.length > MAX_LIVES) {
    since = Int32Array.from(rows, touched).sort()[rows.length - MAX_LIVES - 1] + 1;
    rows = rows.filter((row) => touched(row) >= since);
  }
  const stacks = new Indexed<DigestStack>();
  const sites = new Indexed<DigestFrame | null>();
  const { events } = snapshot;
  const lives = {
    count: rows.length,
    birth: new Int32Array(rows.length),
    death: new Int32Array(rows.length),
    addrLow: new Uint32Array(rows.length),
    addrHigh: new Uint32Array(rows.length),
    bytes: new Float64Array(rows.length),
    stack: new Uint32Array(rows.length).fill(UNKNOWN),
    site: new Uint32Array(rows.length).fill(UNKNOWN),
  };
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    const birth = allocations.birth[row];
    const death = allocations.death[row];
    const event = trace.first + (birth < 0 ? death : birth);
    lives.birth[i] = birth;
    lives.death[i] = death;
    lives.addrLow[i] = events.addrLow[event];
    lives.addrHigh[i] = events.addrHigh[event];
    lives.bytes[i] = allocations.bytes[row];
    if (birth >= 0) {
      const stack = allocations.stack[row];
      const forward = allocations.forwardStack[row];
      lives.stack[i] = stacks.of(forward === NO_STACK ? stack : `${stack}/${forward}`, () =>
        stacksOf.stack(stack, forward),
      );
    }
    if (death < trace.count) {
      const stack = freeStackOf(death);
      lives.site[i] = sites.of(stack, () => stacksOf.site(stack));
    }
  }
  return { since, lives, stacks: stacks.values, sites: sites.values };
}

/** Values by key, each with the index of its first asking. */
class Indexed<Value> {
  readonly values: Value[] = [];
  private readonly index = new Map<string | number, number>();

  of(key: string | number, make: () => Value): number {
    return getOrAdd(this.index, key, () => this.values.push(make()) - 1);
  }
}
