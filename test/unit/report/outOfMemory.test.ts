/** Allocations that failed: what was requested, what was left, and what PyTorch held. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { allocationIndex } from '../../../src/core/timeline/allocationIndex.js';
import { blockDetail } from '../../../src/core/timeline/bandDetail.js';
import { Categorizer } from '../../../src/core/attribution/categories/categorizer.js';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { StackRoles } from '../../../src/core/attribution/stackRole.js';
import { seriesLayout } from '../../../src/core/timeline/seriesLayout.js';
import { historyWindow } from '../../../src/core/timeline/timelineWindow.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import {
  causeText,
  failureHolderTexts,
  outOfMemoryTexts,
  replayedFailureText,
} from '../../../src/core/present/failed.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import type { RecordedOwner } from '../../../src/core/model/recording.js';
import type { OutOfMemoryReport } from '../../../src/core/report/report.js';
import { PlainAllocator } from '../allocator/plainAllocator.js';
import { noWorkspace } from '../../support/noWorkspace.js';
import { BLANK_OWNER } from '../../support/blankOwner.js';
import { BLANK_RECORDING } from '../../support/blankRecording.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { FIXTURES, readBytes, readFile } from '../../support/snapshots.js';

const MiB = 2 ** 20;
const PATH = join(FIXTURES, 'shapes/multidevice_oom.pickle');
/** The generator's facts on the only failure of the file. */
const FAILED = {
  event: 5,
  askedBytes: 400 * MiB,
  deviceFreeBytes: 168 * MiB,
  liveBytes: 30 * MiB + 2048 + 512,
  reservedBytes: 32 * MiB,
};

async function failuresIn(entries: readonly { [key: string]: Picklable }[]): Promise<OutOfMemoryReport[]> {
  const segment = {
    device: 0,
    address: 512,
    total_size: 2 * MiB,
    stream: 0,
    blocks: [{ address: 512, size: 2 * MiB, state: 'inactive' }],
  };
  const snapshot = await readBytes(pickle({ segments: [segment], device_traces: [entries] }));
  const { report } = buildReport([digestSnapshot('a.pickle', snapshot)], { files: [], rules: [] });
  return report.runs[0].outOfMemory;
}

describe('An allocation that failed', () => {
  it('is in the report and on the timeline with the requested and the free bytes', async () => {
    const snapshot = await readFile(PATH);
    const { report } = buildReport([digestSnapshot(PATH, snapshot)], { files: [], rules: [] });
    const [failure, ...others] = report.runs[0].outOfMemory;
    assert.deepEqual(others, []);
    // A frame without a line is named by its file alone.
    assert.doesNotMatch(renderText(report, { maxLines: 5 }), /:-1/);
    const { asked, frames, held, largestFreeBytes, ...amounts } = failure;
    assert.deepEqual(amounts, {
      ...FAILED,
      path: PATH,
      device: 2,
      timeUs: 1_760_000_000_000_128,
      metadata: null,
      capacityBytes: null,
      // The device has 200 MiB, of which one small segment and one for 30 MiB are in use.
      replayed: { setting: null, leftBytes: null, shortBytes: (2 + 30 + 400 - 200) * MiB, isEstimate: false },
      withoutLeaks: null,
      holders: [],
    });
    assert.ok(asked !== null && frames.length > 0 && largestFreeBytes !== null && held !== null);
    assert.equal(
      held.lines.reduce((sum, { bytes }) => sum + bytes, held.buckets.library + held.buckets.beforeRecording),
      FAILED.liveBytes,
    );
    for (const text of [renderText(report, { maxLines: 5 }), renderMarkdown(report, { maxLines: 5 })]) {
      assert.match(
        text,
        /Out of memory on device 2: `?\S+ \(\S+\)`? requested 400 MiB, 168 MiB free on the device, 30\.0 MiB of 32\.0 MiB reserved in use\./,
      );
    }
    const history = deviceHistory(snapshot, 2);
    const marksOf = (axis: 'time' | 'events'): unknown =>
      historyWindow(snapshot, history, { axis, window: null, pixels: 100 }).marks;
    const mark = { kind: 'outOfMemory', label: '', failure: { ...FAILED, time: 80, metadata: '' } };
    assert.deepEqual(marksOf('events'), [{ x: 5, ...mark }]);
    assert.deepEqual(marksOf('time'), [{ x: 80, ...mark }]);
    const healthy = await readFile(join(FIXTURES, 'shapes/t213.p4.pickle'));
    const calm = buildReport([digestSnapshot('calm.pickle', healthy)], { files: [], rules: [] }).report;
    assert.deepEqual(calm.runs[0].outOfMemory, []);
    assert.doesNotMatch(renderText(calm, { maxLines: 5 }), /Out of memory/);
  });

  it('names the objects that held most, with advice, as the recorder saw them', async () => {
    const snapshot = await readFile(PATH);
    const owner: RecordedOwner = {
      ...BLANK_OWNER,
      ...{ kind: 'attribute', name: 'Evaluator.outputs', place: { file: 'eval.py', line: 19 }, bytes: 20 * MiB },
      ...{ graphBytes: 15 * MiB, container: { type: 'list', length: 9, maxlen: null } },
    };
    const failureWith = (...atFailure: RecordedOwner[]): OutOfMemoryReport => {
      const digest = digestSnapshot(PATH, snapshot, { ...BLANK_RECORDING, atFailure });
      return buildReport([digest], { files: [], rules: [] }).report.runs[0].outOfMemory[0];
    };
    assert.deepEqual(failureHolderTexts(failureWith(owner)), [
      'Evaluator.outputs (eval.py:19) holds 20.0 MiB, 15.0 MiB of it through autograd’s graph. ' +
        'Store only what is needed, without its graph: .detach(), or .item() for a number.',
    ]);
    // Parts of one holder are one, and a library knows what its objects need.
    const cache: RecordedOwner = {
      ...owner,
      ...{ name: 'cache.layers', place: { file: '/x/site-packages/transformers/cache.py', line: 3 }, graphBytes: 0 },
    };
    assert.deepEqual(
      failureHolderTexts(failureWith({ ...cache, bytes: 4 * MiB }, owner, { ...cache, bytes: 8 * MiB })),
      [failureHolderTexts(failureWith(owner))[0], 'cache.layers (transformers/cache.py:3) holds 12.0 MiB.'],
    );
    // No object is the cause where the request is larger than the device.
    const small = digestSnapshot(PATH, snapshot, { ...BLANK_RECORDING, atFailure: [owner] });
    const askedBytes = small.curves.flatMap(({ outOfMemory: failed }) => failed)[0].askedBytes;
    const capacity = { files: [], rules: [], capacityBytes: askedBytes - 1 };
    assert.deepEqual(buildReport([small], capacity).report.runs[0].outOfMemory[0].holders, []);
    // A pass has variables, and small objects filled no device.
    const passing = { ...owner, kind: 'local', name: 'logits', container: null };
    assert.deepEqual(failureWith(passing, { ...owner, bytes: MiB }).holders, []);
    // In an evaluation, a variable needs no graph.
    const sum = { ...passing, graphBytes: 20 * MiB };
    assert.deepEqual(failureWith(sum).holders, []);
    const digest = digestSnapshot(PATH, snapshot, { ...BLANK_RECORDING, atFailure: [sum] });
    const failures = digest.failures.map((one) => ({ ...one, held: { ...one.held, phase: 'evaluation' as const } }));
    const { report } = buildReport([{ ...digest, failures }], { files: [], rules: [] });
    assert.deepEqual(failureHolderTexts(report.runs[0].outOfMemory[0]), [
      'logits (eval.py:19) holds 20.0 MiB through autograd’s graph. ' +
        'Run the evaluation under torch.no_grad(), or add numbers: .item().',
    ]);
    // What each round of a loop replaces is no cause.
    const once = {
      ...passing,
      container: owner.container,
      graphBytes: 0,
      allocatedSteps: { first: 7, last: 7, steps: 1 },
    };
    assert.equal(failureWith(once).holders.length, 1);
    const counted = digestSnapshot(PATH, snapshot, { ...BLANK_RECORDING, stepSource: 'loop', atFailure: [once] });
    assert.deepEqual(buildReport([counted], { files: [], rules: [] }).report.runs[0].outOfMemory[0].holders, []);
    // The advice on activations is about those that no object keeps.
    const advised = (one: OutOfMemoryReport): boolean =>
      one.held?.advice.some((text) => text.startsWith('Activations')) === true;
    assert.equal(advised(failureWith(owner)), false);
  });

  it('is laid to the segment that it needs where the device had room for the request alone', async () => {
    const allocator = new PlainAllocator(
      { expandable: false, maxSplit: Infinity, divisions: 0, capacity: 50 * MiB },
      1,
    );
    assert.notEqual(allocator.malloc(32 * MiB, 0), null);
    assert.equal(allocator.malloc(2 * MiB, 0), null);
    const snapshot = await readBytes(pickle(allocator.snapshot(allocator.trace.length)));
    const { report } = buildReport([digestSnapshot('a.pickle', snapshot)], { files: [], rules: [] });
    const [failure] = report.runs[0].outOfMemory;
    const text = 'For 2.0 MiB, PyTorch requests a segment of 20.0 MiB, and the device had 18.0 MiB free.';
    assert.equal(causeText(failure), text);
    const tight = { ...failure, capacityBytes: 51 * MiB, liveBytes: 46 * MiB };
    assert.match(
      causeText(tight) ?? '',
      /^For 2\.0 MiB.* This request only tips over: 46\.0 MiB of 51\.0 MiB is allocated/,
    );
    const large = { ...failure, askedBytes: 30 * MiB, capacityBytes: 50 * MiB };
    assert.match(causeText(large) ?? '', / This request alone is 60 % of the device\.$/);
  });

  it('has the program’s metadata, and leaves out facts that the input lacks', async () => {
    const oom = { action: 'oom', size: 1024, stream: 0, user_metadata: 'epoch 3', frames: [] };
    const [failure] = await failuresIn([oom]);
    assert.deepEqual([failure.deviceFreeBytes, failure.timeUs, failure.metadata], [null, null, 'epoch 3']);
    assert.deepEqual(outOfMemoryTexts([failure]), [
      'Out of memory on device 0: 1.0 KiB requested, 0 B of 2.0 MiB reserved in use, metadata epoch 3.',
    ]);
    const many = await failuresIn(Array.from({ length: 250 }, () => ({ ...oom, device_free: 0 })));
    assert.equal(many.length, 100, 'no more than a person reads');
    const [before, ...named] = outOfMemoryTexts(many);
    assert.equal(before, '97 allocations failed before.');
    assert.equal(named.length, 3);
    assert.match(named[0], /, 0 B free on the device, /);
  });

  it('is laid to fragmentation where all that was free would have held it, and no one block did', async () => {
    const failure = (
      await failuresIn([{ action: 'oom', size: 3 * MiB, stream: 0, frames: [], device_free: 2 * MiB }])
    )[0];
    // Nothing avoids a failure whose segment no device has room for.
    assert.notEqual(failure.replayed?.shortBytes, null);
    assert.equal(
      causeText({ ...failure, replayed: null }),
      'Fragmentation: 2.0 MiB is unused in PyTorch’s cache and 2.0 MiB free on the device, enough for the 3.0 MiB requested, but not in one piece.',
    );
    const [large] = await failuresIn([{ action: 'oom', size: 8 * MiB, stream: 0, frames: [], device_free: 2 * MiB }]);
    assert.equal(
      causeText(large),
      'The device is full: even with an empty cache, 4.0 MiB is missing for the request of 8.0 MiB.',
    );
  });

  it('says which setting of the allocator would have avoided it, and how much that leaves', async () => {
    // Both halves of the memory keep a hole, which one expandable segment does not.
    const withHoles = async (capacity: number, mebibytes: number): Promise<OutOfMemoryReport> => {
      const settings = { expandable: false, maxSplit: Infinity, divisions: 0, capacity: capacity * MiB };
      const allocator = new PlainAllocator(settings, 1);
      const halves = [allocator.malloc(40 * MiB, 0), allocator.malloc(40 * MiB, 0)];
      for (const address of halves) allocator.free(address ?? 0);
      for (const size of [12, 30]) assert.notEqual(allocator.malloc(size * MiB, 0), null);
      assert.equal(allocator.malloc(mebibytes * MiB, 0), null);
      const snapshot = await readBytes(pickle(allocator.snapshot(allocator.trace.length)));
      const { report } = buildReport([digestSnapshot('a.pickle', snapshot)], { files: [], rules: [] });
      const text = replayedFailureText(report.runs[0].outOfMemory[0]) ?? '';
      assert.ok(renderText(report, { maxLines: 5 }).includes(`  ${text}\n`));
      return report.runs[0].outOfMemory[0];
    };
    assert.equal(
      replayedFailureText(await withHoles(110, 50)),
      'With expandable_segments:True, this request would have fit with 10.0 MiB left (replayed).',
    );
    // 42 MiB live and 70 MiB more need 112 MiB, which pages of 20 MiB hold in 120.
    const short = await withHoles(110, 70);
    assert.match(causeText(short) ?? '', /^The device is full: even with an empty cache, 2\.0 MiB is missing/);
    // Such pieces are no cause that a setting removes.
    assert.match(causeText(await withHoles(110, 50)) ?? '', /^Fragmentation: 38\.0 MiB is unused/);
    assert.match(
      causeText(await withHoles(110, 68)) ?? '',
      /^38\.0 MiB is unused in PyTorch’s cache and 30\.0 MiB free on the device, but no piece of it has 68\.0 MiB\./,
    );
    assert.deepEqual(short.replayed, {
      setting: 'expandable_segments:True',
      leftBytes: null,
      shortBytes: 10 * MiB,
      isEstimate: false,
    });
    assert.equal(
      replayedFailureText(await withHoles(110, 70)),
      'No allocator setting that was replayed would have avoided it: 10.0 MiB short at best.',
    );
  });

  it('has no answer for a failure after another, because the program would have gone on differently', async () => {
    const allocator = new PlainAllocator(
      { expandable: false, maxSplit: Infinity, divisions: 0, capacity: 30 * MiB },
      1,
    );
    for (const size of [20, 40, 40]) allocator.malloc(size * MiB, 0);
    const snapshot = await readBytes(pickle(allocator.snapshot(allocator.trace.length)));
    const { report } = buildReport([digestSnapshot('a.pickle', snapshot)], { files: [], rules: [] });
    const [first, second] = report.runs[0].outOfMemory;
    assert.deepEqual([first.replayed?.shortBytes, second.replayed], [30 * MiB, null]);
  });

  it('does not change the other events of its trace', async () => {
    const snapshot = await readFile(PATH);
    const history = deviceHistory(snapshot, 2);
    const index = allocationIndex(
      snapshot,
      history,
      null,
      new Categorizer(snapshot, history, null, new StackRoles(snapshot)),
    );
    const layout = seriesLayout(snapshot, index, 'line', noWorkspace, {
      verdictOf: () => '',
      categoryOf: () => 'other',
    });
    const { allocations } = history;
    const texts = Array.from({ length: allocations.count }, (_, row) => {
      const { allocated, metadata, compileContext } = blockDetail(snapshot, index, layout, row);
      return [allocated, metadata, compileContext];
    }).sort((a, b) => Number(a[0]) - Number(b[0]));
    assert.deepEqual(texts, [
      [1, '{"rank": 0}', ''],
      [3, '{"rank": 0}', 'Torch-Compiled Region: 0/0'],
      [4, '', ''],
    ]);
  });
});
