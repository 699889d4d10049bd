/** Two snapshots side by side: curves on one axis, growth by line and by call, every number that of the report. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { CompareReport } from '../../../src/core/report/report.js';
import { compare } from '../../support/cli.js';
import { eventually } from '../../support/eventually.js';
import { picklesUnder, FIXTURES } from '../../support/snapshots.js';
import { exampleFolder } from '../../support/workspaces.js';
import { noBarriersInAnyTheme } from './barriers.js';
import { choose } from './choose.js';
import { harnessSession } from './harnessSession.js';
import { picture } from './picture.js';
import type { TimelineHarness } from './timelineHarness.js';

const paths = picklesUnder(join(exampleFolder(), 'snapshots'));
const [first, last] = [paths[0], paths[paths.length - 1]];
const files = ['train.py', ...['__init__', 'backbone', 'data', 'head', 'pyramid'].map((name) => `detector/${name}.py`)];

describe('two snapshots side by side', () => {
  const session = harnessSession();
  let report: CompareReport;

  before(() => {
    report = compare(exampleFolder(), first, last);
  });

  async function open(shown: readonly string[] = paths): Promise<{ alone: TimelineHarness; page: Page }> {
    const alone = await session.open({ paths: shown, files, viewport: { width: 1200, height: 900 } });
    const { page } = alone;
    await page.getByText('Compare…').click();
    await page.locator('.compare-table tbody tr').first().waitFor();
    return { alone, page };
  }

  it('lists the growth by line, and every total is that of the report to the byte', async () => {
    const { page } = await open();
    const rows = await page.locator('.compare-table tbody tr').evaluateAll((elements) =>
      elements.map((row) => {
        const exact = (cell: Element | undefined): number => {
          const title = cell?.getAttribute('title') ?? '';
          return Number(title.replace(/\D/g, '')) * (title.startsWith('-') ? -1 : 1);
        };
        const cells = [...row.children];
        return {
          growth: exact(cells[1]),
          a: exact(cells[2]),
          b: exact(cells[3]),
          allocated: exact(cells[5]),
          place: cells[0].textContent,
        };
      }),
    );
    assert.deepEqual(
      rows.flatMap(({ place, growth, a, b }) => (place.includes('.py:') ? [[place, growth, a, b]] : [])),
      [...report.lines]
        .sort((x, y) => y.growthBytes - x.growthBytes || y.bytesB - x.bytesB)
        .map((line) => [`${line.file}:${line.line}`, line.growthBytes, line.bytesA, line.bytesB]),
    );
    const sum = (key: 'growth' | 'a' | 'b'): number => rows.reduce((total, row) => total + row[key], 0);
    assert.equal(sum('a'), liveOf(report.a));
    assert.equal(sum('b'), liveOf(report.b));
    assert.equal(sum('growth'), liveOf(report.b) - liveOf(report.a));
  });

  it('sorts by each column, filters, opens a line, and is walked by keys', async () => {
    const { alone, page } = await open();
    const places = (): Promise<string[]> =>
      page.locator('.compare-table tbody .place').evaluateAll((cells) => cells.map((cell) => cell.textContent));
    await head(page, 'Line').click();
    await eventually(async () => {
      const all = (await places()).filter((place) => place.includes('.py:'));
      assert.deepEqual(
        all.map((place) => place.split(':')[0]),
        all.map((place) => place.split(':')[0]).sort(),
      );
    });
    for (const column of ['In A', 'In B', 'Survived', 'New', 'Freed', 'Blocks', 'Growth']) {
      await head(page, column).click();
      await page.locator('.compare-table th[aria-sort=descending]', { hasText: column }).waitFor();
    }
    const [most] = await places();
    await page.locator('.compare-table .place button').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    const [file, line] = most.split(':');
    await opened(alone, { file, line: Number(line) });
    await page.getByRole('textbox', { name: 'Search' }).filter({ visible: true }).fill('no such line');
    await page.locator('.compare-table tfoot', { hasText: 'Shown: 0 of' }).waitFor();
  });

  it('draws the difference as a flame graph whose sums are those of the report, signed and looked into', async () => {
    const { alone, page } = await open();
    await page.locator('.compare-growth').getByText('Difference flame graph').click();
    await box(page, 'Everything').waitFor();
    const total = liveOf(report.b) - liveOf(report.a);
    const exact = (bytes: number): string => `(+${new Intl.NumberFormat('en').format(bytes)} bytes)`;
    assert.ok((await label(box(page, 'Everything'))).includes(exact(total)));
    assert.match(await box(page, 'Everything').innerText(), /^▲ \+/);
    // Everything that any stack of the report calls `main` is below one box.
    const main = page.locator('.flame-graph [aria-level="3"], .flame-graph [aria-level="2"]').first();
    const name = (await label(main)).split(',')[0];
    await main.click();
    await eventually(() => {
      assert.equal((alone.callsOf('compareFlame').at(-1) as { focus: number[] }).focus.length > 0, true);
    });
    await page.keyboard.press('Enter');
    await eventually(() => {
      assert.ok(alone.callsOf('openSource').length > 0, name);
    });
    await page.keyboard.press('Escape');
    await eventually(() => {
      assert.deepEqual((alone.callsOf('compareFlame').at(-1) as { focus: number[] }).focus, []);
    });
    await choose(page, 'Width of the boxes', 'Live in B');
    await eventually(() => {
      assert.equal((alone.callsOf('compareFlame').at(-1) as { width: string }).width, 'after');
    });
  });

  it('lays both curves over each other by step, time or event, read by keys', async () => {
    const { page } = await open();
    const plot = page.getByRole('slider', { name: 'Live memory, overlaid' });
    await plot.focus();
    const text = async (): Promise<string> => (await plot.getAttribute('aria-valuetext')) ?? '';
    await eventually(async () => {
      assert.match(await text(), /^step 40; A step_0005\.pickle: not known; B step_0040\.pickle: /);
    });
    await page.keyboard.press('Home');
    assert.match(await text(), /^step -?\d+; /);
    await choose(page, 'Horizontal axis', 'Events');
    await eventually(async () => {
      await plot.focus();
      assert.match(await text(), /^event /);
    });
    await choose(page, 'Curves of', 'Whole runs');
    await eventually(async () => {
      await plot.focus();
      assert.match(await text(), /; A (?!step_).*; B (?!step_)/);
    });
  });

  it('returns after a reload, and follows requests of the extension', async () => {
    const { alone, page } = await open();
    await page.locator('.compare-growth').getByText('Difference flame graph').click();
    await box(page, 'Everything').waitFor();
    await page.reload();
    await box(page, 'Everything').waitFor();
    alone.setState({ request: 1, selected: { path: paths[2], device: 0 }, compared: { a: paths[1], b: paths[2] } });
    await eventually(() => {
      assert.deepEqual(alone.callsOf('compareTable').at(-1), { a: paths[1], b: paths[2] });
    });
    alone.setState({ request: 2, selected: { path: paths[2], device: 0 }, compared: null });
    await page.locator('.plot').waitFor();
    assert.equal(await page.locator('.compare').isVisible(), false);
  });

  it('asks for little, and has no barrier that axe knows, in every theme and with large letters', async () => {
    const { alone, page } = await open();
    for (const pane of ['Table', 'Difference flame graph']) {
      await page.locator('.compare-growth').getByText(pane, { exact: true }).click();
      if (pane !== 'Table') await box(page, 'Everything').waitFor();
      await noBarriersInAnyTheme(alone, `compare-${pane}`);
      await alone.useTheme('light', '26px');
      const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(width <= 0, `${width} pixels too wide`);
    }
    for (const method of ['compareTable', 'compareFlame', 'series'] as const) {
      for (const bytes of alone.answersOf(method)) assert.ok(bytes < 200_000, `${method}: ${bytes}`);
    }
  });

  it('shows a failure in its place, and tries again', async () => {
    const { alone, page } = await open();
    alone.failing.set('compareTable', 'The disk is gone.');
    await page.locator('vscode-button', { hasText: '⇄' }).click();
    await page.getByRole('alert').filter({ hasText: 'The disk is gone.' }).waitFor();
    alone.failing.clear();
    await page.locator('.compare').getByText('Retry').filter({ visible: true }).first().click();
    await page.locator('.compare .summary', { hasText: ' GiB live: ' }).waitFor();
  });

  it('reports missing snapshots, and no failure in between', async () => {
    const { alone, page } = await open();
    alone.failing.set('compareTable', 'It is not open.');
    await page.locator('vscode-button', { hasText: '⇄' }).click();
    const failure = page.getByRole('alert').filter({ hasText: 'It is not open.' });
    await failure.waitFor();
    alone.setState({ choices: [], selected: null });
    await page.getByText('A comparison needs two snapshots.').waitFor();
    await failure.waitFor({ state: 'hidden' });
  });
});

describe('runs, ranks and devices over each other', () => {
  const session = harnessSession();

  it('lays two runs on one axis of steps, and other series beside them', async () => {
    const folders = ['running_total', 'prediction_list'].map((name) => join(FIXTURES, 'planted/recordings', name));
    const shown = folders.flatMap((folder) => picklesUnder(folder));
    const alone = await session.open({ paths: shown, viewport: { width: 1200, height: 900 } });
    const { page } = alone;
    const [a, b] = [shown[0], shown[shown.length - 1]];
    await page.locator('.controls').first().waitFor();
    alone.setState({ request: 1, selected: { path: b, device: 0 }, compared: { a, b } });
    await page.getByText('At the Same Step').click();
    await eventually(() => {
      const pair = alone.callsOf('compareTable').at(-1) as { a: string; b: string };
      assert.notDeepEqual(pair, { a, b });
      assert.equal(/\d+\D*$/.exec(pair.a)?.[0], /\d+\D*$/.exec(pair.b)?.[0]);
    });
    await choose(page, 'Curves of', 'Whole runs');
    await eventually(() => {
      const asked = alone.callsOf('series').at(-1) as { series: { whole: boolean }[] };
      assert.deepEqual(
        asked.series.map(({ whole }) => whole),
        [true, true],
      );
    });
    await page.locator('.answer > .summary').waitFor();
    await picture(page, 'compare-runs');
  });
});

const head = (page: Page, name: string): Locator =>
  page.locator('.compare-table thead').getByText(name, { exact: true });
const box = (page: Page, name: string): Locator =>
  page.locator('.flame-graph [role=treeitem]', { hasText: name }).first();
const label = async (of: Locator): Promise<string> => (await of.getAttribute('aria-label')) ?? '';
const liveOf = ({ devices }: CompareReport['a']): number => devices.reduce((sum, one) => sum + one.liveBytes, 0);

async function opened(alone: TimelineHarness, target: { file: string; line: number }): Promise<void> {
  await eventually(() => {
    assert.deepEqual(alone.callsOf('openSource').at(-1), { ...target });
  });
}
