import assert from 'node:assert/strict';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { readBytes } from '../../support/snapshots.js';
import { TrainingRun, type Frame } from '../../support/trainingRun.js';

const TRAIN: Frame = { filename: '/job/train.py', line: 9, name: 'main' };

describe('A line whose recursion has another stack in each round', () => {
  const COPY: Frame = { filename: '/job/train.py', line: 30, name: 'copy' };
  /** The verdict on the line if every third of some rounds copies one more object than the last, and the rest none. */
  const verdictAfter = async (rounds: number): Promise<string | undefined> => {
    const run = new TrainingRun();
    const digests: SnapshotDigest[] = [];
    for (let round = 1; round <= rounds; round++) {
      run.free(run.allocate(2_000_000, []));
      if (round % 3 === 0 && round <= 18) run.allocate(1_000_000, [...new Array<Frame>(round / 3).fill(COPY), TRAIN]);
      digests.push(digestSnapshot(`step_${round}.pickle`, await readBytes(run.dump()), null));
    }
    const [{ lines }] = buildReport(digests, { files: ['train.py'], rules: [] }).report.runs;
    return lines.find(({ line }) => line === 30)?.verdict;
  };

  it('grows if its stacks together do, though each of them grew once', async () => {
    assert.equal(await verdictAfter(20), 'growing');
    assert.notEqual(await verdictAfter(22), 'growing');
  });
});
