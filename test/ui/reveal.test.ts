import { copyExample } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';

describe('A snapshot of the list', () => {
  const ui = uiSession();

  it('leads to its file in the Explorer view', async () => {
    const workbench = await ui.open({ folder: copyExample() });
    await workbench.runCommand('Leakline: Show Leaks');
    const snapshots = workbench.sideBar.tree('Snapshots');
    await snapshots.untilRows(/^step_\d+\.pickle.* live/, 8);
    const revealed = workbench.page.locator(
      '.explorer-folders-view .monaco-list-row.selected, .explorer-folders-view .monaco-list-row.focused',
      { hasText: 'step_0015.pickle' },
    );
    await snapshots.choose(/step_0015\.pickle/, 'Reveal in Explorer View', revealed);
    await workbench.screenshot('revealed');
  });
});
