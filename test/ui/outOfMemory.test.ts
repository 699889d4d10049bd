/** Out-of-memory messages of programs that were not recorded. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { repositoryRoot } from '../support/repository.js';
import { newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

const MESSAGE =
  'CUDA out of memory. Tried to allocate 2.10 GiB. GPU 0 has a total capacity of 16.00 GiB of which 512.00 MiB is ' +
  'free. Including non-PyTorch memory, this process has 15.20 GiB memory in use. Of the allocated memory 4.80 GiB is ' +
  'allocated by PyTorch, and 9.90 GiB is reserved by PyTorch but unallocated.';
const NET = `class OutOfMemoryError(RuntimeError):
    pass


def forward(batch):
    hidden = allocate(batch)
    return hidden


def allocate(batch):
    # As a library that is not part of the workspace would.
    scope = {"OutOfMemoryError": OutOfMemoryError, "MESSAGE": ${JSON.stringify(MESSAGE)}}
    exec(compile("def allocate():\\n    raise OutOfMemoryError(MESSAGE)", "/opt/site-packages/torch/nn.py", "exec"), scope)
    return scope["allocate"]()
`;
/** Prints much, then fails. */
const TRAIN = `import sys
from model.net import forward

for step in range(int(sys.argv[1])):
    print(f"step {step} loss {1 / (step + 1):.4f} memory 4.8 GiB")
with open("runs", "a") as runs:
    runs.write(f"{sys.argv[1:]} {any('leakline' in name for name in sys.modules)}\\n")
forward(1)
`;
/** The innermost line of the workspace. */
const ASKING_LINE = 14;
const LOG = `step 12
Traceback (most recent call last):
  File "/srv/job/train.py", line 6, in <module>
    forward(1)
  File "/srv/job/model/net.py", line 6, in forward
    hidden = allocate(batch)
  File "/opt/lib/python3.12/site-packages/torch/nn/modules/linear.py", line 99, in forward
    return F.linear(input, self.weight, self.bias)
torch.OutOfMemoryError: ${MESSAGE}
`;

describe('An out-of-memory message', () => {
  const ui = uiSession();

  let workbench: Workbench;

  ui.prepare(async () => {
    const folder = newFolder('message');
    const settings = {
      'python.defaultInterpreterPath': 'python3',
      // The recorder finds the stand-in for torch: this machine need not have a PyTorch.
      'terminal.integrated.env.linux': {
        PYTHONPATH: join(repositoryRoot(), 'test/recorder/standin'),
        LEAKLINE_DEVICE: 'cuda',
      },
      'leakline.outOfMemory.logs': ['out/*.log'],
    };
    writeFiles(folder, {
      'model/net.py': NET,
      'train.py': TRAIN,
      'job.log': LOG,
      'out/readme.txt': '',
      '.vscode/settings.json': JSON.stringify(settings),
    });
    workbench = await ui.open({ folder });
  });

  it('that is selected is explained, and leads to the line that requested memory, with a lens and a problem', async () => {
    const { page, editor } = workbench;
    await workbench.openFile('job.log');
    await page.keyboard.press('ControlOrMeta+A');
    await workbench.runCommand('Leakline: Explain Out-of-Memory Message');
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    const text = await dialog.innerText();
    assert.match(text, /Fragmentation: 9\.9 GiB is unused in PyTorch’s cache and 512 MiB free on the device/);
    assert.match(text, /model\/net\.py:6 \(forward\) requested 2\.1 GiB on device 0\./);
    await workbench.picture('oom-command');
    await dialog.getByRole('button', { name: 'Go to Line' }).click();
    await editor.untilActive('model/net.py');
    await editor.untilCursorAt(6);
    await editor.untilLens(6, /✖ requested 2\.1 GiB, 9\.9 GiB unused in the cache/);
    const problems = await workbench.showProblems();
    await problems.untilRow(/Fragmentation: 9\.9 GiB is unused/);
    await workbench.picture('oom-line');
    // The lens tells it again.
    await editor.clickLens(/✖ requested/);
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await workbench.runCommand('Leakline: Clear Results');
    await problems.untilNoRow(/Fragmentation/);
  });

  it('in a log of the settings marks the line, until the next job overwrites the log', async () => {
    const { editor } = workbench;
    await workbench.openFile('model/net.py');
    const log = join(workbench.folder ?? '', 'out/job.log');
    const isMarked = (): Promise<boolean> =>
      editor.untilLens(6, /✖ requested 2\.1 GiB, 9\.9 GiB unused in the cache/, 2_000).then(
        () => true,
        () => false,
      );
    // VS Code tells of no change until it watches the folder.
    for (let job = 0; job < 15; job++) {
      writeFileSync(log, 'step 0\n'.repeat(1000));
      // In pieces, as a program writes it.
      for (let at = 0; at < LOG.length; at += 200) appendFileSync(log, LOG.slice(at, at + 200));
      if (await isMarked()) break;
    }
    assert.ok(await isMarked());
    await workbench.picture('oom-log');
    writeFileSync(log, 'step 0\n');
    const problems = await workbench.showProblems();
    await problems.untilNoRow(/Fragmentation/);
  });

  it('in a terminal marks the line, after megabytes of output too', async function () {
    if (spawnSync('python3', ['--version']).status !== 0) {
      console.log('      skipped: there is no python3');
      this.skip();
    }
    const { page, editor } = workbench;
    await workbench.openFile('model/net.py');
    await workbench.runCommand('Terminal: Create New Terminal');
    const terminal = page.locator('.terminal-wrapper.active .xterm-screen');
    await terminal.waitFor();
    // A prompt that VS Code has decorated: shell integration works.
    await page.locator('.terminal-command-decoration').first().waitFor({ state: 'attached' });
    await page.keyboard.type('python3 train.py 60000\n');
    await editor.untilLens(ASKING_LINE, /✖ requested 2\.1 GiB, 9\.9 GiB unused in the cache/);
    await workbench.picture('oom-terminal');
    // The same command runs under the recorder.
    await editor.clickLens(/✖ requested/);
    await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Record Until It Happens Again' }).click();
    await eventually(() => {
      const runs = readFileSync(join(workbench.folder ?? '', 'runs'), 'utf8');
      assert.equal(runs, "['60000'] False\n['60000'] True\n");
    });
  });
});
