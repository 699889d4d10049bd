/** Pinned host memory, which PyTorch records from 2.14 on. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { PINNED_HOST } from '../../../src/core/model/units.js';
import { NO_BUDGET, overBudget } from '../../../src/core/report/budget.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { BLANK_RECORDING } from '../../support/blankRecording.js';
import { readable } from '../../support/columns.js';
import { pickle } from '../../support/plainPickle.js';
import { FIXTURES, readBytes, readFile } from '../../support/snapshots.js';

const FILE = join(FIXTURES, 'shapes/pinned_host.pickle');

describe('Pinned host memory', () => {
  it('is one more device, with totals, a curve and stacks', async () => {
    const snapshot = await readFile(FILE);
    // Four offloaded buffers of 512 KiB, and a batch that waits for its copy; the allocator keeps 128 bytes.
    const live = 4 * 524_288 + 262_144;
    assert.deepEqual(readable(snapshot).devices[PINNED_HOST], {
      live,
      reserved: live + 128,
      requested: live,
      events: 33,
    });
    const history = deviceHistory(snapshot, PINNED_HOST);
    assert.equal(history.liveAfter(history.trace.count - 1), live);
    assert.equal(history.liveAfter(history.peak), live + 128, 'blocks are powers of two, also below 512 bytes');
    assert.equal(history.reserved?.at(-1), live + 128);
    assert.equal(history.disagreement, 0);
    assert.deepEqual(snapshot.warnings, []);
  });

  it('is named in a report, behind the devices', async () => {
    const { report } = buildReport([digestSnapshot(FILE, await readFile(FILE))], { files: [], rules: [] });
    const [run] = report.runs;
    assert.deepEqual(
      run.peaks.map(({ device }) => device),
      [0, PINNED_HOST],
    );
    const text = renderText(report, { maxLines: Infinity });
    assert.match(text, /^ {2}Peak of pinned host memory: 2\.3 MiB\. [^]*2,359,424 .* peak$/m);
    assert.match(text, /^ {2}device 0: .*\n {2}pinned host memory: 2\.3 MiB live \(2,359,296 B\),/m);
    assert.doesNotMatch(text, /device -1/);
  });

  it('does not count towards the budget of a device', async () => {
    const { report } = buildReport([digestSnapshot(FILE, await readFile(FILE))], { files: [], rules: [] });
    assert.deepEqual(overBudget(report, { ...NO_BUDGET, peakBytes: 4096 }), []);
    assert.equal(overBudget(report, { ...NO_BUDGET, peakBytes: 4095 }).length, 1);
  });

  it('recorded alone needs no other device, and is nothing where it is not recorded', async () => {
    const block = { address: 4096, size: 64, requested_size: 64, state: 'active_allocated', frames: [] };
    const segment = { device: -1, address: 4096, total_size: 64, stream: 0, blocks: [block] };
    const alone = { segments: [], device_traces: [[], []], host_segments: [segment], host_traces: [] };
    const codes = async (snapshot: typeof alone): Promise<string[]> =>
      (await readBytes(pickle(snapshot))).warnings.map(({ code }) => code);
    assert.deepEqual(await codes(alone), ['noTrace']);
    assert.deepEqual(await codes({ ...alone, host_segments: [] }), []);
  });

  it('has lost no events where the recorder cleared the history', async () => {
    const frames = [{ name: 'f', filename: 'a.py', line: 1 }];
    const block = { address: 4096, size: 64, requested_size: 64, state: 'active_allocated', frames };
    const segment = { device: -1, address: 4096, total_size: 64, stream: 0, blocks: [block] };
    const trace = [{ action: 'alloc', addr: 8192, size: 64, stream: 0, time_us: 9, frames }];
    const snapshot = await readBytes(
      pickle({ segments: [], device_traces: [[]], host_segments: [segment], host_traces: trace }),
    );
    const codes = (behindUs: (number | null)[]): string[] =>
      digestSnapshot('a', snapshot, { ...BLANK_RECORDING, behindUs }).warnings.map(({ code }) => code);
    assert.ok(codes([null]).includes('ringOverflow'));
    assert.ok(!codes([5]).includes('ringOverflow'));
  });
});
