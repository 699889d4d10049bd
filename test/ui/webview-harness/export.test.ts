/** Saved files: pictures that other programs read, and tables whose sums are those of the report. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { SavedFile } from '../../../src/protocol/saveData.js';
import { compare } from '../../support/cli.js';
import { eventually } from '../../support/eventually.js';
import { picklesUnder } from '../../support/snapshots.js';
import { exampleFolder } from '../../support/workspaces.js';
import { choose } from './choose.js';
import { harnessSession } from './harnessSession.js';
import type { TimelineHarness } from './timelineHarness.js';

const paths = picklesUnder(join(exampleFolder(), 'snapshots'));
const files = ['train.py', ...['__init__', 'backbone', 'data', 'head', 'pyramid'].map((name) => `detector/${name}.py`)];

describe('what can be saved', () => {
  const session = harnessSession();

  async function open(): Promise<{ alone: TimelineHarness; page: Page }> {
    const alone = await session.open({ paths, files, viewport: { width: 1200, height: 900 } });
    await alone.page.locator('.plot').waitFor();
    return { alone, page: alone.page };
  }

  /** Opens the menu, presses a button of one of its rows, and waits for what it made. */
  async function save(alone: TimelineHarness, part: string, button: string): Promise<SavedFile> {
    const before = alone.saved.length;
    const menu = alone.page.locator('.export:visible');
    assert.equal(await menu.count(), 1);
    if ((await menu.getAttribute('open')) !== null) await menu.locator('summary').click();
    await menu.locator('summary').click();
    await menu.getByRole('group', { name: part, exact: true }).locator('vscode-button', { hasText: button }).click();
    await menu.locator('.export-status', { hasText: 'Saved as /chosen/' }).waitFor();
    return eventually(() => {
      const file = alone.saved.at(-1);
      assert.ok(alone.saved.length > before && file !== undefined, 'nothing is saved');
      return file;
    });
  }

  it('saves the growth as CSV with the totals of the report, and copies it', async () => {
    const { alone, page } = await open();
    await page.getByText('Compare…').click();
    await page.locator('.compare-table tbody tr').first().waitFor();
    const file = await save(alone, 'Growth from A to B', 'CSV');
    assert.deepEqual([file.name, file.kind], ['step_0005-step_0040-growth', 'csv']);
    const [head, ...rows] = csv(file);
    const sum = (column: string): number =>
      rows.reduce((total, row) => total + Number(row[head.indexOf(column)] || '0'), 0);
    const report = compare(exampleFolder(), paths[0], paths[paths.length - 1]);
    const live = ({ devices }: typeof report.a): number => devices.reduce((total, one) => total + one.liveBytes, 0);
    assert.equal(sum('bytes_a'), live(report.a));
    assert.equal(sum('bytes_b'), live(report.b));
    assert.equal(sum('growth_bytes'), live(report.b) - live(report.a));
    assert.equal(sum('survived_bytes') + sum('new_bytes'), live(report.b));
    assert.equal(sum('survived_bytes') + sum('freed_bytes'), live(report.a));
    await page.getByRole('group', { name: 'Growth from A to B' }).locator('vscode-button', { hasText: 'Copy' }).click();
    await eventually(() => {
      assert.equal(alone.copied.at(-1)?.split('\n').length, rows.length + 2);
    });
  });

  it('saves the curves of a comparison as a picture', async () => {
    const { alone, page } = await open();
    await page.getByText('Compare…').click();
    await page.locator('.compare-table tbody tr').first().waitFor();
    await assertPng(page, '.series-plot', await save(alone, 'Live memory, overlaid', 'PNG'));
  });

  it('saves the chart with its allocations, the flame graph, the map and the list', async () => {
    const { alone, page } = await open();
    await page.locator('.bands canvas').first().waitFor();
    await assertPng(page, '.plot', await save(alone, 'Memory timeline', 'PNG'));
    const [head, ...points] = csv(await save(alone, 'Memory timeline', 'CSV'));
    assert.deepEqual(head, ['time_us', 'event', 'live_bytes', 'reserved_bytes']);
    const report = compare(exampleFolder(), paths[0], paths[paths.length - 1]);
    assert.equal(Number(points.at(-1)?.[2]), report.b.devices[0].liveBytes);
    await page.getByRole('tab', { name: 'Flame Graph' }).click();
    await page.locator('.flame .call').first().waitFor();
    const [calls, root] = csv(await save(alone, 'Flame Graph', 'CSV'));
    assert.equal(Number(root[calls.indexOf('bytes')]), report.b.devices[0].liveBytes);
    await page.getByRole('tab', { name: 'Memory Map' }).click();
    await page.locator('.map .piece').first().waitFor();
    const [columns, ...pieces] = csv(await save(alone, 'Memory Map', 'CSV'));
    const live = pieces.reduce((sum, row) => sum + Number(row[columns.indexOf('live_bytes')]), 0);
    assert.equal(live, report.b.devices[0].liveBytes);
    await page.getByRole('tab', { name: 'Lines' }).click();
    await page.locator('.plot').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.locator('.live-table tbody tr').first().waitFor();
    const listed = csv(await save(alone, 'Live memory', 'CSV'));
    const total = listed.slice(1).reduce((sum, row) => sum + Number(row[3]), 0);
    const shown = (await page.locator('.live-table tfoot tr.total td').first().getAttribute('title')) ?? '';
    assert.equal(total, Number(shown.replace(/\D/g, '')));
  });

  it('saves the rows of a table, also those that the page does not show yet', async () => {
    const { alone, page } = await open();
    await page.locator('.bands canvas').first().waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    await choose(page, 'Table of', 'Series in view');
    await page.locator('.band-table tbody tr').first().waitFor();
    const [head, ...rows] = csv(await save(alone, 'Table', 'CSV'));
    const shown = await page.locator('.band-table tbody tr').count();
    assert.deepEqual([head.length, rows.length], [6, shown]);
    const name = await page.locator('.band-table tbody tr').first().locator('th').innerText();
    assert.equal(rows[0][0], name);
    const title = await page.locator('.band-table tbody tr').first().locator('td.number').first().getAttribute('title');
    assert.equal(rows[0][2], title?.replace(/\D/g, ''));
  });
});

/** Rows of cells, quotes taken off. */
function csv({ content }: SavedFile): string[][] {
  const text = new TextDecoder().decode(content);
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, cell]) => plain(cell)));
}

const plain = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);

/** As large as on the page, in more colors than a background and its lines. */
async function assertPng(page: Page, drawn: string, { content, kind, name }: SavedFile): Promise<void> {
  assert.equal(kind, 'png');
  const bytes = Buffer.from(content);
  const folder = process.env['LEAKLINE_PICTURES'];
  if (folder !== undefined) writeFileSync(join(folder, `saved-${name}.png`), bytes);
  const width = await page.locator(drawn).evaluate((element) => Math.ceil(element.scrollWidth));
  const found = await page.evaluate(async (base64) => {
    const bytesOf = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytesOf], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context?.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context?.getImageData(0, 0, image.width, image.height).data.buffer ?? []);
    return { width: image.width, colors: new Set(pixels).size };
  }, bytes.toString('base64'));
  assert.ok(Math.abs(found.width - width) <= 1, `${found.width} of ${width}`);
  assert.ok(found.colors > 20, `${found.colors} colors`);
}
