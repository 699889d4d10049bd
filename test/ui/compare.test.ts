import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { CompareLine } from '../../src/core/report/report.js';
import { compare } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { assertShows } from '../support/shownBytes.js';
import { copyExample, exampleFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { comparePair } from './workbench/comparing.js';
import { WebviewPanel } from './workbench/webviewPanel.js';
import type { Workbench } from './workbench/workbench.js';

const file = 'detector/pyramid.py';
const names = ['step_0010.pickle', 'step_0040.pickle'] as const;

describe('Comparing two snapshots', () => {
  const ui = uiSession();
  let grown: CompareLine[];
  let growth: number;
  let workbench: Workbench;

  before(() => {
    const path = (name: string): string => join(exampleFolder(), 'snapshots', name);
    const report = compare(exampleFolder(), path(names[0]), path(names[1]));
    grown = report.lines.filter(({ growthBytes }) => growthBytes > 0);
    const live = ({ devices }: typeof report.a): number => devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
    growth = live(report.b) - live(report.a);
    assert.ok(grown.length > 0);
  });

  ui.prepare(async () => {
    workbench = await ui.open({ folder: copyExample() });
  });

  it('shows the growth of each line in a tree, in the editor and on the page, and clears again', async () => {
    const { editor, sideBar } = workbench;
    await workbench.openFile(file);
    await editor.untilLens(16, /▲ Leaks/);

    await comparePair(workbench, ...names);
    const tree = sideBar.tree('Compare');
    for (const line of grown.filter(({ mapped }) => mapped)) {
      const name = line.file.split('/').at(-1) ?? '';
      const row = await tree.untilRow(new RegExp(`${name}:${line.line}\\b`));
      assert.equal(row.level, 1);
      assertShows(row.text.replace(name, ` ${name}`), line.growthBytes);
    }
    await workbench.page
      .locator('.part.sidebar .message', {
        hasText: /GiB live: 344 MiB before, 1\.4 GiB after\. Most at .*pyramid\.py:16/,
      })
      .waitFor();
    const most = grown.find((line) => line.file === file);
    assert.ok(most !== undefined);
    assertShows(await editor.untilLens(most.line, /since step_0010/), most.growthBytes);
    const page = await pageOfGrowth();
    await workbench.picture('compare');
    await page.locator('.compare-table .place button').first().click();
    await editor.untilActive(file);

    await workbench.runCommand('Leakline: Clear Comparison');
    await editor.untilLens(16, /▲ Leaks/);
    await page.locator('.compare-table').waitFor({ state: 'hidden' });
  });

  it('is offered for two files that are selected in the Explorer view', async () => {
    const { explorer } = workbench.sideBar;
    await workbench.runCommand('View: Show Explorer');
    await explorer.click('snapshots');
    await explorer.chooseOfTwo(...names, 'Compare Snapshots…', compared());
    await pageOfGrowth();
    await workbench.runCommand('Leakline: Clear Comparison');
    await compared().waitFor({ state: 'detached' });
  });

  it('is offered for two snapshots that are selected in the list', async () => {
    await workbench.runCommand('Leakline: Show Leaks');
    const snapshots = workbench.sideBar.tree('Snapshots');
    await snapshots.untilRows(/^step_\d+\.pickle.* live/, 8);
    await snapshots.chooseOfTwo(...names, 'Compare Snapshots…', compared());
    await pageOfGrowth();
  });

  /** The view that compares them. */
  function compared(): Locator {
    return workbench.page.locator('.part.sidebar .pane-header', { hasText: 'step_0010 → step_0040' });
  }

  /** The page that compares, when its total is the one of the report, to the byte. */
  async function pageOfGrowth(): Promise<WebviewPanel> {
    const page = await WebviewPanel.find(workbench.page, '.compare-table tbody tr');
    const total = page.locator('.compare-table tfoot tr.total td').first();
    await eventually(async () => {
      assert.equal(Number((await total.getAttribute('title'))?.replace(/\D/g, '')), growth);
    });
    return page;
  }
});
