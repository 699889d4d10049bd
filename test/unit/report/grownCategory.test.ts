import assert from 'node:assert/strict';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { readBytes } from '../../support/snapshots.js';
import { TrainingRun, type Frame } from '../../support/trainingRun.js';

const torch = (file: string, name: string): Frame => ({
  filename: `/usr/lib/python3/dist-packages/torch/${file}`,
  line: 3,
  name,
});
const FIT: Frame = { filename: '/job/train.py', line: 9, name: 'main' };

describe('A line that calls a library for the whole training run', () => {
  it('is judged by the category of what grows, not by that of the optimizer state that it allocates, too', async () => {
    const run = new TrainingRun();
    const digests: SnapshotDigest[] = [];
    const weights: Frame[] = [torch('nn/modules/linear.py', '__init__'), { ...FIT, line: 2 }];
    for (let layer = 0; layer < 4; layer++) run.allocate(1_000_000, weights);
    for (let step = 1; step <= 40; step++) {
      run.free(run.allocate(2_000_000, [torch('nn/modules/linear.py', 'forward'), FIT]));
      if (step === 1)
        for (let layer = 0; layer < 8; layer++) run.allocate(1_000_000, [torch('optim/adam.py', '_init_group'), FIT]);
      run.step('Adam');
      run.allocate(40_000, [torch('utils/data/_utils/pin_memory.py', 'pin_memory'), FIT]);
      if (step % 5 === 0) digests.push(digestSnapshot(`step_${step}.pickle`, await readBytes(run.dump()), null));
    }
    const { lines } = buildReport(digests, { files: ['train.py'], rules: [] }).report.runs[0];
    const line = lines.find((one) => one.line === FIT.line);
    assert.equal(line?.category, 'optimizerState');
    assert.equal(line.verdict, 'growing');
    assert.doesNotMatch(line.evidence?.reason ?? '', /optimizer/);
  });
});
