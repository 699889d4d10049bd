import { answerDevice, type ChangeOutcome, type DeviceAnswer, type InTurns } from '../../allocator/deviceAnswer.js';
import type { FileLookup } from '../../attribution/owner.js';
import { findSteps, stepsOnDevice } from '../../attribution/steps/steps.js';
import { deviceHistory } from '../../model/history.js';
import type { Recording } from '../../model/recording.js';
import type { Snapshot } from '../../model/snapshot.js';
import type { Bytes } from '../../model/units.js';
import { programChanges, rowsOfLines, type NamedLine } from './programChanges.js';

export type { ChangeOutcome };

/** The answers for one device, as JSON has them. */
export type DeviceWhatIf = { device: number } & DeviceAnswer;

/** What is asked about all devices of a recording. */
interface WhatIfQuestion {
  /** Settings in the syntax of PYTORCH_CUDA_ALLOC_CONF; null for the usual ones, and the usual changes of the program. */
  readonly settings: readonly string[] | null;
  /** Memory that the driver gives; null for that of the recording. */
  readonly capacity: Bytes | null;
  /** Lines whose allocations are left out. */
  readonly without: readonly NamedLine[];
  /** Lines that leak, as the lookup names them. */
  readonly leaking: readonly NamedLine[];
}

/**
 * Answers the question for each device with a trace.
 * @param left lines of the question that no allocation was found for; found ones are removed
 */
export function* answerDevices(
  snapshot: Snapshot,
  recording: Recording | null,
  { settings, capacity, without, leaking }: WhatIfQuestion,
  lookup: FileLookup,
  left = new Set<NamedLine>(),
): InTurns<DeviceWhatIf[]> {
  const steps = findSteps(snapshot, recording);
  const devices: DeviceWhatIf[] = [];
  for (const { device, count } of snapshot.traces) {
    if (count === 0) continue;
    const history = deviceHistory(snapshot, device);
    const own = steps === null ? null : stepsOnDevice(snapshot, steps, device);
    const answer = yield* answerDevice(snapshot, history, {
      settings,
      capacity,
      without: without.length === 0 ? null : rowsOfLines(snapshot, history, without, lookup, left),
      steps: own?.starts ?? [],
      programs: settings === null ? programChanges(snapshot, history, own, leaking, lookup) : [],
      wantsCapacities: true,
    });
    devices.push({ device, ...answer });
  }
  return devices;
}
