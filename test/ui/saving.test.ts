/** What leaves the window for good: files where the user said, text on the clipboard. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyze, snapshotsIn } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { copyExample, exampleFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { TimelinePage } from './workbench/timelinePage.js';
import type { Workbench } from './workbench/workbench.js';
import { describeInFull } from '../support/sample.js';

describeInFull('Saving from the timeline', () => {
  const ui = uiSession();
  let workbench: Workbench;
  let timeline: TimelinePage;
  let folder: string;

  ui.prepare(async () => {
    folder = copyExample();
    workbench = await ui.open({ folder });
    await workbench.runCommand('Leakline: Open Timeline');
    timeline = await workbench.timeline();
  });

  /** Chooses in the menu of the curve with its allocations. */
  async function choose(kind: string): Promise<void> {
    const menu = timeline.panel.locator('.timeline .controls .export', { hasText: 'PNG' });
    if ((await menu.getAttribute('open')) === null) await menu.locator('summary').click();
    await menu.locator('vscode-button', { hasText: kind }).click();
  }

  /** Answers the question where to, once it has come up with a name of its own. */
  async function answer(target: string): Promise<void> {
    await eventually(async () => {
      assert.match(await workbench.quickInput.value(), /step_0040-timeline\.\w+$/);
    });
    await workbench.quickInput.fill(target);
  }

  async function save(kind: 'PNG' | 'SVG' | 'CSV'): Promise<Buffer> {
    const target = join(folder, `saved.${kind.toLowerCase()}`);
    await choose(kind);
    await answer(target);
    await workbench.quickInput.acceptSelected();
    await timeline.panel.locator('.export-status', { hasText: `saved.${kind.toLowerCase()}` }).waitFor();
    assert.ok(existsSync(target));
    return readFileSync(target);
  }

  it('writes the curve as numbers, and as pictures that begin as such files do', async () => {
    const [run] = analyze(exampleFolder(), snapshotsIn(join(exampleFolder(), 'snapshots'))).runs;
    const rows = (await save('CSV')).toString('utf8').trimEnd().split('\r\n');
    const last = rows.at(-1)?.split(',') ?? [];
    assert.equal(Number(last[rows[0].split(',').indexOf('live_bytes')]), run.snapshots.at(-1)?.devices[0].liveBytes);
    assert.deepEqual([...(await save('PNG')).subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    assert.match((await save('SVG')).toString('utf8'), /^<svg [^]*<\/svg>\s*$/);
  });

  it('leaves all as it was when one thinks better of it', async () => {
    await choose('PNG');
    await answer(join(folder, 'unwanted.png'));
    await workbench.quickInput.cancel();
    await eventually(async () => {
      assert.equal(await workbench.page.locator('.quick-input-widget:visible').count(), 0);
    });
    assert.equal(existsSync(join(folder, 'unwanted.png')), false);
    const messages = await workbench.notifications.texts();
    assert.deepEqual(
      messages.filter((text) => /sav|unwanted/i.test(text)),
      [],
    );
  });
});
