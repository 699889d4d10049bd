import assert from 'node:assert/strict';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { LineReport } from '../../../src/core/report/report.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { readBytes } from '../../support/snapshots.js';
import { TrainingRun, type Frame } from '../../support/trainingRun.js';

const LIBRARY: Frame = {
  filename: '/usr/lib/python3/dist-packages/torch/nn/modules/conv.py',
  line: 3,
  name: 'forward',
};
const MODEL: Frame = { filename: '/job/parts/model.py', line: 5, name: 'forward' };
const TRAIN: Frame = { filename: '/job/train.py', line: 9, name: 'main' };

/** Forty steps that keep a block each; frames innermost first. */
async function keeping(frames: readonly Frame[]): Promise<SnapshotDigest[]> {
  const run = new TrainingRun();
  const digests: SnapshotDigest[] = [];
  for (let step = 1; step <= 40; step++) {
    run.free(run.allocate(2_000_000, []));
    run.allocate(1_000_000, frames);
    if (step % 10 === 0) digests.push(digestSnapshot(`step_${step}.pickle`, await readBytes(run.dump()), null));
  }
  return digests;
}

async function ownerOf(frames: readonly Frame[], files: readonly string[]): Promise<LineReport> {
  const { report } = buildReport(await keeping(frames), { files, rules: [] });
  const owner = report.runs[0].lines.find(({ verdict }) => verdict === 'growing');
  assert.ok(owner !== undefined);
  return owner;
}

describe('A line that calls a file which the workspace does not have', () => {
  it('does not own the allocations of that file', async () => {
    const owner = await ownerOf([LIBRARY, MODEL, TRAIN], ['train.py', 'parts/renamed.py']);
    assert.deepEqual([owner.file, owner.line], ['train.py', 9]);
    assert.deepEqual(owner.unfound, { file: MODEL.filename, line: 5, function: 'forward' });
    assert.match(
      owner.evidence?.reason ?? '',
      /^Allocated in \/job\/parts\/model\.py, line 5 \(forward\), a file that was not found in this workspace: this line only calls it\. /,
    );
  });

  it('is also in the text of the command line', async () => {
    const { report } = buildReport(await keeping([MODEL, TRAIN]), { files: ['train.py'], rules: [] });
    assert.match(renderText(report, { maxLines: 10 }), /Evidence: .*Allocated in \/job\/parts\/model\.py, line 5/);
  });

  it('is the owner where that file is there, a library, typed into a notebook, or further out', async () => {
    const files = ['train.py', 'parts/model.py'];
    assert.equal((await ownerOf([LIBRARY, MODEL, TRAIN], files)).unfound, null);
    assert.equal((await ownerOf([LIBRARY, TRAIN], files)).unfound, null);
    assert.equal((await ownerOf([{ ...MODEL, filename: '<ipython-input-3-1>' }, TRAIN], files)).unfound, null);
    assert.equal((await ownerOf([TRAIN, { ...MODEL, filename: '/job/launch.py' }], files)).unfound, null);
  });

  it('is not the owner where nothing of the stack is in the workspace', async () => {
    const owner = await ownerOf([MODEL, TRAIN], ['other.py']);
    assert.deepEqual([owner.file, owner.mapped, owner.unfound], [MODEL.filename, false, null]);
  });
});
