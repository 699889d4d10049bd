/** The memory map: blocks to scale, free space in numbers, pinned segments, by mouse and keys and for a screen reader. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { pickle, Tuple } from '../../support/plainPickle.js';
import { newFolder } from '../../support/workspaces.js';
import { noBarriersInAnyTheme } from './barriers.js';
import { choose } from './choose.js';
import { cellsOf } from './tableCells.js';
import { harnessSession } from './harnessSession.js';
import type { TimelineHarness } from './timelineHarness.js';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** A pinned segment of 100 MiB, one of 40 MiB on another stream that is half full, and a small one of many blocks. */
function fragmented(): string {
  const frames = (line: number) => [{ filename: '/job/train.py', line, name: 'keep' }];
  const live = (address: number, size: number, line: number) => ({
    address,
    size,
    requested_size: size,
    state: 'active_allocated',
    frames: frames(line),
  });
  const free = (address: number, size: number) => ({ address, size, requested_size: 0, state: 'inactive', frames: [] });
  const segment = (address: number, total: number, stream: number, type: string, blocks: object[]) => ({
    device: 0,
    address,
    total_size: total,
    stream,
    segment_type: type,
    segment_pool_id: new Tuple([0, 0]),
    is_expandable: false,
    blocks,
  });
  const small = Array.from({ length: 4096 }, (_, i) =>
    i % 2 === 0 ? live(3 * GiB + i * 512, 512, 30) : free(3 * GiB + i * 512, 512),
  );
  const segments = [
    segment(GiB, 100 * MiB, 0, 'large', [
      free(GiB, 60 * MiB),
      live(GiB + 60 * MiB, 5 * MiB, 10),
      free(GiB + 65 * MiB, 35 * MiB),
    ]),
    segment(2 * GiB, 40 * MiB, 7, 'large', [live(2 * GiB, 20 * MiB, 20), free(2 * GiB + 20 * MiB, 20 * MiB)]),
    segment(3 * GiB, 2 * MiB, 0, 'small', small),
  ];
  const alloc = { action: 'alloc', addr: GiB + 60 * MiB, size: 5 * MiB, stream: 0, time_us: 1000, frames: frames(10) };
  const path = join(newFolder(), 'fragmented_step_1.pickle');
  writeFileSync(
    path,
    pickle({ segments: segments as never, device_traces: [[alloc]], allocator_settings: {}, external_annotations: [] }),
  );
  return path;
}

describe('the memory map', () => {
  const session = harnessSession();

  async function open(): Promise<{ alone: TimelineHarness; page: Page }> {
    const alone = await session.open({ paths: [fragmented()], files: ['train.py'] });
    const { page } = alone;
    await page.getByRole('tab', { name: 'Memory Map' }).click();
    await piece(page, 0).first().waitFor();
    return { alone, page };
  }

  it('draws blocks to scale and shows reserved, live and free bytes, the largest hole, and pinned segments', async () => {
    const { page } = await open();
    assert.equal(
      await page.locator('.map .summary').innerText(),
      'At the end of the recording: 142 MiB reserved in 3 segments: 26.0 MiB live, 116 MiB free inside, the largest piece 60.0 MiB; ' +
        '1 large segment is pinned: less than a tenth of it is live.',
    );
    const width = async (of: Locator): Promise<number> => (await of.boundingBox())?.width ?? 0;
    const [whole, half] = [0, 1].map((at) => page.locator('.segment-bar').nth(at));
    assert.ok(Math.abs((await width(half)) / (await width(whole)) - 0.4) < 0.01, 'segments are not to one scale');
    const bar = await width(whole);
    for (const [at, share] of [0.6, 0.05, 0.35].entries()) {
      assert.ok(Math.abs((await width(piece(page, 0).nth(at))) - bar * share) < 3, `piece ${at}`);
    }
    assert.match(
      await page.locator('.segment').first().innerText(),
      /100 MiB: 5\.0 MiB live, 95\.0 MiB free, largest 60\.0 MiB.*▲ pinned/s,
    );
    assert.match(await page.locator('.segment').nth(1).innerText(), /large · default pool · stream 7/);
    assert.equal(await page.getByText('▲ pinned').count(), 1);
    await piece(page, 2).first().click();
    await page.keyboard.press('Space');
    await page.locator('.map-grid.zoomed .segment-bar').waitFor();
    const neighbors = await piece(page, 0).evaluateAll((cells) => cells.map((cell) => cell.ariaLabel ?? ''));
    assert.ok(neighbors.length > 10 && neighbors.length < 1000, `${neighbors.length} pieces`);
    const blocks = neighbors.map((text) => {
      assert.match(text, /^Small neighbors: .* live in [\d,]+ blocks?, the largest of train\.py:30, keep$/);
      return Number(/in (\d+) block/.exec(text)?.[1]);
    });
    assert.equal(
      blocks.reduce((sum, of) => sum + of, 0),
      2048,
    );
    await eventually(async () => {
      assert.match((await page.evaluate(() => sessionStorage.getItem('vscode-state'))) ?? '', /"mapOnly":"0x/);
    });
    await page.reload();
    await page.locator('.map-grid.zoomed .segment-bar').waitFor();
    assert.equal(await piece(page, 0).count(), neighbors.length);
    await page.locator('.map').getByText('↔').click();
    await piece(page, 2).first().waitFor();
    await asTable(page);
    const total = await page.locator('.pool-table tfoot td').allInnerTexts();
    assert.deepEqual(total, ['3', '142 MiB', '26.0 MiB', '116 MiB', '60.0 MiB', '1']);
  });

  it('names the owner of a block, and opens its line on a second click, with a modifier, and by keys', async () => {
    const { alone, page } = await open();
    const opens = async (times: number, line: number): Promise<void> => {
      await eventually(() => {
        const calls = alone.callsOf('openSource');
        assert.equal(calls.length, times);
        assert.deepEqual(calls.at(-1), { file: 'train.py', line });
      });
    };
    await piece(page, 0).nth(1).click();
    await page
      .locator('.map .flame-readout', { hasText: 'Live block: 5.0 MiB (5,242,880 bytes), train.py:10, keep' })
      .waitFor();
    assert.equal(alone.callsOf('openSource').length, 0);
    await piece(page, 0).nth(1).click();
    await opens(1, 10);
    await piece(page, 1)
      .first()
      .click({ modifiers: ['ControlOrMeta'] });
    await opens(2, 20);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await opens(3, 10);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await opens(4, 30);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await opens(5, 30);
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'has no line in this workspace' }).waitFor();
  });

  it('goes through time event by event, with keys, and follows the pin', async () => {
    const { alone, page } = await open();
    const slider = page.getByRole('slider', { name: 'Instant of the map' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    // What the only event allocates is free again, and the segment holds nothing.
    await page
      .locator('.map .summary', { hasText: 'Before the first event: 142 MiB reserved in 3 segments: 21.0 MiB live' })
      .waitFor();
    await page.locator('.map .hint', { hasText: 'Replayed backwards' }).waitFor();
    assert.equal((alone.callsOf('liveAt').at(-1) as { event: number }).event, -1);
    await page.keyboard.press('End');
    await page.locator('.map .summary', { hasText: 'At the end of the recording: 142 MiB' }).waitFor();
    assert.equal(await page.locator('.map .hint', { hasText: 'Replayed backwards' }).isVisible(), false);
  });

  it('has the same segments as a table whose sums are those of the picture, also after a reload', async () => {
    const { page } = await open();
    await asTable(page);
    const check = async (): Promise<void> => {
      const table = page.locator('.segment-table');
      await table.waitFor();
      assert.equal(await page.locator('.map-grid').isVisible(), false);
      const rows = await cellsOf(table.locator('tbody tr'));
      assert.deepEqual(
        rows.map(({ texts }) => texts.filter((_, column) => ![3, 4, 5, 6].includes(column))),
        [
          ['0x40000000', 'large · default pool', '0', '▲ pinned'],
          ['0x80000000', 'large · default pool', '7', ''],
          ['0xc0000000', 'small · default pool', '0', ''],
        ],
      );
      const sums = [0, 1, 2].map((column) => rows.reduce((sum, { bytes }) => sum + bytes[column], 0));
      assert.deepEqual(sums, [142 * MiB, 26 * MiB, 116 * MiB]);
      assert.deepEqual(
        rows.map(({ bytes }) => bytes[3]),
        [60 * MiB, 20 * MiB, 512],
      );
      const [total] = await cellsOf(table.locator('tfoot tr'));
      assert.deepEqual(total.bytes, [...sums, 60 * MiB]);
      assert.equal(total.texts.at(-1), '1');
    };
    await check();
    await page.reload();
    await check();
    await page.getByRole('tab', { name: 'Memory Map' }).click();
    await piece(page, 0).first().waitFor();
    assert.equal(await page.locator('.segment-table').isVisible(), false);
  });

  it('has a table that sorts by each of its numbers, and stays sorted through time and a reload', async () => {
    const { page } = await open();
    await asTable(page);
    const table = page.locator('.segment-table');
    const addresses = (): Promise<string[]> => table.locator('tbody th').allInnerTexts();
    const sortedBy = async (name: string, order: string, expected: readonly string[]): Promise<void> => {
      await eventually(async () => {
        const head = table.getByRole('columnheader', { name, exact: true });
        assert.equal(await head.getAttribute('aria-sort'), order);
        assert.deepEqual(await addresses(), expected);
      });
      assert.equal(await table.locator('th[aria-sort]:not([aria-sort="none"])').count(), 1);
    };
    const [large, half, small] = ['0x40000000', '0x80000000', '0xc0000000'];
    const press = (name: string): Promise<void> => table.getByRole('button', { name, exact: true }).click();
    await sortedBy('Size', 'descending', [large, half, small]);
    await press('Live');
    await sortedBy('Live', 'descending', [half, large, small]);
    await page.getByRole('tab', { name: 'Memory Map' }).click();
    await page.getByRole('slider', { name: 'Instant of the map' }).press('ArrowLeft');
    await page.locator('.map .summary', { hasText: 'Before the first event' }).waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    await sortedBy('Live', 'descending', [half, small, large]);
    await page.reload();
    await table.waitFor();
    await sortedBy('Live', 'descending', [half, small, large]);
    await press('Address');
    await sortedBy('Address', 'ascending', [large, half, small]);
  });

  it('has no barrier that axe knows, in every theme, as a picture and as a table', async () => {
    const { alone, page } = await open();
    for (const shown of ['map-grid', 'segment-table']) {
      if (shown === 'segment-table') await asTable(page);
      await page.locator(`.${shown}`).waitFor();
      await noBarriersInAnyTheme(alone, shown);
    }
  });
});

async function asTable(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Table' }).click();
  await choose(page, 'Table of', 'Segments');
}

/** The pieces of a segment. */
const piece = (page: Page, segment: number): Locator => page.locator('.segment').nth(segment).locator('.piece');
