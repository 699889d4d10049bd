import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { TrainingRun, type Frame } from '../support/trainingRun.js';
import { newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';

/** Where the training machine had the repository: nowhere near where it is here. */
const recordedRoot = '/mnt/jobs/7781/code/vae';

const files = {
  'train.py': `from models.memory import Memory


def train(steps):
    memory = Memory()
    for step in range(steps):
        batch = load(step)
        loss = model(batch)
        memory.keep(loss)


train(40)
`,
  'models/__init__.py': '',
  'models/memory.py': `class Memory:
    def __init__(self):
        self.kept = []

    def keep(self, loss):
        # These are never read.
        self.kept.append(loss.clone())
`,
};
const guilty = { file: 'models/memory.py', line: 7 };

const frame = (path: string, line: number, name: string): Frame => ({
  filename: `${recordedRoot}/${path}`,
  line,
  name,
});
const library: Frame = {
  filename: '/opt/conda/lib/python3.11/site-packages/torch/nn/modules/linear.py',
  line: 125,
  name: 'forward',
};

/** Trains for 40 steps with sizes that cannot be known beforehand; a snapshot after every tenth. */
function record(folder: string): TrainingRun {
  const run = new TrainingRun();
  run.allocate(randomInt(5e6, 9e6), []);
  for (let step = 1; step <= 40; step++) {
    const batch = run.allocate(randomInt(1e6, 2e6), [frame('train.py', 7, 'train')]);
    const activation = run.allocate(randomInt(1e6, 2e6), [library, frame('train.py', 8, 'train')]);
    run.allocate(randomInt(1e5, 4e6), [
      frame(guilty.file, guilty.line, 'keep'),
      frame('train.py', 9, 'train'),
      frame('train.py', 12, '<module>'),
    ]);
    run.free(batch);
    run.free(activation);
    if (step % 10 === 0) writeFileSync(join(folder, `dumps/at_${step}.pickle`), run.dump());
  }
  return run;
}

describe('The packed extension in a VS Code of its own', () => {
  const ui = uiSession({ form: 'packed' });

  it('shows the right bytes above the right line of a repository it has never seen', async () => {
    const folder = newFolder('vae');
    writeFiles(folder, { ...files, 'dumps/.gitkeep': '' });
    const run = record(folder);
    const leaked = run.liveBytes(`${recordedRoot}/${guilty.file}`, guilty.line);

    const workbench = await ui.open({ folder });
    await workbench.openFile(guilty.file);
    await workbench.editor.untilLeaked(guilty.line, leaked);
    // Lenses vanish for a moment while VS Code draws them again.
    await eventually(async () => {
      const accusing = (await workbench.editor.lenses()).filter(({ text }) => /^[▲↻].*\d [KMGT]?i?B/.test(text));
      assert.deepEqual([...new Set(accusing.map(({ line }) => line))], [guilty.line]);
    });
    await workbench.picture('packed');

    await workbench.openFile('train.py');
    await eventually(async () => {
      assert.deepEqual(await workbench.editor.lenses(), []);
    });
  });
});
