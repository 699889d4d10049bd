/** Answers what other settings of the allocator would have made of a snapshot. */
import { setImmediate } from 'node:timers/promises';
import { answerDevice, changeOf, EMPTY_CACHE, type InTurns } from '../core/allocator/deviceAnswer.js';
import { replayAsRecorded } from '../core/allocator/recordedReplay.js';
import { assignmentWith } from '../core/allocator/settings.js';
import { reservedWith } from '../core/allocator/whatIf.js';
import { failuresOf } from '../core/attribution/failures.js';
import type { DeviceHistory } from '../core/model/history.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Bytes } from '../core/model/units.js';
import { answerDevices, type DeviceWhatIf } from '../core/report/whatIfDevices.js';
import { t } from '../core/text/translate.js';
import { curveWindow } from '../core/timeline/timelineWindow.js';
import type { ReservedAnswer, ReservedQuery, WhatIfAnswer, WhatIfQuery } from '../protocol/whatIfData.js';
import type { WorkerApi } from '../protocol/workerApi.js';
import type { SnapshotStore } from './snapshotStore.js';

export class WhatIfAnswers {
  /** The last curve of each snapshot: a zoom requests other parts of it. */
  private readonly curves = new WeakMap<Snapshot, { key: string; reserved: Float64Array }>();

  constructor(private readonly store: SnapshotStore) {}

  async devices(
    { path, capacity, settings }: WorkerApi['whatIfDevices']['params'],
    signal: AbortSignal,
  ): Promise<DeviceWhatIf[]> {
    const snapshot = await this.store.snapshot(path, signal);
    const { recording } = this.store.digest(path);
    return inTurns(answerDevices(snapshot, recording, { capacity, settings, withoutOf: null }), signal);
  }

  async whatIf(query: WhatIfQuery, signal: AbortSignal): Promise<WhatIfAnswer> {
    const { path, device } = query;
    if (this.store.trend(path) !== null) {
      const problem = t('Sums over time have no allocations to replay.');
      return { path, device, problem, allocations: 0, recorded: null, outcomes: [] };
    }
    const { snapshot, history, capacity, steps } = await this.facts(query, signal);
    const question = { settings: null, capacity, without: null, steps, wantsCapacities: false };
    const { replay, recorded, outcomes } = await inTurns(answerDevice(snapshot, history, question), signal);
    return {
      path,
      device,
      problem: replay.firstDifference?.sentence ?? null,
      allocations: replay.allocations,
      recorded,
      outcomes: outcomes.flatMap(({ setting, ...outcome }) => {
        if (setting === null) return [];
        const assignment = setting === EMPTY_CACHE ? null : assignmentWith(snapshot.settings, setting);
        return [{ ...outcome, setting, assignment }];
      }),
    };
  }

  /** @throws SnapshotError, or Error if the recording cannot be replayed */
  async reserved(query: ReservedQuery, signal: AbortSignal): Promise<ReservedAnswer> {
    const { path, device, setting } = query;
    const { snapshot, history, capacity, steps } = await this.facts(query, signal);
    const key = JSON.stringify([device, capacity, setting]);
    let curve = this.curves.get(snapshot);
    if (curve?.key !== key) {
      const { requests, proof } = replayAsRecorded(snapshot, history);
      if (requests === null) throw new Error(proof.firstDifference?.sentence);
      curve = { key, reserved: reservedWith(requests, changeOf(requests, setting, capacity, steps)) };
      this.curves.set(snapshot, curve);
    }
    return { ...curveWindow(history, curve.reserved, query), path, device, setting };
  }

  private async facts(
    { path, device, capacity }: WhatIfQuery,
    signal: AbortSignal,
  ): Promise<{
    snapshot: Snapshot;
    history: DeviceHistory;
    capacity: Bytes | null;
    steps: ArrayLike<number>;
  }> {
    const snapshot = await this.store.snapshot(path, signal);
    const history = await this.store.history(path, device, signal);
    const steps = this.store.stepsOf(path, snapshot, device)?.starts ?? [];
    // A recorded failure shows what the device had left for the process.
    const isShown = failuresOf(snapshot, history, 1).length > 0;
    return { snapshot, history, capacity: isShown ? null : capacity, steps };
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
