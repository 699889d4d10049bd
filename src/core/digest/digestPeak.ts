import type { Recording } from '../model/recording.js';
import type { Snapshot } from '../model/snapshot.js';
import type { Bytes, Microseconds, StackId } from '../model/units.js';
import type { CategoryCode } from '../attribution/categories.js';
import type { DeviceView } from '../attribution/deviceViews.js';
import type { StacklessBucket } from '../attribution/owner.js';
import { peakOf } from '../attribution/peak.js';
import { stepsBegun } from '../attribution/stepNumbers.js';
import { stepAt } from '../attribution/steps.js';

/** The highest point of a device's curve, with the stacks that held memory there in words. */
export interface DigestPeak {
  device: number;
  /** Ordinal of the event in the device's trace, -1 for the state before the first. */
  event: number;
  timeUs: Microseconds | null;
  /** Steps begun by then, null where none are known. */
  step: number | null;
  /** The groups add up to it. */
  liveBytes: Bytes;
  /** null where the input does not say. */
  reservedBytes: Bytes | null;
  groups: readonly DigestPeakGroup[];
}

/** What one stack holds at the highest point, of one category. */
export interface DigestPeakGroup {
  /** Indices into the digest's frames, as in `LiveGroup`. */
  frames: readonly number[];
  forwardFrames: readonly number[];
  stackless: StacklessBucket;
  category: CategoryCode;
  bytes: Bytes;
  blocks: number;
  /** Of these, blocks that wait for the backward pass. */
  keptForBackward: number;
  /** Of these, blocks that were born more than a step before. */
  fromEarlierSteps: number;
}

/**
 * The highest point of each device that has a trace, that of most bytes first.
 * @param ofStack a stack's frames in the digest's words
 */
export function devicePeaks(
  snapshot: Snapshot,
  views: readonly DeviceView[],
  recording: Recording | null,
  ofStack: (stack: StackId) => readonly number[],
): DigestPeak[] {
  return views
    .filter(({ history }) => history.trace.count > 0)
    .map((view) => peakInWords(snapshot, view, recording, ofStack))
    .sort((a, b) => b.liveBytes - a.liveBytes);
}

function peakInWords(
  snapshot: Snapshot,
  { history, steps, categorizer }: DeviceView,
  recording: Recording | null,
  ofStack: (stack: StackId) => readonly number[],
): DigestPeak {
  const peak = peakOf(snapshot, history, categorizer);
  const { time, startUs } = history;
  const timeUs = time === null || startUs === null ? null : startUs + time[Math.max(0, peak.event)];
  return {
    device: history.trace.device,
    event: peak.event,
    timeUs,
    step: stepsBegun(recording, timeUs) ?? (steps === null ? null : stepAt(steps, peak.event)),
    liveBytes: peak.liveBytes,
    reservedBytes: history.reserved?.[peak.event + 1] ?? null,
    groups: peak.groups.map(({ stack, forwardStack, ...group }) => ({
      ...group,
      frames: ofStack(stack),
      forwardFrames: ofStack(forwardStack),
    })),
  };
}
