/** What leaves the page: pictures that other programs read, and tables whose sums are those of the report. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { SavedFile } from '../../../src/protocol/saveData.js';
import { compare } from '../../support/cli.js';
import { eventually } from '../../support/eventually.js';
import { picklesUnder } from '../../support/snapshots.js';
import { exampleFolder } from '../../support/workspaces.js';
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

  /** Opens the menu of a part of the page, presses one of its buttons, and waits for what it made. */
  async function save(alone: TimelineHarness, part: string, button: string): Promise<SavedFile> {
    const before = alone.saved.length;
    const menu = alone.page.locator(`${part} .export:visible`).last();
    if ((await menu.getAttribute('open')) === null) await menu.locator('summary').click();
    await menu.locator('vscode-button', { hasText: button }).click();
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
    const file = await save(alone, '.compare-growth', 'CSV');
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
    await page.locator('.compare-growth .export:visible vscode-button', { hasText: 'Copy' }).click();
    await eventually(() => {
      assert.equal(alone.copied.at(-1)?.split('\n').length, rows.length + 2);
    });
  });

  it('saves each picture of a comparison as SVG and PNG', async () => {
    const { alone, page } = await open();
    await page.getByText('Compare…').click();
    await page.locator('.compare-table tbody tr').first().waitFor();
    const curves = await save(alone, '.compare .controls', 'SVG');
    await assertSvg(page, curves, /^A$/);
    assertPng(await save(alone, '.compare .controls', 'PNG'), curves);
    await page.locator('.compare-growth').getByText('Difference flame graph').click();
    await page.locator('.call.difference').first().waitFor();
    const flame = await save(alone, '.compare-growth', 'SVG');
    await assertSvg(page, flame, /^▲ \+1\.24 GiB/);
    assertPng(await save(alone, '.compare-growth', 'PNG'), flame);
  });

  it('saves the chart with its allocations, the flame graph, the map and the list', async () => {
    const { alone, page } = await open();
    await page.locator('.bands canvas').first().waitFor();
    const chart = await save(alone, '.timeline .controls', 'SVG');
    const { images } = await assertSvg(page, chart, /^Live$/);
    assert.ok(images > 0, 'the allocations are in it');
    assertPng(await save(alone, '.timeline .controls', 'PNG'), chart);
    const [head, ...points] = csv(await save(alone, '.timeline .controls', 'CSV'));
    assert.deepEqual(head, ['time_us', 'event', 'live_bytes', 'reserved_bytes']);
    const report = compare(exampleFolder(), paths[0], paths[paths.length - 1]);
    assert.equal(Number(points.at(-1)?.[2]), report.b.devices[0].liveBytes);
    for (const [pane, part, text] of [
      ['Flame Graph', '.flame', /^forward/],
      ['Memory Map', '.map', /pyramid\.py:16/],
    ] as const) {
      await page.getByRole('tab', { name: pane }).click();
      await page.locator(`${part} .call, ${part} .piece`).first().waitFor();
      const picture = await save(alone, part, 'SVG');
      await assertSvg(page, picture, text);
      assertPng(await save(alone, part, 'PNG'), picture);
    }
    const [columns, ...pieces] = csv(await save(alone, '.map', 'CSV'));
    const live = pieces.reduce((sum, row) => sum + Number(row[columns.indexOf('live_bytes')]), 0);
    assert.equal(live, report.b.devices[0].liveBytes);
    await page.getByRole('tab', { name: 'Lines' }).click();
    await page.locator('.plot').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.locator('.live-table tbody tr').first().waitFor();
    const listed = csv(await save(alone, '.live', 'CSV'));
    const total = listed.slice(1).reduce((sum, row) => sum + Number(row[3]), 0);
    const shown = (await page.locator('.live-table tfoot tr.total td').first().getAttribute('title')) ?? '';
    assert.equal(total, Number(shown.replace(/\D/g, '')));
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

async function assertSvg(page: Page, { content, kind }: SavedFile, text: RegExp): Promise<{ images: number }> {
  assert.equal(kind, 'svg');
  const found = await page.evaluate((svg) => {
    const document = new DOMParser().parseFromString(svg, 'image/svg+xml');
    return {
      error: document.querySelector('parsererror')?.textContent ?? null,
      texts: [...document.querySelectorAll('text')].map((one) => one.textContent),
      images: document.querySelectorAll('image').length,
      paints: [...document.querySelectorAll('[fill]')].map((one) => one.getAttribute('fill') ?? ''),
    };
  }, new TextDecoder().decode(content));
  assert.equal(found.error, null);
  assert.ok(
    found.texts.some((one) => text.test(one)),
    found.texts.join(' | '),
  );
  assert.deepEqual(
    found.paints.filter((paint) => paint.startsWith('color')),
    [],
  );
  return found;
}

/** Twice as large as the SVG says. */
function assertPng({ content, kind }: SavedFile, svg: SavedFile): void {
  assert.equal(kind, 'png');
  const bytes = Buffer.from(content);
  assert.equal(bytes.subarray(1, 4).toString('latin1'), 'PNG');
  const width = Number(/width="([\d.]+)"/.exec(new TextDecoder().decode(svg.content))?.[1]);
  assert.equal(bytes.readUInt32BE(16), Math.round(width * 2));
  const folder = process.env['LEAKLINE_PICTURES'];
  if (folder !== undefined) writeFileSync(join(folder, `saved-${svg.name}.png`), bytes);
}
