/** Changes of a program that a replay can show, on recordings of GPUs. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { replayAsRecorded } from '../../../src/core/allocator/recordedReplay.js';
import type { ProgramChange } from '../../../src/core/allocator/deviceAnswer.js';
import { whatIf } from '../../../src/core/allocator/whatIf.js';
import { stackFrames } from '../../../src/core/attribution/ownerTally.js';
import { StackRole, StackRoles } from '../../../src/core/attribution/stackRole.js';
import { findSteps } from '../../../src/core/attribution/steps/steps.js';
import { deviceHistory, liveRows, type TraceHistory } from '../../../src/core/model/history.js';
import type { Snapshot } from '../../../src/core/model/snapshot.js';
import { changeText } from '../../../src/core/report/compare/changeText.js';
import { programChanges } from '../../../src/core/report/peak/programChanges.js';
import { CORPUS, hasCorpus, picklesUnder, readFile } from '../../support/snapshots.js';

const GIB = 2 ** 30;

interface Changes {
  readonly snapshot: Snapshot;
  readonly history: TraceHistory;
  /** Reserved bytes at the peak, if all memory that is older than the trace is requested again. */
  readonly unchanged: number;
  readonly peakWith: (kind: ProgramChange['kind']) => number;
  readonly of: (kind: ProgramChange['kind']) => ProgramChange | undefined;
}

describe('Changes of a program', () => {
  before(function () {
    if (!hasCorpus()) this.skip();
  });

  async function changesOf(name: string): Promise<Changes> {
    const path = picklesUnder(CORPUS).find((one) => basename(one).startsWith(name)) ?? '';
    const snapshot = await readFile(path);
    const history = deviceHistory(snapshot, 0);
    const { requests } = replayAsRecorded(snapshot, history);
    assert.ok(requests !== null);
    const changes = programChanges(snapshot, history, findSteps(snapshot), [], () => null);
    const of = (kind: ProgramChange['kind']): ProgramChange | undefined => changes.find((one) => one.kind === kind);
    const peak = (change: object): number => whatIf(requests, { restarts: true, ...change }).reservedPeakBytes;
    return { snapshot, history, unchanged: peak({}), peakWith: (kind) => peak(of(kind)?.change ?? {}), of };
  }

  it('leave out the copies of an optimizer that works on all tensors at once, and nothing else', async () => {
    const { snapshot, history, unchanged, peakWith, of } = await changesOf('xl_ctx128_full_step_none');
    const without = of('foreach')?.change.without;
    assert.ok(without !== undefined);
    let atPeak = 0;
    for (const row of liveRows(history, history.peak)) {
      const isForeach = stackFrames(snapshot, history.allocations.stack[row]).some((frame) =>
        frame.function.startsWith('_multi_tensor_'),
      );
      if (without[row] === 0) continue;
      assert.ok(isForeach);
      atPeak += history.allocations.bytes[row];
    }
    // As the report has them: 12.7 GiB.
    assert.ok(Math.abs(atPeak - 12.7 * GIB) < 0.1 * GIB);
    assert.ok(unchanged - peakWith('foreach') > 11 * GIB);
  });

  it('leave out autocast’s copies of the weights, and checkpoint the loop over the layers', async () => {
    const { unchanged, peakWith, of } = await changesOf('expandable_segments_container');
    assert.ok(Math.abs(unchanged - peakWith('weightCopies') - 6.2 * GIB) < 0.2 * GIB);
    const checkpoint = of('checkpoint');
    assert.ok(checkpoint !== undefined);
    assert.match(changeText({ setting: null, program: checkpoint }), /^a checkpoint of the call in .*model\.py:254/);
    // Each layer keeps its last result alone: with one layer's activations, the peak is far below, and above the weights.
    const peak = peakWith('checkpoint');
    assert.ok(peak < 0.6 * unchanged && peak > 12.6 * GIB, String(peak));
  });

  it('allocate each block of a checkpoint again, before the backward pass frees the first of its call', async () => {
    const { history, of } = await changesOf('forward_and_backward_memory_snapshot_100');
    const { change } = of('checkpoint') ?? {};
    assert.ok(change?.freedBefore !== undefined && change.repeatedBefore !== undefined);
    const { birth, death } = history.allocations;
    const freed = [...change.freedBefore].flatMap(([at, rows]) => rows.map((row) => ({ at, row })));
    const again = new Map([...change.repeatedBefore].flatMap(([at, events]) => events.map((event) => [event, at])));
    assert.equal(again.size, freed.length);
    assert.ok(freed.length > 20);
    for (const { at, row } of freed) {
      assert.ok(birth[row] < at && at < death[row]);
      const repeated = again.get(birth[row]) ?? -1;
      assert.ok(at <= repeated && repeated <= death[row]);
    }
  });

  it('free gradients when the forward pass begins, after the optimizer has used them', async () => {
    const { snapshot, history, of } = await changesOf('snap12');
    const { allocations, trace } = history;
    const { birth, death, stack } = allocations;
    const roles = new StackRoles(snapshot);
    const allocatedBy = (role: StackRole, from: number, to: number): boolean =>
      birth.some((at, row) => at > from && at < to && roles.of(stack[row]) === role);
    const freed = [...(of('gradients')?.change.freedBefore ?? [])];
    assert.ok(freed.flatMap(([, rows]) => rows).length > 5);
    for (const [at, rows] of freed) {
      assert.equal(roles.of(snapshot.events.stack[trace.first + at]), StackRole.Forward);
      for (const row of rows) {
        assert.ok(birth[row] < at && at < death[row]);
        assert.ok(birth[row] < 0 || allocatedBy(StackRole.Optimizer, birth[row], at));
      }
    }
  });
});
