import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { analyze, leakingLines, snapshotsIn } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { makeSnapshotFile } from '../support/madeSnapshot.js';
import { copyExample } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { writeWorkerKiller } from './support/workerKiller.js';

function setAge(path: string, minutes: number): void {
  const time = new Date(Date.now() - minutes * 60_000);
  utimesSync(path, time, time);
}

describe('A worker that ends while it reads', () => {
  const ui = uiSession({ beside: writeWorkerKiller });

  it('is reported, and everything is read again by another one', async () => {
    const folder = copyExample();
    // Read for long enough to be interrupted, and behind the small ones: the newest files are read first.
    const large = join(folder, 'large.pickle');
    makeSnapshotFile(large, 200_000);
    for (const path of snapshotsIn(join(folder, 'snapshots'))) setAge(path, 1);
    setAge(large, 2);
    const [leak] = leakingLines(analyze(folder, snapshotsIn(join(folder, 'snapshots'))));
    const workbench = await ui.open({ folder });
    const { editor, page, sideBar } = workbench;
    // What it says goes away again: every text of the status bar is written down.
    await page.evaluate(() => {
      const texts: string[] = [];
      Object.assign(globalThis, { texts });
      const bar = document.querySelector('.part.statusbar')!;
      new MutationObserver(() => {
        for (const item of bar.querySelectorAll('.statusbar-item')) texts.push(item.getAttribute('aria-label') ?? '');
      }).observe(bar, { subtree: true, childList: true, attributeFilter: ['aria-label'] });
    });
    await workbench.openFile(leak.file);
    await editor.untilLeaked(leak.line, leak.leakedBytes);
    await workbench.runCommand('Leakline: Show Leaks');
    await sideBar.tree('Snapshots').untilRow(/large\.pickle.*live/);
    await eventually(async () => {
      const rows = await sideBar.tree('Snapshots').rows();
      assert.ok(!rows.some(({ text }) => text.includes('stopped unexpectedly')), JSON.stringify(rows));
    });
    await eventually(async () => {
      const said = await page.evaluate(() => (globalThis as unknown as { texts: string[] }).texts);
      assert.ok(
        said.some((text) => /stopped unexpectedly .*Reading the snapshots again/.test(text)),
        [...new Set(said)].join('\n'),
      );
    });
    await workbench.picture('recovered');
  });
});
