/** Files of snapshots: where they lie, what opens them, and what is said of those that are none. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { copyExample, exampleFolder, newFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Tree } from './workbench/sideBar.js';
import type { Workbench } from './workbench/workbench.js';

describe('A snapshot', () => {
  const ui = uiSession();
  let folder: string;
  let workbench: Workbench;
  let snapshots: Tree;

  ui.prepare(async () => {
    folder = copyExample();
    writeFileSync(join(folder, 'other.pickle'), Buffer.from('80049506000000000000008c0261627894', 'hex'));
    workbench = await ui.open({ folder });
    await workbench.runCommand('Leakline: Show Leaks');
    snapshots = workbench.sideBar.tree('Snapshots');
    await snapshots.untilRows(/^step_\d+\.pickle.* live/, 8);
  });

  /** Opens a file that need not be in the workspace. */
  async function openSnapshot(path: string): Promise<void> {
    await workbench.runCommand('Leakline: Open Snapshot…');
    await workbench.page.locator('.quick-input-title', { hasText: 'Open Snapshot' }).waitFor();
    await workbench.quickInput.pickFile(path);
  }

  it('opens as its timeline, and a pickle that is not a snapshot stays with its own editor', async () => {
    const open = async (path: string): Promise<void> => {
      await workbench.page.keyboard.press('ControlOrMeta+P');
      await workbench.quickInput.fill(join(folder, path));
      await workbench.quickInput.accept(basename(path));
    };
    await open('snapshots/step_0040.pickle');
    await workbench.timeline();
    await workbench.settle();
    await workbench.screenshot('snapshot-editor');
    await open('other.pickle');
    await workbench.page.getByText(/is not displayed in the text editor because it is either binary/).waitFor();
  });

  it('outside the workspace opens, and its path is told where no file manager can show it', async () => {
    const path = join(newFolder(), 'elsewhere.pickle');
    copyFileSync(join(exampleFolder(), 'snapshots/step_0015.pickle'), path);
    await openSnapshot(path);
    await snapshots.untilRow(/elsewhere\.pickle.* live/);
    const told = workbench.notifications.toast(`${path} is not in this workspace.`);
    await snapshots.choose(/elsewhere\.pickle/, 'Reveal in Explorer View', told);
    await told.hover(); // under the pointer it stays
    await workbench.screenshot('revealed-outside');
    await workbench.notifications.press('is not in this workspace', 'Copy Path');
    await told.waitFor({ state: 'hidden' });
  });

  it('that is damaged is named by the message, with the reason', async () => {
    const whole = readFileSync(join(exampleFolder(), 'snapshots/step_0005.pickle'));
    const outside = newFolder();
    const damaged = Buffer.from(whole);
    damaged.fill(0x91, whole.length >> 1, (whole.length >> 1) + 50);
    writeFileSync(join(outside, 'odd.pickle'), damaged);
    writeFileSync(join(outside, 'cut.pickle'), whole.subarray(0, whole.length >> 1));
    for (const [name, told] of [
      ['odd.pickle', /^odd\.pickle \S/],
      ['cut.pickle', /^cut\.pickle: This file is still being written, or was cut short\./],
    ] as const) {
      await openSnapshot(join(outside, name));
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

  it('leads to its file in the Explorer view', async () => {
    const revealed = workbench.page.locator(
      '.explorer-folders-view .monaco-list-row.selected, .explorer-folders-view .monaco-list-row.focused',
      { hasText: 'step_0015.pickle' },
    );
    await snapshots.choose(/step_0015\.pickle/, 'Reveal in Explorer View', revealed);
    await workbench.screenshot('revealed');
  });
});
