import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { copyExample, newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';

/** A training run of half a minute, on processors that have other work. */
const RECORDING_LIMIT_MS = 900_000;
const python = process.env['LEAKLINE_TORCH_PYTHON'] ?? '';

/** An interpreter without any package. */
function bareInterpreter(): string {
  const path = join(newFolder('bare'), 'python');
  writeFileSync(path, '#!/bin/sh\nexec python3 -I -S "$@"\n', { mode: 0o755 });
  return path;
}

describe('From a leak to the proof that it is gone', () => {
  const ui = uiSession();

  it('takes as many clicks without PyTorch, by the recording that comes with the example', async function () {
    if (spawnSync('python3', ['--version']).status !== 0) {
      console.log('      (skipped: there is no python3)');
      this.skip();
    }
    const folder = copyExample();
    writeFiles(folder, {
      '.vscode/settings.json': JSON.stringify({ 'python.defaultInterpreterPath': bareInterpreter() }),
    });
    const workbench = await ui.open({ folder });
    const { editor, notifications, sideBar } = workbench;
    await workbench.runCommand('Leakline: Show Leaks');
    await sideBar.tree('Leaks').click(/35\.8 MiB\/step/);
    await editor.untilLens(18, /◆ Leaks 35\.8 MiB\/step \(1\.3 GiB so far\)/);
    await editor.clickLens('Fix…');
    await workbench.page.locator('.monaco-diff-editor', { hasText: 'level.detach().cpu()' }).waitFor();
    await editor.pressAction('Apply Fix and Record Again');
    // Nothing is edited before it is known that the proof can be had.
    await notifications.toast(/bare\/python has no PyTorch/).waitFor();
    assert.match(readFileSync(join(folder, 'detector/pyramid.py'), 'utf8'), /append\(level\)/);
    await workbench.picture('proof-without-torch');
    await notifications.press(/has no PyTorch/, 'Use the Recording That Comes with It');
    await notifications
      .toast(/The leak is gone: 35\.8 MiB per step before, 0 now\. So says the recording that comes with the program/)
      .waitFor();
    await workbench.picture('proof-without-torch-answer');
    await workbench.runCommand('File: Save All Files');
    await eventually(() =>
      assert.match(readFileSync(join(folder, 'detector/pyramid.py'), 'utf8'), /append\(level\.detach\(\)\.cpu\(\)\)/),
    );
  });

  it('takes one click to the cause, one to the fix and one to the proof, in the example', async function () {
    if (python === '' || spawnSync(python, ['-c', 'import torch']).status !== 0) {
      console.log('      (skipped: LEAKLINE_TORCH_PYTHON names no Python with PyTorch)');
      this.skip();
    }
    this.timeout(RECORDING_LIMIT_MS);
    const folder = copyExample();
    const settings = { 'python.defaultInterpreterPath': python };
    const task = {
      type: 'leakline',
      program: 'train.py',
      args: ['--steps', '40'],
      options: ['--light', '0', '--holders-seconds', '60'],
    };
    writeFiles(folder, {
      '.vscode/settings.json': JSON.stringify(settings),
      '.vscode/tasks.json': JSON.stringify({ version: '2.0.0', tasks: [task] }),
    });
    const workbench = await ui.open({ folder });
    await workbench.runCommand('Leakline: Show Leaks');
    const leaks = workbench.sideBar.tree('Leaks');
    await leaks.untilRow(/35\.8 MiB\/step ?pyramid\.py:18/);
    await workbench.picture('proof-1-leak');
    // Leak to cause.
    await leaks.click(/35\.8 MiB\/step/);
    await workbench.editor.untilCursorAt(18);
    await workbench.editor.untilLens(18, /◆ Leaks 35\.8 MiB\/step \(1\.3 GiB so far\)/);
    await workbench.picture('proof-2-cause');
    // Cause to fix.
    await workbench.editor.clickLens('Fix…');
    await workbench.page.locator('.monaco-diff-editor', { hasText: 'level.detach().cpu()' }).waitFor();
    await workbench.picture('proof-3-fix');
    // Fix to proof.
    await workbench.editor.pressAction('Apply Fix and Record Again');
    const answer = workbench.notifications.toast(/The leak is gone: 3\d\.\d MiB per step before, 0 now\./);
    await answer.waitFor({ timeout: RECORDING_LIMIT_MS });
    assert.match(readFileSync(join(folder, 'detector/pyramid.py'), 'utf8'), /append\(level\.detach\(\)\.cpu\(\)\)/);
    await workbench.sideBar.tree('Compare').untilRow(/pyramid\.py:16/);
    assert.equal(await workbench.sideBar.badge(), null, 'what is fixed is counted no more');
    await workbench.picture('proof-4-answer');
    // The new run speaks for the lines of the old one.
    await workbench.runCommand('Leakline: Clear Comparison');
    await workbench.openFile('detector/pyramid.py', 16);
    await workbench.settle();
    await eventually(async () => {
      const texts = (await workbench.editor.lenses()).map(({ text }) => text);
      assert.ok(!texts.some((text) => /before your edit|▲/.test(text)), texts.join('; '));
    });
    await workbench.picture('proof-5-cleared');
  });
});
