import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.js';
import { copyExample } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { describeInFull } from '../support/sample.js';

describeInFull('A window that is loaded again', () => {
  const ui = uiSession();

  it('has its marks, its timeline and its list as they were', async () => {
    const workbench = await ui.open({ folder: copyExample() });
    const { editor, sideBar } = workbench;
    await workbench.openFile('detector/pyramid.py', 16);
    await editor.untilLens(16, /leaked/);
    await workbench.runCommand('Leakline: Show Leaks');
    await workbench.runCommand('Leakline: List Leaks by File');
    await sideBar.tree('Leaks').untilRow(/^pyramid\.py.*1 line/);
    await workbench.runCommand('Leakline: Open Timeline');
    const before = await workbench.timeline();
    await before.clickCurve(0.5);
    const { totalBytes } = await before.live();
    assert.ok(totalBytes > 0);
    await workbench.settle();
    await workbench.runCommand('Developer: Reload Window');
    await workbench.ready();
    const after = await workbench.timeline();
    await after.clickCurve(0.5);
    await eventually(async () => {
      assert.equal((await after.live()).totalBytes, totalBytes);
    });
    await sideBar.tree('Leaks').untilRow(/^pyramid\.py.*1 line/);
    await workbench.openFile('detector/pyramid.py', 16);
    await editor.untilLens(16, /leaked/);
    await workbench.screenshot('reloaded');
  });
});
