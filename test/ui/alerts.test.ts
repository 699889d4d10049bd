import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, steadily } from '../support/eventually.js';
import { copyExample, exampleFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { describeInFull } from '../support/sample.js';

describeInFull('A run that begins to leak while the window is open', () => {
  const ui = uiSession();

  it('is told of once, however many snapshots come, and leads to the line', async () => {
    const folder = copyExample({ untilStep: 5 });
    const dump = (step: string): void => {
      const name = `step_${step}.pickle`;
      copyFileSync(join(exampleFolder(), 'snapshots', name), join(folder, 'snapshots', name));
    };
    const workbench = await ui.open({ folder });
    await workbench.openFile('detector/backbone.py');
    await workbench.runCommand('Leakline: Show Leaks');
    await workbench.sideBar.tree('Snapshots').untilRow(/step_0005/);
    await workbench.statusBarItem(/more snapshots|no leak|growing/).waitFor();
    assert.deepEqual(await workbench.notifications.texts(), []);
    for (const step of ['0010', '0015', '0020', '0025']) dump(step);
    await workbench.notifications.toast(/leaks .*pyramid\.py:16/).waitFor();
    // Under the pointer it stays, however long the rest takes.
    await workbench.notifications.toast(/leaks/).hover();
    await workbench.screenshot('alert');
    for (const step of ['0030', '0035', '0040']) dump(step);
    await workbench.sideBar.tree('Snapshots').untilRow(/step_0040/);
    await steadily(async () => {
      assert.equal((await workbench.notifications.texts()).length, 1);
    }, 2_000);
    await workbench.notifications.press(/leaks/, 'Show');
    await workbench.editor.untilActive('detector/pyramid.py');
    await eventually(async () => {
      assert.equal(await workbench.editor.cursorLine(), 16);
      assert.deepEqual(await workbench.notifications.texts(), []);
    });
  });
});
