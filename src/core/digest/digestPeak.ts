import { failureAnswer, reservedAnswer, type FailureAnswer, type ReplayedSetting } from '../allocator/deviceAnswer.js';
import type { TraceHistory } from '../model/history.js';
import type { Recording } from '../model/recording.js';
import { BlockState, NO_STACK, type DeviceTrace, type Snapshot } from '../model/snapshot.js';
import { hostLast, type Bytes, type Microseconds, type StackId } from '../model/units.js';
import type { DeviceView } from '../attribution/deviceViews.js';
import type { OlderAt } from '../attribution/categories/olderMemory.js';
import { phaseOf, type Phase } from '../attribution/categories/passPhase.js';
import { heldAt, type PeakGroup } from '../attribution/peak.js';
import { failuresOf } from '../attribution/failures.js';
import { snapshotAt } from '../model/snapshotAt.js';
import { stepsBegun } from '../attribution/steps/stepNumbers.js';
import { stepAt } from '../attribution/steps/steps.js';

/** The peak of a device's curve, or its state without one, with the frames of the stacks that held memory there. */
export interface DigestPeak {
  device: number;
  /** Whether the trace has at most one event. Memory is then that at the snapshot, and may have been higher before. */
  isState: boolean;
  /** Ordinal of the event in the device's trace, -1 for the state before the first. */
  event: number;
  timeUs: Microseconds | null;
  /** Steps begun by then, null where none are known. */
  step: number | null;
  /** The groups add up to it. */
  liveBytes: Bytes;
  /** null where the input does not say. */
  reservedBytes: Bytes | null;
  /** The part of the pass that the event belongs to, null where its stack does not say. */
  phase: Phase | null;
  /** The stack of the event, as in `LiveGroup`. */
  frames: readonly number[];
  older: DigestOlder;
  /** True if the trace shows a backward pass. */
  hasBackward: boolean;
  groups: readonly DigestPeakGroup[];
  /** The allocator's setting that would have reserved less, by a replay that agrees with the trace; null for none. */
  replayed: ReplayedSetting | null;
}

/** Memory that is older than the trace. */
export interface DigestOlder extends Omit<OlderAt, 'freed'> {
  /** With the stack that frees it later, as in `LiveGroup`. */
  freed: readonly { frames: readonly number[]; bytes: Bytes; blocks: number }[];
}

/** An allocation that failed, and what was held then. */
export interface DigestFailure {
  /** The stack of the request: indices into the frames of the digest, see `LiveGroup`. */
  frames: readonly number[];
  forwardFrames: readonly number[];
  /** The largest free block inside segments; null if unknown. */
  largestFreeBytes: Bytes | null;
  /** Whether another setting of the allocator would have avoided it, by a replay that fails as recorded; null if unknown. */
  replayed: FailureAnswer | null;
  /** What was held, in the form of a peak. `event` is that of the failure. */
  held: DigestPeak;
}

/** What one stack holds at the peak, of one category: its stacks are indices into the digest's frames, as in `LiveGroup`. */
export interface DigestPeakGroup extends Omit<PeakGroup, 'stack' | 'forwardStack'> {
  frames: readonly number[];
  forwardFrames: readonly number[];
}

/**
 * The peak of each device, that of most bytes first, pinned host memory last. The recorder's light snapshots have none.
 * @param ofStack indices of a stack's frames in the digest
 */
export function devicePeaks(
  snapshot: Snapshot,
  views: readonly DeviceView[],
  recording: Recording | null,
  ofStack: (stack: StackId) => readonly number[],
): DigestPeak[] {
  return views
    .filter(({ history: { trace, allocations } }) =>
      trace.count > 0 ? true : allocations.count > 0 && recording?.isLight !== true,
    )
    .map((view) => {
      const { peak, trace } = view.history;
      return {
        ...peakWithFrames(snapshot, isState(trace) ? trace.count - 1 : peak, view, recording, ofStack),
        replayed: replayedSetting(snapshot, view.history),
      };
    })
    .sort((a, b) => hostLast(a, b) || b.liveBytes - a.liveBytes);
}

/** Whether a trace is too short to show a peak. */
function isState({ count }: DeviceTrace): boolean {
  return count <= 1;
}

/** Unused memory from which a replay is worth its time, and the least share that a setting must save. */
const MIN_UNUSED: Bytes = 256 * 2 ** 20;
const MIN_SAVED = 0.05;
/** Maximum number of events of a trace whose replay takes a moment; `leakline what-if` replays any number. */
const MAX_REPLAYED = 100_000;

function isLong({ count }: DeviceTrace): boolean {
  return count > MAX_REPLAYED;
}

function replayedSetting(snapshot: Snapshot, history: TraceHistory): ReplayedSetting | null {
  const { trace, peak } = history;
  const reserved = Math.max(history.reservedAfter(peak) ?? 0, history.reservedAfter(trace.count - 1) ?? 0);
  if (isState(trace) || isLong(trace) || reserved - history.liveAfter(peak) < MIN_UNUSED) return null;
  const best = reservedAnswer(snapshot, history);
  if (best === null) return null;
  const saved = best.insteadOfBytes - best.reservedPeakBytes;
  return saved < Math.max(MIN_UNUSED, MIN_SAVED * best.insteadOfBytes) ? null : best;
}

/** Maximum number of failures that a curve lists, and of those that are examined. */
const MAX_LISTED = 100;
const MAX_FAILURES = 3;

/**
 * What was held when allocations failed, the last ones of each device, in order.
 * @param ofStack indices of a stack's frames in the digest
 */
export function deviceFailures(
  snapshot: Snapshot,
  views: readonly DeviceView[],
  recording: Recording | null,
  ofStack: (stack: StackId) => readonly number[],
): DigestFailure[] {
  const { events } = snapshot;
  return views.flatMap((view) => {
    const { history } = view;
    const { first } = history.trace;
    const failures = failuresOf(snapshot, history, MAX_LISTED);
    return failures.slice(-MAX_FAILURES).map(({ event }) => ({
      frames: ofStack(events.stack[first + event]),
      forwardFrames: ofStack(events.forwardStack?.[first + event] ?? NO_STACK),
      largestFreeBytes: largestFree(snapshot, view, event),
      // Without the first failure, the program would have gone on differently.
      replayed: event === failures[0].event && !isLong(history.trace) ? failureAnswer(snapshot, history) : null,
      held: peakWithFrames(snapshot, event, view, recording, ofStack),
    }));
  });
}

/** The largest free block after an event, null where the input does not say. */
function largestFree(snapshot: Snapshot, { history }: DeviceView, event: number): Bytes | null {
  if (history.reservedAfter(event) === null) return null;
  const { blocks, segments } = snapshotAt(snapshot, history, event).snapshot;
  let largest = 0;
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] !== BlockState.Inactive) continue;
    if (segments.device[blocks.segment[block]] === history.trace.device)
      largest = Math.max(largest, blocks.size[block]);
  }
  return largest;
}

function peakWithFrames(
  snapshot: Snapshot,
  event: number,
  { history, categorizer, roles, steps }: DeviceView,
  recording: Recording | null,
  ofStack: (stack: StackId) => readonly number[],
): DigestPeak {
  const { startUs } = history;
  const time = history.timeAt(Math.max(0, event));
  const timeUs = time === null || startUs === null ? null : startUs + time;
  const { trace } = history;
  const stack = event < 0 ? NO_STACK : snapshot.events.stack[trace.first + event];
  const { freed, ...older } = categorizer.older.at(event);
  return {
    device: trace.device,
    isState: isState(trace),
    event,
    timeUs,
    step: stepsBegun(recording, timeUs) ?? (steps === null ? null : stepAt(steps, event)),
    liveBytes: history.liveAfter(event),
    reservedBytes: history.reservedAfter(event),
    phase: event < 0 ? null : phaseOf(snapshot, roles, stack),
    frames: ofStack(stack),
    older: { ...older, freed: freed.map(({ stack: by, ...sum }) => ({ ...sum, frames: ofStack(by) })) },
    hasBackward: categorizer.hasBackward,
    replayed: null,
    groups: heldAt(snapshot, history, categorizer, event).map(({ stack, forwardStack, ...group }) => ({
      ...group,
      frames: ofStack(stack),
      forwardFrames: ofStack(forwardStack),
    })),
  };
}
