/** Files of snapshots: where they lie, what opens them, and what is said of those that are none. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { eventually, eventuallyWithBackoff } from '../support/eventually.js';
import { assertShows } from '../support/shownBytes.js';
import { FIXTURES } from '../support/snapshots.js';
import { copyExample, exampleFolder, newFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Tree } from './workbench/sideBar.js';
import type { Workbench } from './workbench/workbench.js';

const MIB = 2 ** 20;

describe('A snapshot', () => {
  const ui = uiSession();
  let folder: string;
  let workbench: Workbench;
  let snapshots: Tree;

  ui.prepare(async () => {
    folder = copyExample();
    writeFileSync(join(folder, 'other.pickle'), Buffer.from('80049506000000000000008c0261627894', 'hex'));
    const rows = Array.from({ length: 60 }, (_, step) =>
      JSON.stringify({ 'allocated_bytes.all.current': (64 + 2 * step) * MIB, 'reserved_bytes.all.current': 256 * MIB }),
    );
    writeFileSync(join(folder, 'memory_stats.jsonl'), rows.join('\n'));
    copyFileSync(join(FIXTURES, 'profiler/cycle.html'), join(folder, 'cycle.html'));
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
      await workbench.quickInput.fill(resolve(folder, path));
      await workbench.quickInput.accept(basename(path));
    };
    await open('snapshots/step_0040.pickle');
    await workbench.timeline();
    // As one that is dropped from elsewhere.
    const dropped = join(newFolder(), 'dropped.pickle');
    copyFileSync(join(exampleFolder(), 'snapshots/step_0010.pickle'), dropped);
    await open(dropped);
    await workbench.timeline();
    await snapshots.untilRow(/dropped\.pickle/);
    await workbench.picture('snapshot-editor');
    await open('other.pickle');
    await workbench.page.getByText(/is not displayed in the text editor because it is either binary/).waitFor();
  });

  it('outside the workspace opens, and a message has its path where no file manager can show it', async () => {
    const path = join(newFolder(), 'elsewhere.pickle');
    copyFileSync(join(exampleFolder(), 'snapshots/step_0015.pickle'), path);
    await openSnapshot(path);
    await snapshots.untilRow(/elsewhere\.pickle.* live/);
    const toast = workbench.notifications.toast(`${path} is not in this workspace.`);
    await snapshots.choose(/elsewhere\.pickle/, 'Reveal in Explorer View', toast);
    await toast.hover(); // under the pointer it stays
    await workbench.picture('revealed-outside');
    await workbench.notifications.press('is not in this workspace', 'Copy Path');
    await toast.waitFor({ state: 'hidden' });
  });

  it('that is damaged is named by the message, with the reason', async () => {
    const whole = readFileSync(join(exampleFolder(), 'snapshots/step_0005.pickle'));
    const outside = newFolder();
    const damaged = Buffer.from(whole);
    damaged.fill(0x91, whole.length >> 1, (whole.length >> 1) + 50);
    writeFileSync(join(outside, 'odd.pickle'), damaged);
    writeFileSync(join(outside, 'cut.pickle'), whole.subarray(0, whole.length >> 1));
    for (const [name, pattern] of [
      ['odd.pickle', /^odd\.pickle \S/],
      ['cut.pickle', /^cut\.pickle: This file is still being written, or is truncated\./],
    ] as const) {
      await openSnapshot(join(outside, name));
      await eventually(async () => {
        const texts = await workbench.notifications.texts();
        assert.ok(
          texts.some((text) => pattern.test(text)),
          JSON.stringify(texts),
        );
      });
    }
    await workbench.picture('damaged-opened');
  });

  it('leads to its file in the Explorer view', async () => {
    const revealed = workbench.page.locator(
      '.explorer-folders-view .monaco-list-row.selected, .explorer-folders-view .monaco-list-row.focused',
      { hasText: 'step_0015.pickle' },
    );
    // An Explorer that is not drawn yet shows the file, but does not select it.
    await eventuallyWithBackoff(async (timeout) => {
      await workbench.runCommand('Leakline: Focus on Snapshots View');
      const shown = workbench.sideBar.explorer.row('step_0015.pickle');
      await snapshots.choose(/step_0015\.pickle/, 'Reveal in Explorer View', shown);
      await revealed.waitFor({ timeout });
    });
    await workbench.picture('revealed');
  });

  it('without lines opens on the timeline, and a cycle graph describes its content', async () => {
    await workbench.runCommand('Leakline: Focus on Snapshots View');
    await snapshots.untilRow(/memory_stats\.jsonl.*64\.0 MiB → 182 MiB/);
    await snapshots.untilRow(/cycle\.html.*2 tensors held among 11 objects/);
    await snapshots.toggle('cycle.html');
    await snapshots.untilRow(/in the cycle .* function hook/);
    await workbench.picture('trend-and-cycles');

    await snapshots.click('memory_stats.jsonl');
    const timeline = await workbench.timeline();
    // Until then, the timeline shows the run.
    await timeline.panel.frame.getByText('memory_stats.jsonl').filter({ visible: true }).first().waitFor();
    await timeline.lookIntoPeak();
    const { rows: listed, summary } = await timeline.live();
    const [only, ...others] = listed;
    assert.deepEqual([only.place, only.bytes, others.length], ['No stack recorded', 182 * MIB, 0]);
    assertShows(summary, 182 * MIB);
    assert.match(summary, /^At row 59: /);
    await workbench.picture('trend-on-timeline');
  });
});
