import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

const TRAINING = `import time
import torch

model = torch.nn.Linear(256, 256)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
history = []
print('ready', flush=True)
while True:
    loss = model(torch.ones(64, 256)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    kept = torch.ones(1 << 18)
    history.append(kept)
    time.sleep(0.05)
`;
const ALLOCATING_LINE = 13;
const python = process.env['LEAKLINE_TORCH_PYTHON'] ?? '';

describe('A training process that runs already', () => {
  before(function () {
    const reason =
      python === '' || spawnSync(python, ['-c', 'import torch']).status !== 0
        ? 'LEAKLINE_TORCH_PYTHON names no Python with PyTorch'
        : null;
    if (reason === null) return;
    console.log(`      (skipped: ${reason})`);
    this.skip();
  });

  const ui = uiSession();
  let workspace: string;
  let training: ChildProcess | undefined;
  let workbench: Workbench;

  ui.prepare(async () => {
    workspace = newFolder('running');
    writeFiles(workspace, {
      'train.py': TRAINING,
      '.vscode/settings.json': JSON.stringify({ 'python.defaultInterpreterPath': python }),
    });
    const started = (training = spawn(python, ['train.py'], {
      cwd: workspace,
      stdio: ['ignore', 'pipe', 'inherit'],
    }));
    await new Promise((resolve) => started.stdout.once('data', resolve));
    workbench = await ui.open({ folder: workspace });
  });
  after(() => training?.kill('SIGKILL'));

  it('is recorded from now on, and each dump changes the lens', async () => {
    await workbench.openFile('train.py');
    await workbench.runCommand('Leakline: Attach to Running Python…');
    await workbench.quickInput.accept('train.py');
    await workbench.notifications.toast(/Process \d+ is recorded\./).waitFor();
    await workbench.runCommand('Leakline: Focus on Snapshots View');
    const dump = workbench.page.getByRole('button', { name: 'Dump Now' });
    await dump.waitFor();
    await workbench.editor.untilLens(ALLOCATING_LINE, /Leaks 1\.0 MiB\/step/);
    const text = async (): Promise<string> => {
      return (await workbench.editor.lenses()).find(({ line }) => line === ALLOCATING_LINE)?.text ?? '';
    };
    const before = await text();
    const known = new Set(snapshots());
    await dump.click();
    const written = await eventually(() => {
      const path = snapshots().find((one) => !known.has(one));
      assert.ok(path !== undefined, 'no new snapshot');
      return path;
    });
    await eventually(
      async () => {
        const now = await text();
        assert.ok(now.includes('so far') && now !== before, `${now} is not new`);
      },
      { everyMs: 20 },
    );
    // A snapshot gets its name, and with it a new ctime, once its holders are written.
    const followed = Date.now() - statSync(written).ctimeMs;
    console.log(`      (the lens followed the dump after ${Math.round(followed)} ms)`);
    await workbench.picture('attached');
  });

  it('shows who holds its memory now', async () => {
    await workbench.runCommand('Leakline: Who Holds GPU Memory Now…');
    await workbench.quickInput.accept('train.py');
    await eventually(async () =>
      assert.match((await workbench.quickInput.rows())[0], /^history ?[\d.]+ MiB train\.py:14$/),
    );
    await workbench.picture('holders-now');
    await workbench.quickInput.accept('history');
    await workbench.editor.untilCursorAt(14);
  });

  it('offers no dump once it has ended', async () => {
    const dump = workbench.page.getByRole('button', { name: 'Dump Now' });
    await workbench.runCommand('Leakline: Focus on Snapshots View');
    await dump.waitFor();
    training?.kill('SIGKILL');
    await dump.waitFor({ state: 'detached' });
  });

  function snapshots(): string[] {
    const folder = join(workspace, 'leakline-recordings');
    return (readdirSync(folder, { recursive: true }) as string[])
      .filter((path) => path.endsWith('.pickle'))
      .map((path) => join(folder, path));
  }
});
