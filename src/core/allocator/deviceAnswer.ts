/** The answers for one device: the proof, the recording as it was, and what each change would have made of it. */
import type { DigestFrame } from '../model/digestFrame.js';
import type { DeviceHistory, TraceHistory } from '../model/history.js';
import type { Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import { replayAsRecorded, type ReplayProof } from './recordedReplay.js';
import type { Requests } from './requests.js';
import { memoryEnd, type MemoryEnd } from './repeatedSteps.js';
import { withSettings } from './settings.js';
import type { Change, Outcome } from './changedReplay.js';
import { CAPACITY_STEP, smallestCapacity, whatIf } from './whatIf.js';

/** A question about a device. */
export interface Question {
  /** Settings in the syntax of PYTORCH_CUDA_ALLOC_CONF; null for the usual ones. */
  readonly settings: readonly string[] | null;
  readonly capacity: Bytes | null;
  /** 1 for each row of the history's allocations that is left out of all outcomes; null for none. */
  readonly without: Uint8Array | null;
  /** The first event of each step, ascending; indices into the device's trace. */
  readonly steps: ArrayLike<number>;
  /** Changes of the program, each for itself. */
  readonly programs: readonly ProgramChange[];
  /** True to find the smallest capacity that fits, too, which takes many replays; only if a capacity is known. */
  readonly wantsCapacities: boolean;
}

/**
 * A change of the program: `empty_cache()` before each step, gradients freed before the forward pass, no copies of the
 * weights by autocast, no copies by an optimizer that works on all tensors at once, a checkpointed module, no leaks.
 */
export type ProgramChangeKind = 'emptyCache' | 'gradients' | 'weightCopies' | 'foreach' | 'checkpoint' | 'leaks';

export interface ProgramChange {
  readonly kind: ProgramChangeKind;
  /** Null for the whole program. */
  readonly at: DigestFrame | null;
  readonly change: Change;
}

export interface ChangeOutcome extends Outcome {
  /** Null for a change of the program. */
  setting: string | null;
  /** Null for a setting; null too for the recorded program without some allocations. */
  program: { kind: ProgramChangeKind; at: DigestFrame | null } | null;
  /**
   * True if memory that is older than the trace is laid out again, in an order that is not known, and of a checkpoint,
   * because the temporary memory of its recomputation is not recorded.
   */
  isEstimate: boolean;
  /** The reserved peak without the change, by the same replay. */
  insteadOfBytes: Bytes;
  /** The smallest capacity that fits, in units of 2 MiB; null if it is not wanted. */
  smallestCapacityBytes: Bytes | null;
}

export interface DeviceAnswer {
  replay: ReplayProof;
  /** The rest is null where the replay disagrees with the recording. */
  recorded: RecordedOutcome | null;
  /** Changes that make a difference, the best first, and all settings of the question. */
  outcomes: ChangeOutcome[];
}

interface RecordedOutcome {
  reservedPeakBytes: Bytes;
  reservedEndBytes: Bytes;
  /** Allocated before the trace. */
  olderBytes: Bytes;
  /** The capacity of the question or of the recorded failure. */
  capacityBytes: Bytes | null;
  /** The recorded failure to allocate, and whether the replay fails at the same event. */
  failure: { event: number; isReproduced: boolean } | null;
  fits: boolean | null;
  shortBytes: Bytes;
  leftBytes: Bytes | null;
  smallestCapacityBytes: Bytes | null;
  /** When the capacity of the question ends if the program goes on as in its last steps; null if that is not known. */
  end: MemoryEnd | null;
}

/** Share of the reserved peak that a change of the program leaves at most, to be worth its time. */
const MAX_LEFT = 0.98;

const USUAL_SETTINGS = [
  'max_split_size_mb:128',
  'max_split_size_mb:256',
  'max_split_size_mb:512',
  'roundup_power2_divisions:4',
  'roundup_power2_divisions:8',
];
/** Settings that need a limit of the process. */
const LIMITED_SETTINGS = ['garbage_collection_threshold:0.6', 'garbage_collection_threshold:0.8'];

/** An answer that is found in turns of a few replays each, so that others come in between, and it can be abandoned. */
export type InTurns<Answer> = Generator<undefined, Answer>;

/** All turns at once. */
export function finish<Answer>(turns: InTurns<Answer>): Answer {
  for (;;) {
    const { done, value } = turns.next();
    if (done === true) return value;
  }
}

/** Answers a question about a device. */
export function* answerDevice(
  snapshot: Snapshot,
  history: DeviceHistory,
  { settings, capacity, without, steps, programs, wantsCapacities }: Question,
): InTurns<DeviceAnswer> {
  const { proof, requests } = replayAsRecorded(snapshot, history);
  yield;
  if (requests === null) return { replay: proof, recorded: null, outcomes: [] };
  const asks = wantsCapacities && (capacity !== null || requests.firstFailure !== null);
  const smallest = (change: Change, outcome: Outcome): Bytes | null =>
    asks ? smallestCapacity(requests, change, tooSmall(requests, change, outcome)) : null;
  const isOlder = requests.start.reservedBytes > 0;
  const same = unchangedOn(requests, capacity);
  const unchanged = whatIf(requests, same);
  const again = isOlder ? whatIf(requests, { ...same, restarts: true }) : unchanged;
  const recorded: RecordedOutcome = {
    reservedPeakBytes: requests.reservedPeakBytes,
    reservedEndBytes: requests.reservedEndBytes,
    olderBytes: requests.start.allocatedBytes,
    capacityBytes: capacity ?? requests.firstFailure?.capacity ?? null,
    failure: failureOf(requests),
    fits: unchanged.fits,
    shortBytes: unchanged.shortBytes,
    leftBytes: unchanged.leftBytes,
    smallestCapacityBytes: smallest(same, unchanged),
    end: capacity === null ? null : memoryEnd(requests, history, steps, capacity),
  };
  yield;
  const outcomes: ChangeOutcome[] = [];
  const add = (of: Pick<ChangeOutcome, 'setting' | 'program'>, change: Change, isWished: boolean): void => {
    const whole: Change = { ...change, ...leaving(without, change.without) };
    const { restarts = false } = whole;
    const outcome = whatIf(requests, whole);
    const base = restarts ? again : unchanged;
    const alone = without === null ? base : whatIf(requests, { ...same, without, restarts });
    if (!isWished && isEqual(outcome, alone)) return;
    outcomes.push({
      ...of,
      isEstimate: restarts || of.program?.kind === 'checkpoint',
      insteadOfBytes: base.reservedPeakBytes,
      smallestCapacityBytes: smallest(whole, outcome),
      ...outcome,
    });
  };
  if (without !== null) add({ setting: null, program: null }, same, true);
  for (const setting of settings ?? usualSettings(requests, capacity !== null || requests.limit !== null)) {
    yield;
    add({ setting, program: null }, changeOf(requests, setting, capacity), settings !== null);
  }
  for (const program of programs) {
    yield;
    const { kind, at } = program;
    add({ setting: null, program: { kind, at } }, changeOf(requests, program, capacity), kind === 'leaks');
  }
  const isWorth = (one: ChangeOutcome): boolean =>
    one.program === null || one.program.kind === 'leaks' || one.reservedPeakBytes <= MAX_LEFT * one.insteadOfBytes;
  return { replay: proof, recorded, outcomes: outcomes.filter(isWorth).sort(betterFirst) };
}

/** Leaves out what either does. */
function leaving(one: Uint8Array | null, other: Uint8Array | undefined): Pick<Change, 'without'> {
  if (one === null || other === undefined) return { without: one ?? other };
  return { without: one.map((isLeftOut, row) => isLeftOut | other[row]) };
}

/** On another device, older memory would be elsewhere too. */
function unchangedOn({ start }: Requests, capacity: Bytes | null): Change {
  return capacity === null ? { restarts: false } : { capacity, restarts: start.reservedBytes > 0 };
}

/**
 * The whole change behind an outcome. A setting or a change is there from the start of the program on, as another device is.
 * @throws RangeError with a sentence, for a setting that is unknown or out of range
 */
export function changeOf(requests: Requests, change: string | ProgramChange, capacity: Bytes | null): Change {
  const same = { ...unchangedOn(requests, capacity), restarts: requests.start.reservedBytes > 0 };
  return typeof change === 'string'
    ? { ...same, settings: withSettings(requests.settings, change) }
    : { ...same, ...change.change };
}

/** A capacity that is known not to fit. */
function tooSmall({ firstFailure }: Requests, { capacity }: Change, { fits }: Outcome): Bytes {
  return fits === false ? (capacity ?? firstFailure?.capacity ?? 0) : 0;
}

function usualSettings({ settings }: Requests, isLimited: boolean): string[] {
  const toggled = `expandable_segments:${settings.isExpandable ? 'False' : 'True'}`;
  return [toggled, ...USUAL_SETTINGS, ...(isLimited ? LIMITED_SETTINGS : [])];
}

function failureOf(requests: Requests): RecordedOutcome['failure'] {
  const { firstFailure } = requests;
  if (firstFailure === null) return null;
  return {
    event: firstFailure.ordinal,
    isReproduced: whatIf(requests, {}).failedEvent === firstFailure.ordinal,
  };
}

function isEqual(a: Outcome, b: Outcome): boolean {
  return (
    a.reservedPeakBytes === b.reservedPeakBytes &&
    a.reservedEndBytes === b.reservedEndBytes &&
    a.failedEvent === b.failedEvent &&
    a.shortBytes === b.shortBytes
  );
}

function betterFirst(a: ChangeOutcome, b: ChangeOutcome): number {
  return (
    Number(b.fits === true) - Number(a.fits === true) ||
    (a.smallestCapacityBytes ?? 0) - (b.smallestCapacityBytes ?? 0) ||
    a.reservedPeakBytes - b.reservedPeakBytes ||
    a.reservedEndBytes - b.reservedEndBytes
  );
}

/** A setting of the allocator, replayed with the recorded requests. */
export interface ReplayedSetting {
  /** The setting, as `PYTORCH_CUDA_ALLOC_CONF` has it. */
  setting: string;
  /** Peak of reserved bytes with this setting. */
  reservedPeakBytes: Bytes;
  /** Peak of reserved bytes with the recorded settings, by the same replay. */
  insteadOfBytes: Bytes;
  /** True if memory from before the trace had to be laid out in an order that is not known. */
  isEstimate: boolean;
}

const EXPANDABLE = 'expandable_segments:True';

/**
 * The setting that reserves least, in three replays at most. Null if none reserves less, or if the recording cannot be
 * replayed.
 */
export function reservedAnswer(snapshot: Snapshot, history: TraceHistory): ReplayedSetting | null {
  const { requests } = replayAsRecorded(snapshot, history);
  if (requests === null) return null;
  const { reservedPeakBytes, settings, start } = requests;
  if (settings.isExpandable || reservedPeakBytes <= history.liveAfter(history.peak)) return null;
  const restarts = start.reservedBytes > 0;
  const instead = restarts ? whatIf(requests, { restarts }).reservedPeakBytes : reservedPeakBytes;
  const changed = whatIf(requests, { restarts, settings: withSettings(settings, EXPANDABLE) });
  if (changed.reservedPeakBytes >= instead) return null;
  return {
    setting: EXPANDABLE,
    reservedPeakBytes: changed.reservedPeakBytes,
    insteadOfBytes: instead,
    isEstimate: restarts,
  };
}

/** What the settings of the allocator would have made of a failure to allocate. */
export interface FailureAnswer {
  /** The setting that leaves or lacks the amount; null for the recorded ones. */
  setting: string | null;
  /** Memory left at the peak; null if it does not fit with any setting. */
  leftBytes: Bytes | null;
  /** The least that any setting lacks; null if it fits with one. */
  shortBytes: Bytes | null;
  /** True if memory that is older than the trace is laid out again, in an order that is not known. */
  isEstimate: boolean;
}

/**
 * The answer for the first failure of a trace: the setting with which it fits and most is left, or else the least that
 * is short. Null if the replay disagrees, or does not fail where the recording did.
 */
export function failureAnswer(snapshot: Snapshot, history: DeviceHistory): FailureAnswer | null {
  const { requests } = replayAsRecorded(snapshot, history);
  const failure = requests?.firstFailure ?? null;
  if (requests === null || failure === null || failureOf(requests)?.isReproduced !== true) return null;
  const isEstimate = requests.start.reservedBytes > 0;
  // Older memory that is laid out again must not make it fit: that would be no merit of a setting.
  const same: Change = { restarts: isEstimate };
  if (whatIf(requests, same).fits !== false) return null;
  // A setting that also needs a limit of the process is left out, because the sentence would have to say so.
  const tried = usualSettings(requests, false).map((setting) => {
    const change: Change = { restarts: isEstimate, settings: withSettings(requests.settings, setting) };
    return { setting, change, outcome: whatIf(requests, change) };
  });
  const left = ({ outcome }: (typeof tried)[number]): Bytes =>
    outcome.fits === true ? (outcome.leftBytes ?? 0) : -Infinity;
  const best = tried.reduce((most, one) => (left(one) > left(most) ? one : most));
  if (best.outcome.fits === true)
    return { setting: best.setting, leftBytes: best.outcome.leftBytes, shortBytes: null, isEstimate };
  let [setting, shortBytes]: [string | null, Bytes] = [null, Infinity];
  for (const one of [{ setting: null, change: same }, ...tried]) {
    const better: Change = { ...one.change, capacity: failure.capacity + shortBytes - CAPACITY_STEP };
    // Most settings are no better than those before, which one replay shows.
    if (whatIf(requests, better).fits !== true) continue;
    shortBytes = smallestCapacity(requests, one.change, failure.capacity) - failure.capacity;
    setting = one.setting;
  }
  return { setting, leftBytes: null, shortBytes, isEstimate };
}
