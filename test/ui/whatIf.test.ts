/** What would have avoided an out of memory, and its setting in a configuration. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { pickle, type Picklable } from '../support/plainPickle.js';
import { newFolder, writeFiles } from '../support/workspaces.js';
import { PlainAllocator } from '../unit/allocator/plainAllocator.js';
import { uiSession } from './support/fixture.js';

const MIB = 1024 * 1024;
const TRAIN = `import torch


def step(model, batch):
    hidden = model(batch)
    return hidden.sum()
`;
const ASKING_LINE = 5;
const LAUNCH = `{
  // The night run.
  "configurations": [
    { "type": "node", "name": "Server" },
    { "type": "debugpy", "name": "Train", "program": "train.py" }
  ]
}
`;

/** Two segments with a hole in each, then a request that fits neither: one expandable segment would have no holes. */
function outOfMemory(): Picklable {
  const allocator = new PlainAllocator({ expandable: false, maxSplit: Infinity, divisions: 0, capacity: 112 * MIB }, 1);
  const halves = [allocator.malloc(40 * MIB, 0), allocator.malloc(40 * MIB, 0)];
  for (const address of halves) allocator.free(address ?? 0);
  for (const size of [12, 30, 50]) allocator.malloc(size * MIB, 0);
  const frames = [{ filename: '/srv/holes/train.py', line: ASKING_LINE, name: 'step' }];
  for (const entry of allocator.trace) entry['frames'] = frames;
  return allocator.snapshot(allocator.trace.length);
}

describe('What would have avoided an out of memory', () => {
  const ui = uiSession();

  it('is shown from the line that requested the memory, and a setting gets into a debug configuration', async () => {
    const folder = newFolder('holes');
    writeFiles(folder, { 'train.py': TRAIN, '.vscode/launch.json': LAUNCH });
    mkdirSync(join(folder, 'snapshots'));
    writeFileSync(join(folder, 'snapshots/step_1.pickle'), pickle(outOfMemory()));
    const workbench = await ui.open({ folder });
    const { page, editor, quickInput } = workbench;
    await workbench.openFile('train.py', ASKING_LINE);
    await editor.untilLens(ASKING_LINE, /✖ requested 50\.0 MiB/);
    await editor.openFixes('Show What Would Help');
    await editor.takeFix('Show What Would Help');
    const timeline = await workbench.webview('.what-if');
    const expandable = timeline.frame.getByRole('button', { name: 'expandable_segments:True', exact: true });
    await expandable.click();
    await workbench.picture('what-if-line');
    await timeline.frame.getByRole('button', { name: 'Apply Setting…' }).click();
    await eventually(async () => assert.deepEqual(await quickInput.labels(), ['.env', 'launch.json: Train']));
    await workbench.picture('what-if-targets');
    await quickInput.accept('launch.json: Train');
    await page.locator('.diff-editor, .monaco-diff-editor').first().waitFor();
    await workbench.picture('what-if-unsaved');
    assert.equal(readFileSync(join(folder, '.vscode/launch.json'), 'utf8'), LAUNCH);
    await workbench.runCommand('File: Save All Files');
    await eventually(() => {
      const text = readFileSync(join(folder, '.vscode/launch.json'), 'utf8');
      assert.match(text, /\/\/ The night run\./);
      assert.match(
        text,
        /"name": "Train",\s+"program": "train\.py",\s+"env": \{\s+"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"/,
      );
    });
  });
});
