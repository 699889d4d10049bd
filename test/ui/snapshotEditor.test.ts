import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { copyExample } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { describeInFull } from '../support/sample.js';

describeInFull('A snapshot that is opened as a file', () => {
  const ui = uiSession();

  it('shows its timeline, and a pickle that is no snapshot stays with its own editor', async () => {
    const folder = copyExample();
    writeFileSync(join(folder, 'other.pickle'), Buffer.from('80049506000000000000008c0261627894', 'hex'));
    const workbench = await ui.open({ folder, size: { width: 1600, height: 1000 } });
    await workbench.runCommand('Leakline: Show Leaks');
    await workbench.sideBar.tree('Leaks').untilRow(/35\.8 MiB\/step/);
    const open = async (path: string): Promise<void> => {
      await workbench.page.keyboard.press('ControlOrMeta+P');
      await workbench.quickInput.fill(join(folder, path));
      await workbench.quickInput.accept(basename(path));
    };
    await open('snapshots/step_0040.pickle');
    await workbench.webview('[role=application]');
    await workbench.settle();
    await workbench.screenshot('snapshot-editor');
    await open('other.pickle');
    await workbench.page.getByText(/is not displayed in the text editor because it is either binary/).waitFor();
  });
});
