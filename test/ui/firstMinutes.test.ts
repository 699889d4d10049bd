import { newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

describe('The first minutes', () => {
  const ui = uiSession();
  let workbench: Workbench;

  ui.prepare(async () => {
    const folder = newFolder('training');
    writeFiles(folder, { 'notes.txt': 'nothing here yet' });
    workbench = await ui.open({ folder });
  });

  it('lead from the empty view to the walkthrough', async () => {
    await workbench.runCommand('Leakline: Show Leaks');
    const view = workbench.page.locator('.part.sidebar');
    await view.getByText('No GPU memory snapshot in this workspace.').first().waitFor();
    await workbench.settle();
    await workbench.screenshot('first-empty');
    await view.getByText('How it works').click();
    await workbench.page.locator('.getting-started-step').first().waitFor();
    await workbench.settle();
    await workbench.screenshot('first-walkthrough');
  });
});
