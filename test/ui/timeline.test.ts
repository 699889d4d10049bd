import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LineReport, RunReport } from '../../src/core/report/report.js';
import { analyze, snapshotsIn } from '../support/cli.js';
import { eventually, eventuallyWithBackoff } from '../support/eventually.js';
import { copyExample, exampleFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { LiveList, TimelinePage } from './workbench/timelinePage.js';
import type { Workbench } from './workbench/workbench.js';

const guilty = { file: 'detector/pyramid.py', line: 16, place: 'detector/pyramid.py:16' };

describe('The timeline', () => {
  const ui = uiSession();
  let run: RunReport;
  let leak: LineReport;
  let workbench: Workbench;
  let timeline: TimelinePage;
  let folder: string;

  ui.prepare(async () => {
    const [only] = analyze(exampleFolder(), snapshotsIn(join(exampleFolder(), 'snapshots'))).runs;
    run = only;
    const found = run.lines.find(({ file, line }) => file === guilty.file && line === guilty.line);
    assert.ok(found !== undefined);
    leak = found;
    folder = copyExample();
    workbench = await ui.open({ folder });
    await workbench.runCommand('Leakline: Open Timeline');
    timeline = await workbench.timeline();
  });

  it('opens on the latest snapshot and lists live memory at the clicked instant', async () => {
    await timeline.clickCurve(0.5);
    const early = await timeline.live();
    assertAddsUp(early);
    await timeline.clickCurve(0.97);
    const late = await timeline.live();
    assertAddsUp(late);
    assert.notEqual(late.summary, early.summary);
    assert.equal(late.rows.at(0)?.place, guilty.place);
    await workbench.picture('timeline');
  });

  it('names the allocation under the mouse, and keeps the one that is clicked', async () => {
    assert.match(await timeline.hoverBand(0.9, 0.3), /detector\/pyramid\.py:16/);
    assert.match(await timeline.pickBand(0.9, 0.3), /detector\/pyramid\.py:16[^]*live at the end/);
  });

  it('opens a file at the line of an entry', async () => {
    await timeline.lookIntoPeak();
    await timeline.openLine(guilty.place);
    await workbench.editor.untilActive(guilty.file);
    await workbench.editor.untilCursorAt(guilty.line);
  });

  it('says of the selected line that it was edited after the run', async () => {
    await workbench.openFile(guilty.file, guilty.line);
    await workbench.page.keyboard.press('End');
    await workbench.page.keyboard.type('  # edited');
    await eventually(async () => {
      assert.match(await timeline.pickBand(0.8, 0.3), /Leaks 35\.8 MiB\/step \(1\.3 GiB so far\) · before your edit/);
    });
    await workbench.picture('timeline-edited');
    await workbench.openFile(guilty.file, guilty.line);
    await workbench.page.keyboard.press('ControlOrMeta+Z');
  });

  it('points out the allocations of the line that the cursor is on', async () => {
    // No event tells when the page has followed the cursor: ask again from the start where it was slow.
    await eventuallyWithBackoff(
      async (followMs) => {
        await workbench.openFile('train.py');
        await workbench.page.waitForTimeout(followMs);
        const plain = await timeline.inkOfBands();
        await workbench.openFile(guilty.file, guilty.line);
        await workbench.page.waitForTimeout(followMs);
        const hatched = await timeline.inkOfBands();
        assert.ok(hatched > plain + 500, `${hatched} instead of ${plain}: nothing is hatched`);
        await workbench.picture('timeline-bands');
      },
      { firstMs: 1_000 },
    );
  });

  it('opens the largest line straight away when a modifier is held', async () => {
    await workbench.openFile('train.py');
    await timeline.clickCurve(0.97, ['ControlOrMeta']);
    await workbench.editor.untilActive(guilty.file);
    await workbench.editor.untilCursorAt(guilty.line);
  });

  it('opens from a lens, with the same numbers of the line as the command line', async () => {
    await workbench.openFile(guilty.file);
    await workbench.editor.untilLens(guilty.line, /▲ Leaks/);
    await workbench.editor.clickLens('Show on timeline');
    const expected = { place: guilty.place, bytes: leak.liveBytes, blocks: leak.blocks };
    const live = run.snapshots.at(-1)?.devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
    await eventually(async () => {
      const { rows, totalBytes } = await timeline.live();
      const row = rows.find(({ pointedOut }) => pointedOut);
      assert.deepEqual({ place: row?.place, bytes: row?.bytes, blocks: row?.blocks }, expected);
      assert.equal(totalBytes, live);
    });
    await workbench.picture('timeline-from-lens');
  });

  /** Chooses in the menu of the curve with its allocations. */
  async function chooseFormat(kind: string): Promise<void> {
    const menu = timeline.panel.locator('.timeline .controls .export');
    if ((await menu.getAttribute('open')) === null) await menu.locator('summary').click();
    await menu.getByRole('group', { name: 'Memory timeline' }).locator('vscode-button', { hasText: kind }).click();
  }

  /** Answers where to save, once a name is suggested. */
  async function answer(target: string): Promise<void> {
    await eventually(async () => {
      assert.match(await workbench.quickInput.value(), /step_0040-timeline\.\w+$/);
    });
    await workbench.quickInput.fill(target);
  }

  async function save(kind: 'PNG' | 'CSV'): Promise<Buffer> {
    const target = join(folder, `saved.${kind.toLowerCase()}`);
    await chooseFormat(kind);
    await answer(target);
    await workbench.quickInput.acceptSelected();
    await timeline.panel.locator('.export-status', { hasText: `saved.${kind.toLowerCase()}` }).waitFor();
    return readFileSync(target);
  }

  it('saves the curve as numbers, and as pictures that begin as such files do', async () => {
    const rows = (await save('CSV')).toString('utf8').trimEnd().split('\r\n');
    const last = rows.at(-1)?.split(',') ?? [];
    assert.equal(Number(last[rows[0].split(',').indexOf('live_bytes')]), run.snapshots.at(-1)?.devices[0].liveBytes);
    assert.deepEqual([...(await save('PNG')).subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  });

  it('saves nothing when the question where to is cancelled', async () => {
    await chooseFormat('PNG');
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

  it('is as it was when its window is loaded again or closed and opened, as are the marks and the order of the leaks', async () => {
    const leaks = workbench.sideBar.tree('Leaks');
    await workbench.runCommand('Leakline: Show Leaks');
    await workbench.runCommand('Leakline: List Leaks by File');
    await leaks.untilRow(/^pyramid\.py.*1 line/);
    const look = async ({ panel }: TimelinePage) =>
      panel.frame.evaluate(() => ({
        tab: document.querySelector('vscode-panel-tab[aria-selected="true"]')?.textContent,
        colors: document.querySelector<HTMLSelectElement>('vscode-dropdown[aria-label="Color of the series"]')?.value,
        zoomed: document.querySelector('vscode-button[aria-label="Zoom out"]')?.hasAttribute('disabled') === false,
        search: document.querySelector<HTMLInputElement>('.search')?.value,
        split: document.querySelector('[role=separator]')?.getAttribute('aria-valuenow'),
      }));
    const whole = await look(timeline);
    await timeline.panel.frame.getByRole('tab', { name: 'Flame Graph' }).click();
    await timeline.panel.frame.getByRole('combobox', { name: 'Color of the series' }).click();
    await timeline.panel.frame.getByRole('option', { name: 'By line' }).click();
    await timeline.plot.focus();
    await workbench.page.keyboard.press('w');
    await timeline.panel.frame.getByRole('separator').press('ArrowDown');
    await workbench.page.keyboard.press('/');
    await workbench.page.keyboard.type('pyramid');
    const before = await eventually(async () => {
      const looks = await look(timeline);
      assert.deepEqual([looks.tab, looks.colors, looks.search], ['Flame Graph', 'line', 'pyramid']);
      assert.ok(looks.zoomed && !whole.zoomed, JSON.stringify(looks));
      assert.notEqual(looks.split, whole.split);
      assert.deepEqual(await look(timeline), looks);
      return looks;
    });
    await workbench.settle();
    await workbench.runCommand('Developer: Reload Window');
    await workbench.ready();
    await eventually(async () => assert.deepEqual(await look(await workbench.timeline()), before));
    await leaks.untilRow(/^pyramid\.py.*1 line/);
    await workbench.openFile(guilty.file, guilty.line);
    await workbench.editor.untilLens(guilty.line, /▲ Leaks/);
    workbench = await ui.restart(workbench);
    const after = await workbench.timeline();
    await eventually(async () => assert.deepEqual(await look(after), before));
    await workbench.picture('restarted');
  });

  function assertAddsUp({ rows, totalBytes }: LiveList): void {
    assert.ok(totalBytes > 0);
    assert.equal(
      rows.reduce((sum, { bytes }) => sum + bytes, 0),
      totalBytes,
    );
  }
});
