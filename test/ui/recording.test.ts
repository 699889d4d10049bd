import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, eventuallyWithBackoff } from '../support/eventually.js';
import { repositoryRoot } from '../support/repository.js';
import { newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

/** A training run in which `history` keeps a tensor per step. It needs no more of torch than the stand-in has. */
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
/** A program that runs until a file is there. */
const SERVICE = `import os
import time
import torch

optimizer = torch.optim.Optimizer()
weight = torch.Tensor(1 << 22)
while not os.path.exists('end'):
    batch = torch.Tensor(1 << 16)
    optimizer.step()
    time.sleep(0.02)
# The last step has no snapshot yet, so there is one at exit.
optimizer.step()
`;
/** The only place of the program's start options. */
const TASKS = { version: '2.0.0', tasks: [{ type: 'leakline', program: 'train.py', args: ['120'] }] };

describe('From a program to the line that leaks', () => {
  before(function () {
    if (spawnSync('python3', ['--version']).status !== 0) {
      console.log('      (skipped: there is no python3)');
      this.skip();
    }
  });

  const ui = uiSession();
  let interpreter: string;
  let workspace: string;
  let workbench: Workbench;

  ui.prepare(async () => {
    const folder = (workspace = newFolder('training'));
    interpreter = join(newFolder('bare'), 'python');
    // VS Code notices changed settings later: these stay as they are, and the interpreter changes.
    const settings = {
      'python.defaultInterpreterPath': interpreter,
      // Terminals of the window find the stand-in for torch: this machine need not have a PyTorch.
      'terminal.integrated.env.linux': {
        PYTHONPATH: join(repositoryRoot(), 'test/recorder/standin'),
        LEAKLINE_DEVICE: 'cuda',
      },
    };
    writeFiles(folder, {
      'train.py': TRAINING,
      'serve.py': SERVICE,
      '.vscode/settings.json': JSON.stringify(settings),
      '.vscode/tasks.json': JSON.stringify(TASKS),
    });
    // Without any package.
    runsPython('-I -S');
    workbench = await ui.open({ folder });
  });

  it('the empty view leads to the walkthrough', async () => {
    await workbench.runCommand('Leakline: Show Leaks');
    const view = workbench.page.locator('.part.sidebar');
    await view.getByText('No GPU memory snapshot in this workspace.').first().waitFor();
    await workbench.picture('first-empty');
    await view.getByText('How it works').click();
    await workbench.page.locator('.getting-started-step').first().waitFor();
    await workbench.picture('first-walkthrough');
  });

  it('an interpreter without torch is named, with the remedy, and runs nothing', async () => {
    await workbench.openFile('train.py');
    await workbench.runCommand('Leakline: Run Python File with Recording');
    const toast = workbench.notifications.toast(/bare\/python has no PyTorch: select the interpreter of the training/);
    await toast.waitFor();
    await toast.hover();
    await workbench.picture('no-torch');
    assert.equal(await workbench.page.locator('.terminal-wrapper').count(), 0);
    await workbench.notifications.press(/has no PyTorch/, 'Select Interpreter');
    await toast.waitFor({ state: 'hidden' });
  });

  it('the file runs under the recorder with the arguments of its task, and the line leads to its holder', async () => {
    runsPython();
    await workbench.openFile('train.py');
    await workbench.runCommand('Leakline: Run Python File with Recording');
    await workbench.editor.untilLens(LEAKING_LINE, /▲ Leaks .*\(120 MiB so far\)/);
    assert.match(await workbench.editor.lineText(LEAKING_LINE), /→ held at line 10/);
    await workbench.picture('run-with-recording');
  });

  it('a program that runs writes a snapshot when asked, and the view shows it', async () => {
    await workbench.openFile('serve.py');
    await workbench.runCommand('Leakline: Run Python File with Recording');
    await eventually(() => assert.match(recorded().join('\n'), /step000010/));
    try {
      const snapshots = workbench.sideBar.tree('Snapshots');
      await workbench.runCommand('Leakline: Focus on Snapshots View');
      await snapshots.untilRow(/leakline-recordings/);
      await workbench.picture('dump-now');
      // A toolbar that VS Code draws again between press and release takes no click.
      await eventuallyWithBackoff(async (withinMs) => {
        await workbench.page.getByRole('button', { name: 'Dump Now' }).click();
        await eventually(
          () => {
            assert.notEqual(signalled().length, 0);
          },
          { timeoutMs: withinMs },
        );
      });
      const { length: before } = signalled();
      await workbench.runCommand('Leakline: Dump Now');
      await eventually(() => {
        assert.ok(signalled().length > before, 'a second snapshot');
      });
    } finally {
      writeFileSync(join(workspace, 'end'), '');
    }
    await eventually(() => assert.match(recorded().join('\n'), /_exit\.pickle$/m));
  });

  function signalled(): string[] {
    return recorded().filter((path) => path.endsWith('_signal.pickle'));
  }

  function recorded(): string[] {
    const folder = join(workspace, 'leakline-recordings');
    return existsSync(folder) ? (readdirSync(folder, { recursive: true }) as string[]) : [];
  }

  /** Makes the interpreter the machine's Python with these options. */
  function runsPython(options = ''): void {
    writeFileSync(interpreter, `#!/bin/sh\nexec python3 ${options} "$@"\n`, { mode: 0o755 });
  }
});
