import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.js';
import { writeLargeWorkspace } from '../support/largeWorkspace.js';
import { newFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';

describe('A window on many runs', () => {
  const ui = uiSession();

  it('never reports an empty workspace, lists runs folded, newest first, and unfolds one', async () => {
    const folder = newFolder('many');
    const { runs } = writeLargeWorkspace(folder, { snapshotsPerRun: 10 });
    const workbench = await ui.open({ folder });
    const { page, sideBar } = workbench;
    await page.evaluate(() => {
      const texts = new Set<string>();
      Object.assign(globalThis, { texts });
      setInterval(() => {
        for (const text of document.querySelectorAll('.welcome-view-content')) texts.add(text.textContent);
      }, 100);
    });
    await workbench.runCommand('Leakline: Show Leaks');
    const { file, line } = runs[runs.length - 1].leak;
    await sideBar.tree('Leaks').untilRow(new RegExp(`KiB/step ?${file.split('/').at(-1) ?? ''}:${line}`));
    const snapshots = sideBar.tree('Snapshots');
    const newestFirst = runs.map((run) => `${run.folder}10 snapshots`).reverse();
    await eventually(async () => {
      // As many as there is room for.
      const shown = (await snapshots.rows()).map(({ text }) => text);
      assert.ok(shown.length > 10, shown.join('\n'));
      assert.deepEqual(shown, newestFirst.slice(0, shown.length));
    });
    await workbench.picture('many-folded');
    await snapshots.toggle(/run_019/);
    await snapshots.untilRow(/step_0001\.pickle.*live/);
    await workbench.picture('many');
    const said = await page.evaluate(() => [...(globalThis as unknown as { texts: Set<string> }).texts]);
    await workbench.runCommand('Leakline: Open Timeline');
    const timeline = await workbench.timeline();
    const offered = await timeline.panel.locator('vscode-dropdown[aria-label="Snapshot"] .heading').allTextContents();
    assert.deepEqual(offered, runs.map(({ folder: name }) => name).reverse());
    assert.ok(
      said.every((text) => !text.includes('No GPU memory snapshot')),
      said.join('\n'),
    );
  });
});
