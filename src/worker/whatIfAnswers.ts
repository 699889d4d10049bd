/** Answers what other settings of the allocator would have made of a snapshot. */
import { setImmediate } from 'node:timers/promises';
import type { InTurns } from '../core/allocator/deviceAnswer.js';
import { answerDevices, type DeviceWhatIf } from '../core/report/whatIfDevices.js';
import type { WorkerApi } from '../protocol/workerApi.js';
import type { SnapshotStore } from './snapshotStore.js';

export class WhatIfAnswers {
  constructor(private readonly store: SnapshotStore) {}

  async devices(
    { path, capacity, settings }: WorkerApi['whatIfDevices']['params'],
    signal: AbortSignal,
  ): Promise<DeviceWhatIf[]> {
    const snapshot = await this.store.snapshot(path, signal);
    const { recording } = this.store.digest(path);
    return inTurns(answerDevices(snapshot, recording, { capacity, settings, withoutOf: null }), signal);
  }
}

/** Answers other questions, and takes a cancellation, between the turns. */
async function inTurns<Answer>(turns: InTurns<Answer>, signal: AbortSignal): Promise<Answer> {
  for (;;) {
    const { done, value } = turns.next();
    if (done === true) return value;
    await setImmediate();
    signal.throwIfAborted();
  }
}
