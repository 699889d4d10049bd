/** Recordings of a real GPU, whose history the recorder cleared at each snapshot. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { digestsOf, judgeProgram, type RecordedProgram, recordedPrograms, PLANTED } from '../../../bench/planted.js';
import { buildCompare } from '../../../src/core/report/compare/buildCompare.js';
import type { RunReport } from '../../../src/core/report/report.js';
import { FIXTURES } from '../../support/snapshots.js';

const RECORDINGS = join(FIXTURES, 'gpu/recordings');
/** Bytes of cuBLAS's workspace on Hopper: the main thread has one, and autograd's thread. */
const WORKSPACE = 32 * 2 ** 20;

function recordingOf(name: string): RecordedProgram {
  const recorded = recordedPrograms(PLANTED, RECORDINGS).find(({ program }) => program.name === name);
  assert.ok(recorded !== undefined);
  return recorded;
}

async function reportOf(name: string): Promise<RunReport> {
  const last = (await judgeProgram(recordingOf(name), ['recorder and source'])).at(-1);
  assert.ok(last !== undefined);
  return last.runs[0];
}

const bytesOf = ({ categories }: RunReport, name: string): number =>
  categories.find(({ category }) => category === name)?.liveBytes ?? 0;

describe('A recording of a GPU', () => {
  it('has the workspaces of cuBLAS as such, with a stack of Python and without any', async () => {
    for (const name of ['prediction_list', 'adam_state', 'ema_copy']) {
      const report = await reportOf(name);
      assert.equal(bytesOf(report, 'workspace'), 2 * WORKSPACE, name);
      assert.equal(report.peak?.older.workspaceBytes, WORKSPACE, name);
    }
  });

  it('has no memory that is older than it, and no warning that it began late', async () => {
    for (const name of readdirSync(RECORDINGS)) {
      const { buckets, noStack, peak, snapshots } = await reportOf(name);
      assert.equal(noStack, buckets.beforeRecording, name);
      assert.equal(peak?.noStack, peak?.buckets.beforeRecording, name);
      assert.deepEqual(
        snapshots.flatMap(({ warnings }) => warnings.map(({ code }) => code)).filter((code) => code === 'startedLate'),
        [],
        name,
      );
    }
  });

  it('has none either where two of its snapshots are compared, with the run or alone', async () => {
    const { withRecorder } = await digestsOf(recordingOf('adam_state'));
    const [, a, b] = withRecorder;
    for (const known of [withRecorder, [a, b]]) {
      const { buckets, noStack } = buildCompare(a, b, { files: [], rules: [] }, known);
      assert.deepEqual(noStack, buckets.beforeRecording);
      assert.ok(noStack.bytesB > WORKSPACE);
    }
  });
});
