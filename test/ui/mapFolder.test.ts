import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, eventuallyWithBackoff } from '../support/eventually.js';
import { newFolder } from '../support/workspaces.js';
import { writeRoots } from '../host/roots/workspace.js';
import { uiSession } from './support/fixture.js';

describe('A recorded file that two folders of the workspace have', () => {
  const ui = uiSession();

  it('is requested once, and the answer is stored in the settings of the workspace', async () => {
    const parent = newFolder('several');
    const { folders } = writeRoots(parent);
    const workspace = join(parent, 'several.code-workspace');
    writeFileSync(workspace, JSON.stringify({ folders: folders.map((path) => ({ path })) }));
    const workbench = await ui.open({ workspace });
    const { page, quickInput, sideBar } = workbench;
    // Occasionally, VS Code opens the workspace without its folders.
    await eventuallyWithBackoff(async (timeout) => {
      const isThere = sideBar.explorer.row('detector').waitFor({ timeout });
      await isThere.catch(async (error: unknown) => {
        await page.reload();
        throw error;
      });
    });
    await workbench.runCommand('Leakline: Show Leaks');
    // The picker offers what is not matched when it opens: all snapshots are read by then.
    for (const row of [/net\.py:3/, /memory\.py:3/, /loop\.py:5/, /1 recorded file is not matched/])
      await sideBar.tree('Leaks').untilRow(row);
    await workbench.runCommand('Leakline: Map Recorded Folder…');
    await eventually(async () => {
      assert.deepEqual(await quickInput.labels(), ['D:\\jobs\\41\\train.py']);
    });
    await workbench.picture('map-folder');
    await quickInput.accept('D:\\jobs\\41\\train.py');
    await eventually(async () => {
      assert.deepEqual(await quickInput.labels(), ['detector/train.py', 'tracker/train.py']);
    });
    await quickInput.accept('tracker/train.py');
    await sideBar.tree('Leaks').untilRow(/^[\d.]+ KiB\/step ?train\.py:5/);
    await eventually(async () => {
      const rows = await sideBar.tree('Leaks').rows();
      assert.ok(!rows.some(({ text }) => text.includes('not matched')), JSON.stringify(rows));
      assert.match(readFileSync(workspace, 'utf8'), /"leakline\.paths\.map"[^}]*"D:\\\\jobs\\\\41": "tracker"/);
    });
  });
});
