/** When memory ends: the last whole steps of a trace are repeated until a request fails. */
import { getOrAdd } from '../maps.js';
import { countUpTo } from '../model/ascending.js';
import type { DeviceHistory } from '../model/history.js';
import type { Bytes } from '../model/units.js';
import { NONE } from './blocks.js';
import { Step, type Requests } from './requests.js';
import { whatIf } from './whatIf.js';

/** When memory ends if a program goes on as in its last steps. */
export interface MemoryEnd {
  /** Whole steps after those of the trace, before the one in which memory ends. */
  afterSteps: number;
  /** The last whole steps of the trace, which are repeated. */
  repeatedSteps: number;
}

/** Maximum number of steps that are repeated: what happens less often is not part of the answer. */
const MAX_REPEATED = 8;
/** Maximum number of events of a replay that takes a moment. */
const MAX_EVENTS = 4_000_000;
/** How far the growth of the repeated steps may be from the recorded one, as a share. */
const MAX_DIFFERENCE = 0.1;

/**
 * Repeats the last whole steps until memory ends. Null if it does not grow, if the end is too far away, if the trace has
 * a failure, or if the repeated steps free other memory than the recorded ones.
 * @param starts the first event of each step, ascending; indices into the device's trace
 */
export function memoryEnd(
  requests: Requests,
  history: DeviceHistory,
  starts: ArrayLike<number>,
  capacity: Bytes,
): MemoryEnd | null {
  const last = starts.length - 1;
  const repeatedSteps = Math.min(MAX_REPEATED, last >> 1);
  if (repeatedSteps < 1 || requests.firstFailure !== null) return null;
  const [before, from, to] = [starts[last - 2 * repeatedSteps], starts[last - repeatedSteps], starts[last]];
  const period = new Period(requests, history, before, from, to);
  const live = history.live[to];
  const growth = live - history.live[from];
  if (growth <= 0 || Math.abs(period.growth - growth) > MAX_DIFFERENCE * growth) return null;
  const times = Math.ceil(Math.max(0, capacity - live) / growth) + 1;
  if (to + times * (to - from) > MAX_EVENTS) return null;
  const { failedEvent } = whatIf(period.repeated(times), { capacity });
  if (failedEvent === null || failedEvent < to) return null;
  const [turn, offset] = [Math.floor((failedEvent - to) / (to - from)), (failedEvent - to) % (to - from)];
  const begun = countUpTo(starts, from + offset) - (last - repeatedSteps + 1);
  return { afterSteps: turn * repeatedSteps + begun, repeatedSteps };
}

/** The steps from one event to another. */
class Period {
  /** Live memory that a repetition adds. */
  readonly growth: Bytes;
  /** The position of each allocation of the period, by row. */
  private readonly places = new Map<number, number>();
  /** For each row that the period frees, the row that the next period frees instead. */
  private readonly successors = new Map<number, number>();

  constructor(
    private readonly requests: Requests,
    { allocations: { stack, bytes, death } }: DeviceHistory,
    before: number,
    private readonly from: number,
    private readonly to: number,
  ) {
    const { step, row, lane } = requests;
    const keyOf = (ordinal: number): string => {
      const own = row[ordinal];
      return `${stack[own]} ${lane[ordinal]} ${bytes[own]}`;
    };
    /** Rows of the period by what allocates them, in their order. */
    const like = new Map<string, number[]>();
    for (let ordinal = from; ordinal < to; ordinal++) {
      if (step[ordinal] !== Step.Allocate || row[ordinal] === NONE) continue;
      this.places.set(row[ordinal], this.places.size);
      getOrAdd(like, keyOf(ordinal), () => []).push(row[ordinal]);
    }
    const seen = new Map<string, number>();
    for (let ordinal = before; ordinal < from; ordinal++) {
      if (step[ordinal] !== Step.Allocate || row[ordinal] === NONE) continue;
      const key = keyOf(ordinal);
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      const successor = like.get(key)?.at(nth);
      if (successor !== undefined && death[successor] >= to) this.successors.set(row[ordinal], successor);
    }
    let growth = 0;
    for (let ordinal = from; ordinal < to; ordinal++) {
      const own = row[ordinal];
      if (own === NONE) continue;
      if (step[ordinal] === Step.Allocate) growth += bytes[own];
      else if (death[own] === ordinal && (this.places.has(own) || this.successors.has(own))) growth -= bytes[own];
    }
    this.growth = growth;
  }

  /** The requests up to the end of the period, and the period some more times. */
  repeated(times: number): Requests {
    const { requests, from, to, places, successors } = this;
    const length = to - from;
    const count = to + times * length;
    const step = new Uint8Array(count);
    const row = new Int32Array(count).fill(NONE);
    const lane = new Uint16Array(count);
    const size = new Float64Array(count);
    step.set(requests.step.subarray(0, to));
    row.set(requests.row.subarray(0, to));
    lane.set(requests.lane.subarray(0, to));
    size.set(requests.size.subarray(0, to));
    for (let turn = 0; turn < times; turn++) {
      /** The row of an allocation of the period in a turn; in the recorded one, itself. */
      const rowIn = (own: number, of: number): number =>
        of < 0 ? own : requests.rows + of * places.size + (places.get(own) ?? 0);
      for (let i = 0; i < length; i++) {
        const [source, at] = [from + i, to + turn * length + i];
        const own = requests.row[source];
        const successor = successors.get(own);
        lane[at] = requests.lane[source];
        size[at] = requests.size[source];
        if (places.has(own)) row[at] = rowIn(own, turn);
        else if (successor !== undefined) row[at] = rowIn(successor, turn - 1);
        // Memory from before both periods is not freed again.
        if (own === NONE || row[at] !== NONE) step[at] = requests.step[source];
      }
    }
    return { ...requests, count, step, row, lane, size, rows: requests.rows + times * places.size };
  }
}
