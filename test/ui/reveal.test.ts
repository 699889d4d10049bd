import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { copyExample, newFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { describeInFull } from '../support/sample.js';

describeInFull('A snapshot of the list', () => {
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

  it('that lies outside of the workspace is said to, with its path, where no file manager can show it', async () => {
    const path = join(copyExample(), 'snapshots/step_0015.pickle');
    const workbench = await ui.open({ folder: newFolder() });
    await workbench.runCommand('Leakline: Open Snapshot…');
    await workbench.page.locator('.quick-input-title', { hasText: 'Open Snapshot' }).waitFor();
    await workbench.quickInput.pickFile(path);
    await workbench.runCommand('Leakline: Show Leaks');
    const snapshots = workbench.sideBar.tree('Snapshots');
    await snapshots.untilRow(/step_0015\.pickle.* live/);
    const told = workbench.notifications.toast(`${path} is not in this workspace.`);
    await snapshots.choose(/step_0015\.pickle/, 'Reveal in Explorer View', told);
    await told.hover(); // under the pointer it stays
    await workbench.screenshot('revealed-outside');
    await workbench.notifications.press('is not in this workspace', 'Copy Path');
    await told.waitFor({ state: 'hidden' });
  });

  it('that is damaged, whatever its name, is said to be when it is opened, beginning with its name', async () => {
    const whole = readFileSync(join(copyExample(), 'snapshots/step_0005.pickle'));
    const folder = newFolder();
    const damaged = Buffer.from(whole);
    damaged.fill(0x91, whole.length >> 1, (whole.length >> 1) + 50);
    writeFileSync(join(folder, 'odd.pickle'), damaged);
    writeFileSync(join(folder, 'cut.pickle'), whole.subarray(0, whole.length >> 1));
    const workbench = await ui.open({ folder: newFolder() });
    for (const [name, told] of [
      ['odd.pickle', /^odd\.pickle \S/],
      ['cut.pickle', /^cut\.pickle: This file is still being written, or was cut short\./],
    ] as const) {
      await workbench.runCommand('Leakline: Open Snapshot…');
      await workbench.page.locator('.quick-input-title', { hasText: 'Open Snapshot' }).waitFor();
      await workbench.quickInput.pickFile(join(folder, name));
      await eventually(async () => {
        const texts = await workbench.notifications.texts();
        assert.ok(
          texts.some((text) => told.test(text)),
          JSON.stringify(texts),
        );
      });
    }
    await workbench.screenshot('damaged-opened');
  });
});
