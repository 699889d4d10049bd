/** Answers what other settings of the allocator, or changes of the program, would have made of a snapshot. */
import { setImmediate } from 'node:timers/promises';
import type { Change } from '../core/allocator/changedReplay.js';
import { answerDevice, changeOf, type InTurns, type ProgramChange } from '../core/allocator/deviceAnswer.js';
import { replayAsRecorded } from '../core/allocator/recordedReplay.js';
import type { Requests } from '../core/allocator/requests.js';
import { assignmentWith } from '../core/allocator/settings.js';
import { reservedWith, snapshotWith } from '../core/allocator/whatIf.js';
import type { Steps } from '../core/attribution/steps/steps.js';
import { failuresOf } from '../core/attribution/failures.js';
import type { TraceHistory } from '../core/model/history.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { SnapshotAt } from '../core/model/snapshotAt.js';
import type { Bytes } from '../core/model/units.js';
import { whatIfNotes, whatIfSummary } from '../core/present/whatIf.js';
import { changeText } from '../core/report/compare/changeText.js';
import { programChanges } from '../core/report/peak/programChanges.js';
import { answerDevices, type DeviceWhatIf } from '../core/report/peak/whatIfDevices.js';
import { t } from '../core/text/translate.js';
import { curveWindow } from '../core/timeline/timelineWindow.js';
import type { Changed, ReservedAnswer, ReservedQuery, WhatIfAnswer, WhatIfQuery } from '../protocol/whatIfData.js';
import type { WorkerApi } from '../protocol/workerApi.js';
import type { LineVerdicts } from './lineVerdicts.js';
import type { SnapshotStore } from './snapshotStore.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

/** What a change is replayed on. */
interface Subject {
  readonly snapshot: Snapshot;
  readonly history: TraceHistory;
  readonly capacity: Bytes | null;
  readonly steps: Steps | null;
  readonly programs: readonly ProgramChange[];
}

/** A change that a question names. */
interface NamedChange {
  readonly key: string;
  readonly name: string;
  readonly requests: Requests;
  readonly change: Change;
}

export class WhatIfAnswers {
  /** The last change of each snapshot, and its curve: a zoom requests other parts of it. */
  private readonly changes = new WeakMap<Snapshot, NamedChange & { reserved?: Float64Array }>();

  constructor(
    private readonly store: SnapshotStore,
    private readonly workspace: WorkspaceFiles,
    private readonly verdicts: LineVerdicts,
  ) {}

  async devices(
    { path, capacity, settings }: WorkerApi['whatIfDevices']['params'],
    signal: AbortSignal,
  ): Promise<DeviceWhatIf[]> {
    const snapshot = await this.store.snapshot(path, signal);
    const { recording } = this.store.digest(path);
    const lookup = this.workspace.lookupFor(snapshot, this.store.digests);
    const question = { capacity, settings, without: [], leaking: this.verdicts.leaking(path) };
    return inTurns(answerDevices(snapshot, recording, question, lookup), signal);
  }

  async whatIf(query: WhatIfQuery, signal: AbortSignal): Promise<WhatIfAnswer> {
    const { path, device } = query;
    if (this.store.trend(path) !== null) {
      const problem = t('Sums over time have no allocations to replay.');
      return { path, device, problem, summary: '', notes: [], recorded: null, outcomes: [] };
    }
    const { snapshot, history, capacity, steps, programs } = await this.subject(query, signal);
    const question = {
      settings: null,
      capacity,
      without: null,
      steps: steps?.starts ?? [],
      programs,
      wantsCapacities: false,
    };
    const { replay, recorded, outcomes } = await inTurns(answerDevice(snapshot, history, question), signal);
    return {
      path,
      device,
      problem: replay.firstDifference?.sentence ?? null,
      summary: recorded === null ? '' : whatIfSummary({ replay, outcomes }),
      notes: recorded === null ? [] : whatIfNotes(recorded, outcomes),
      recorded,
      outcomes: outcomes.map(({ setting, program, ...outcome }) => ({
        ...outcome,
        change: setting ?? program?.kind ?? '',
        name: changeText({ setting, program }),
        assignment: setting === null ? null : assignmentWith(snapshot.settings, setting),
      })),
    };
  }

  /** @throws SnapshotError, or Error if the recording cannot be replayed */
  async reserved(query: ReservedQuery, signal: AbortSignal): Promise<ReservedAnswer> {
    const { path, device, change } = query;
    const { history, named } = await this.named(query, signal);
    named.reserved ??= reservedWith(named.requests, named.change);
    return { ...curveWindow(history, named.reserved, query), path, device, change, name: named.name };
  }

  /** Segments and blocks with a change, and its name. @throws SnapshotError, or Error if the recording cannot be replayed */
  async layout(query: Changed, event: number, signal: AbortSignal): Promise<{ at: SnapshotAt; name: string }> {
    const { snapshot, history, named } = await this.named(query, signal);
    return { at: snapshotWith(snapshot, history, named.requests, named.change, event), name: named.name };
  }

  private async named(
    query: Changed,
    signal: AbortSignal,
  ): Promise<Pick<Subject, 'snapshot' | 'history'> & { named: NamedChange & { reserved?: Float64Array } }> {
    const { path, device, change, capacity: asked } = query;
    const [snapshot, history] = [
      await this.store.snapshot(path, signal),
      await this.store.history(path, device, signal),
    ];
    const key = JSON.stringify([device, asked, change, this.verdicts.version]);
    const known = this.changes.get(snapshot);
    if (known?.key === key) return { snapshot, history, named: known };
    const { capacity, programs } = await this.subject(query, signal);
    const { requests, proof } = replayAsRecorded(snapshot, history);
    if (requests === null) throw new Error(proof.firstDifference?.sentence);
    const program = programs.find(({ kind }) => kind === change) ?? null;
    const named = {
      key,
      requests,
      change: changeOf(requests, program ?? change, capacity),
      name: changeText({ setting: program === null ? change : null, program }),
    };
    this.changes.set(snapshot, named);
    return { snapshot, history, named };
  }

  private async subject({ path, device, capacity }: WhatIfQuery, signal: AbortSignal): Promise<Subject> {
    const snapshot = await this.store.snapshot(path, signal);
    const history = await this.store.history(path, device, signal);
    const steps = this.store.stepsOf(path, snapshot, device);
    const lookup = this.workspace.lookupFor(snapshot, this.store.digests);
    const hasFailed = failuresOf(snapshot, history, 1).length > 0;
    const programs = programChanges(snapshot, history, steps, this.verdicts.leaking(path), lookup);
    // A recorded failure shows what the device had left for the process.
    return { snapshot, history, capacity: hasFailed ? null : capacity, steps, programs };
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
