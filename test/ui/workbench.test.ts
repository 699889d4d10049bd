import assert from 'node:assert/strict';
import { copyExample } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { describeInFull } from '../support/sample.js';

describeInFull('The window that tests look at', () => {
  const ui = uiSession();

  it('opens the example and one of its files', async () => {
    const workbench = await ui.open({ folder: copyExample() });
    await workbench.openFile('detector/pyramid.py', 16);
    assert.equal(await workbench.editor.activeTab(), 'pyramid.py');
    await workbench.editor.untilCursorAt(16);
    await workbench.screenshot('workbench');
  });
});
