import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';
import { newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

/** A training in which `history` keeps a tensor per step. It needs no more of torch than the stand-in has. */
const TRAINING = `import sys
import torch

history = []


def train_step(optimizer):
    batch = torch.Tensor(1 << 16)
    aux = torch.Tensor(1 << 20)
    history.append(aux)
    optimizer.step()
    del batch


optimizer = torch.optim.Optimizer()
weight = torch.Tensor(1 << 22)
for step in range(int(sys.argv[1])):
    train_step(optimizer)
`;
const LEAKING_LINE = 9;
/** What the program is started with stands here alone. */
const TASKS = { version: '2.0.0', tasks: [{ type: 'leakline', program: 'train.py', args: ['120'] }] };

describe('From a program to the line that leaks', () => {
  before(function () {
    if (spawnSync('python3', ['--version']).status !== 0) {
      console.log('      (skipped: there is no python3)');
      this.skip();
    }
  });

  const ui = uiSession();
  let folder: string;
  let workbench: Workbench;

  ui.prepare(async () => {
    folder = newFolder('training');
    writeFiles(folder, {
      'train.py': TRAINING,
      '.vscode/tasks.json': JSON.stringify(TASKS),
      ...settings({ 'python.defaultInterpreterPath': withoutTorch() }),
    });
    workbench = await ui.open({ folder });
    await workbench.openFile('train.py');
  });

  it('an interpreter without torch is named, with the remedy, and runs nothing', async () => {
    await workbench.runCommand('Leakline: Run Python File with Recording');
    const told = workbench.notifications.toast(/bare\/python has no PyTorch: select the interpreter of the training/);
    await told.waitFor();
    await told.hover();
    await workbench.screenshot('no-torch');
    assert.equal(await workbench.page.locator('.terminal-wrapper').count(), 0);
    await workbench.notifications.press(/has no PyTorch/, 'Select Interpreter');
    await told.waitFor({ state: 'hidden' });
  });

  it('the file runs under the recorder with the arguments of its task, and the line says what holds the memory', async () => {
    // Terminals of the window find the stand-in for torch: this machine need not have a PyTorch.
    const terminal = { PYTHONPATH: join(repositoryRoot(), 'test/recorder/standin') };
    writeFiles(folder, settings({ 'terminal.integrated.env.linux': terminal }));
    await workbench.openFile('train.py');
    await workbench.runCommand('Leakline: Run Python File with Recording');
    await workbench.editor.untilLens(LEAKING_LINE, /▲ Leaks .*\(120 MiB so far\)/);
    assert.match(await workbench.editor.lineText(LEAKING_LINE), /history/);
    await workbench.screenshot('run-with-recording');
  });
});

function settings(values: object): Record<string, string> {
  return { '.vscode/settings.json': JSON.stringify(values) };
}

/** The machine's Python without any package. */
function withoutTorch(): string {
  const path = join(newFolder('bare'), 'python');
  writeFileSync(path, '#!/bin/sh\nexec python3 -I -S "$@"\n');
  chmodSync(path, 0o755);
  return path;
}
