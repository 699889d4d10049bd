import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';
import { newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { describeInFull } from '../support/sample.js';

/** A training in which `history` keeps a tensor per step. It needs no more of torch than the stand-in has. */
const TRAINING = `import torch

history = []


def train_step(optimizer):
    batch = torch.Tensor(1 << 16)
    aux = torch.Tensor(1 << 20)
    history.append(aux)
    optimizer.step()
    del batch


optimizer = torch.optim.Optimizer()
weight = torch.Tensor(1 << 22)
for step in range(120):
    train_step(optimizer)
`;
const LEAKING_LINE = 8;

describeInFull('From a program to the line that leaks', () => {
  before(function () {
    if (spawnSync('python3', ['--version']).status !== 0) {
      console.log('      (skipped: there is no python3)');
      this.skip();
    }
  });

  const ui = uiSession();

  it('runs the file under the recorder, and says who keeps the memory when it is done', async () => {
    const folder = newFolder('training');
    // Terminals of the window find the stand-in for torch: this machine need not have a PyTorch.
    const terminal = {
      'terminal.integrated.env.linux': { PYTHONPATH: join(repositoryRoot(), 'test/recorder/standin') },
    };
    writeFiles(folder, { 'train.py': TRAINING, '.vscode/settings.json': JSON.stringify(terminal) });
    const workbench = await ui.open({ folder });
    await workbench.openFile('train.py');
    await workbench.runCommand('Leakline: Run Python File with Recording');
    await workbench.editor.untilLens(LEAKING_LINE, /120 MiB leaked .* 120 blocks/);
    assert.match(await workbench.editor.lineText(LEAKING_LINE), /history/);
    await workbench.screenshot('run-with-recording');
  });
});
