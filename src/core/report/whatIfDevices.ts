import { answerDevice, type ChangeOutcome, type DeviceAnswer, type InTurns } from '../allocator/deviceAnswer.js';
import { findSteps, stepsOnDevice } from '../attribution/steps.js';
import { deviceHistory, type DeviceHistory } from '../model/history.js';
import type { Recording } from '../model/recording.js';
import type { Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';

export type { ChangeOutcome };

/** The answers for one device, as JSON has them. */
export type DeviceWhatIf = { device: number } & DeviceAnswer;

/** What is asked about all devices of a recording. */
interface WhatIfQuestion {
  /** Settings in the syntax of PYTORCH_CUDA_ALLOC_CONF; null for the usual ones. */
  readonly settings: readonly string[] | null;
  /** Memory that the driver gives; null for that of the recording. */
  readonly capacity: Bytes | null;
  /** Marks with 1 the rows of the allocations that are left out; null to leave out none. */
  readonly withoutOf: ((history: DeviceHistory) => Uint8Array) | null;
}

/** Answers the question for each device with a trace. */
export function* answerDevices(
  snapshot: Snapshot,
  recording: Recording | null,
  { settings, capacity, withoutOf }: WhatIfQuestion,
): InTurns<DeviceWhatIf[]> {
  const steps = findSteps(snapshot, recording);
  const devices: DeviceWhatIf[] = [];
  for (const { device, count } of snapshot.traces) {
    if (count === 0) continue;
    const history = deviceHistory(snapshot, device);
    const answer = yield* answerDevice(snapshot, history, {
      settings,
      capacity,
      without: withoutOf?.(history) ?? null,
      steps: steps === null ? [] : (stepsOnDevice(snapshot, steps, device)?.starts ?? []),
      wantsCapacities: true,
    });
    devices.push({ device, ...answer });
  }
  return devices;
}
