import { newFolder } from '../support/workspaces.js';
import { writeNotebookWorkspace } from '../host/notebooks/workspace.js';
import { uiSession } from './support/fixture.js';

describe('A notebook', () => {
  const ui = uiSession();

  it('shows the leaks of its cells, in the cells and in the view that leads to them', async () => {
    const folder = newFolder('notebooks');
    writeNotebookWorkspace(folder);
    const workbench = await ui.open({ folder });
    const { page, sideBar } = workbench;
    await workbench.runCommand('Leakline: Show Leaks');
    const leaks = sideBar.tree('Leaks');
    await leaks.untilRow(/1 recorded notebook cell is not matched.*cell text has changed/);
    await leaks.click(/analysis\.ipynb cell 3:4/);
    const cell = page.locator('.notebook-editor .cell', { hasText: 'def train' });
    await cell
      .locator('.codelens-decoration a', { hasText: /3\.8 MiB so far/ })
      .first()
      .waitFor();
    await workbench.picture('notebook');
  });
});
