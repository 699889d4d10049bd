import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { liveAt } from '../../../src/core/timeline/liveAt.js';
import { historyWindow } from '../../../src/core/timeline/timelineWindow.js';
import { NO_INDEX, type Snapshot } from '../../../src/core/model/snapshot.js';
import { buildCompare } from '../../../src/core/report/compare/buildCompare.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderCompareText, renderText } from '../../../src/core/render/renderText.js';
import type { RunReport } from '../../../src/core/report/report.js';
import { noWorkspace } from '../../support/noWorkspace.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { FIXTURES, readBytes, readFile } from '../../support/snapshots.js';

const SHAPES = join(FIXTURES, 'shapes');
const NO_WORKSPACE = { files: [], rules: [] };
const ALL = { maxLines: Infinity };

async function digestOf(file: string): Promise<SnapshotDigest> {
  return digestSnapshot(file, await readFile(join(FIXTURES, file)));
}

/** The report on one file, as data, text and Markdown. */
async function reported(file: string): Promise<{ run: RunReport; text: string; markdown: string }> {
  const { report } = buildReport([await digestOf(file)], NO_WORKSPACE);
  return { run: report.runs[0], text: renderText(report, ALL), markdown: renderMarkdown(report, ALL) };
}

describe('What an input does not say', () => {
  it('about stacks is not a claim that memory is older than the recording', async () => {
    const { run, text, markdown } = await reported('shapes/ctx_none.p4.pickle');
    const live = run.snapshots[0].devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
    assert.deepEqual([run.buckets, run.noStack], [{ library: 0, beforeRecording: live }, live]);
    for (const words of [text, markdown]) assert.match(words, /no stack recorded/);
    const snapshot = await readFile(join(SHAPES, 'ctx_none.p4.pickle'));
    const history = deviceHistory(snapshot, 0);
    const { buckets, liveBytes } = liveAt(snapshot, history, history.trace.count - 1, noWorkspace);
    assert.deepEqual([buckets.noStack.bytes, buckets.beforeRecording.bytes], [liveBytes, 0]);
  });

  it('about the stack of a recorded allocation does not make it older than the recording', async () => {
    const entry = (action: string, addr: number, frames: Picklable): Picklable => ({
      ...{ action, addr, size: 512, stream: 0, time_us: 7, frames },
    });
    const block = (address: number, frames: Picklable): Picklable => ({
      ...{ address, size: 512, requested_size: 500, state: 'active_allocated', frames },
    });
    const python = [{ name: 'f', filename: 'a.py', line: 3 }];
    const blocks = [block(512, python), block(1024, []), block(1536, [])];
    const snapshot = await readBytes(
      pickle({
        segments: [{ device: 0, address: 512, total_size: 1536, stream: 0, blocks }],
        // The first of an optimizer's state, then a gradient of autograd's own thread; the third was there before.
        device_traces: [[entry('alloc', 512, python), entry('alloc', 1024, [])]],
      }),
    );
    const { report } = buildReport([digestSnapshot('a.pickle', snapshot)], NO_WORKSPACE);
    const [run] = report.runs;
    assert.deepEqual([run.buckets, run.noStack], [{ library: 0, beforeRecording: 1024 }, 512]);
    const { buckets } = liveAt(snapshot, deviceHistory(snapshot, 0), 1, noWorkspace);
    assert.deepEqual([buckets.library.bytes, buckets.beforeRecording.bytes, buckets.noStack.bytes], [0, 512, 512]);
  });

  it('any more because its ring overflowed is not called older than the recording', async () => {
    const snapshot = await readFile(join(SHAPES, 'ring500.p4.pickle'));
    assert.ok(snapshot.warnings.some(({ code }) => code === 'ringOverflow'));
    const { buckets } = liveAt(snapshot, deviceHistory(snapshot, 0), -1, noWorkspace);
    // What the trace frees without having allocated it; every block that is still live has its stack.
    assert.ok(buckets.noStack.bytes > 0);
    assert.equal(buckets.beforeRecording.bytes, 0);
  });

  it('about times leaves the order of events, and no clock', async () => {
    const digest = await digestOf('shapes/t20.p4.pickle');
    assert.equal(digest.takenAtUs, null);
    assert.ok(digest.heads.every(({ firstUs }) => firstUs === null));
    const snapshot = await readFile(join(SHAPES, 't20.p4.pickle'));
    const history = deviceHistory(snapshot, 0);
    assert.deepEqual([history.time, history.startUs], [null, null]);
    const view = historyWindow(snapshot, history, { axis: 'time', window: null, pixels: 100 });
    assert.equal(view.axis, 'events');
    assert.equal(view.extent.to, history.trace.count - 1);
  });

  it('about reserved and requested bytes is nowhere', async () => {
    const inputs: readonly (readonly [file: string, reserved: boolean, requested: boolean])[] = [
      ['shapes/t213.p4.pickle', true, true],
      ['shapes/t112.p4.pickle', true, false],
      ['profiler/chrome_trace.json.gz', false, false],
      ['profiler/profile_to_snapshot.pickle.gz', false, false],
    ];
    for (const [file, reserved, requested] of inputs) {
      const { run, text, markdown } = await reported(file);
      for (const { reservedBytes, requestedBytes } of run.snapshots[0].devices) {
        assert.deepEqual([reservedBytes !== null, requestedBytes !== null], [reserved, requested], file);
      }
      for (const words of [text, markdown]) {
        assert.equal(/ reserved$/m.test(words), reserved, file);
        assert.equal(words.includes('of it requested'), requested, file);
      }
      const snapshot = await readFile(join(FIXTURES, file));
      const history = deviceHistory(snapshot, run.snapshots[0].devices[0].device);
      assert.equal(history.reserved !== null, reserved, file);
      assert.equal(liveAt(snapshot, history, -1, noWorkspace).reservedBytes !== null, reserved, file);
      const view = historyWindow(snapshot, history, { axis: 'events', window: null, pixels: 10 });
      assert.equal(view.reserved !== null, reserved, file);
    }
  });

  it('about a trace leaves a comparison without surviving blocks', async () => {
    const digest = await digestOf('shapes/t213_segments_list.pickle');
    const compare = buildCompare(digest, digest, NO_WORKSPACE);
    assert.ok([...compare.lines, ...Object.values(compare.buckets)].every(({ flow }) => flow === null));
    assert.match(renderCompareText(compare, ALL), /Surviving blocks are unknown: one snapshot has no trace\./);
  });

  it('about a trace leaves blocks without a birth, and a timeline without events', async () => {
    const snapshot: Snapshot = await readFile(join(SHAPES, 't213_segments_list.pickle'));
    assert.ok(snapshot.blocks.allocEvent.every((event) => event === NO_INDEX));
    const digest = digestSnapshot('list.pickle', snapshot);
    assert.deepEqual([digest.steps, digest.lifetimes, digest.heads], [null, [], []]);
    const history = deviceHistory(snapshot, 0);
    assert.deepEqual([history.trace.count, history.time], [0, null]);
    assert.equal(history.live[0], digest.devices[0].liveBytes);
  });
});
