import assert from 'node:assert/strict';
import { eventually, eventuallyWithBackoff } from '../support/eventually.js';
import { copyExample, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';

/** The row of a snapshot that is read. */
const READ = /step_\d+/;

describe('A workspace that is not trusted', () => {
  const ui = uiSession({
    settings: {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
      'security.workspace.trust.banner': 'never',
    },
  });

  it('has marks, ignores its own reading settings, and lists disabled features', async () => {
    const folder = copyExample();
    // A stranger's repository.
    const settings = { 'leakline.snapshots.exclude': ['**'], 'leakline.marks.exclude': ['**'] };
    writeFiles(folder, { '.vscode/settings.json': JSON.stringify(settings) });
    const workbench = await ui.open({ folder });
    const { editor, sideBar, page } = workbench;
    const restricted = workbench.statusBarItem('Restricted Mode');
    await restricted.waitFor();
    await workbench.openFile('detector/pyramid.py', 16);
    await editor.untilLens(16, /▲ Leaks/);
    await workbench.runCommand('Leakline: Show Leaks');
    await sideBar.tree('Snapshots').untilRow(READ);
    await sideBar.tree('Snapshots').untilRow(/Restricted Mode.*recording and some settings are off/);
    await workbench.picture('restricted');
    await eventually(async () => {
      // What runs nothing is offered, what runs something is not.
      const offered = await workbench.paletteTitles('Leakline: Open Timeline');
      assert.ok(
        offered.some((title) => title.includes('Open Timeline')),
        offered.join(),
      );
      const titles = await workbench.paletteTitles('Leakline: Run Python File with Recording');
      assert.ok(!titles.some((title) => title.includes('Run Python File with Recording')), titles.join());
    });
    await sideBar.tree('Snapshots').click(/Restricted Mode/);
    await page.locator('.workspace-trust-editor').waitFor();
    const trust = page.locator('.workspace-trust-editor').getByRole('button', { name: /^Trust/ });
    await eventuallyWithBackoff(async (withinMs) => {
      // A page that is still being drawn may lose a click.
      if ((await trust.count()) > 0) await trust.first().click({ timeout: withinMs });
      await restricted.waitFor({ state: 'detached', timeout: withinMs });
    });
    // Now the workspace decides: it wants nothing to be read.
    await sideBar.tree('Snapshots').untilNoRow(READ);
    // Opened once: an editor that loses the focus repeatedly to a picker has no time to ask for lenses.
    await workbench.openFile('detector/pyramid.py', 16);
    await eventually(async () => {
      assert.deepEqual(await editor.lenses(), []);
    });
  });
});
