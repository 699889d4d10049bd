/** The flame graph: exact boxes, looked into by mouse and keys, found, folded, opened, and read by a screen reader. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { newFolder } from '../../support/workspaces.js';
import { noBarriersInAnyTheme } from './barriers.js';
import { harnessSession } from './harnessSession.js';
import { choose } from './choose.js';
import { cellsOf } from './tableCells.js';
import type { TimelineHarness } from './timelineHarness.js';

const MiB = 1024 * 1024;
const LIBRARY = '/usr/lib/python3/site-packages/torch/nn/modules/module.py';

/** `main` calls `load` and, through a library, `forward`, which keeps most; and there are many tiny calls. */
function model(): string {
  const run = new TrainingRun();
  const frame = (filename: string, line: number, name: string) => ({ filename, line, name });
  const main = frame('/job/train.py', 30, 'main');
  const forward = [frame('/job/model.py', 7, 'forward'), frame(LIBRARY, 1500, '_call_impl'), main];
  run.allocate(10 * MiB, [frame('/job/data.py', 5, 'load'), main]);
  run.allocate(4 * MiB, [main]);
  for (let layer = 0; layer < 3; layer++) run.allocate(20 * MiB, forward);
  run.allocate(26 * MiB, [frame('/job/model.py', 12, 'attend'), ...forward]);
  for (let i = 0; i < 50; i++) run.allocate(512, [frame('/job/tiny.py', i + 1, `tiny${i}`), main]);
  const path = join(newFolder(), 'model_step_1.pickle');
  writeFileSync(path, run.dump());
  return path;
}

describe('the flame graph', () => {
  const session = harnessSession();

  async function open(): Promise<{ alone: TimelineHarness; page: Page }> {
    const alone = await session.open({
      paths: [model()],
      files: ['train.py', 'model.py', 'data.py', 'tiny.py'],
    });
    const { page } = alone;
    await page.getByRole('tab', { name: 'Flame Graph' }).click();
    await box(page, 'main').waitFor();
    return { alone, page };
  }

  it('has the width of the bytes, shows them exactly, and merges narrow calls', async () => {
    const { page } = await open();
    const total = 100 * MiB + 50 * 512;
    assert.match(await page.locator('.flame .summary').innerText(), /At .*, event 111: 100 MiB live/);
    const whole = await width(page, 'All live memory');
    for (const [name, bytes, level] of [
      ['main', total, 2],
      ['forward', 86 * MiB, 3],
      ['attend', 26 * MiB, 4],
      ['load', 10 * MiB, 3],
    ] as const) {
      const label = (await box(page, name).getAttribute('aria-label')) ?? '';
      assert.ok(label.includes(`(${new Intl.NumberFormat('en').format(bytes)} bytes)`), label);
      assert.ok(Math.abs((await width(page, name)) - (whole * bytes) / total) < 1, name);
      assert.equal(await box(page, name).getAttribute('aria-level'), String(level));
    }
    assert.match(
      (await box(page, '50 more').getAttribute('aria-label')) ?? '',
      /25\.0 KiB \(25,600 bytes\).*50 blocks/,
    );
    assert.match((await box(page, 'main').getAttribute('aria-label')) ?? '', /by the call itself: 4\.0 MiB/);
    assert.equal(await box(page, '_call_impl').count(), 0);
    await page.getByText('Fold library frames').click();
    await box(page, '_call_impl').waitFor();
    assert.equal(await box(page, 'forward').getAttribute('aria-level'), '4');
  });

  it('looks closer on a click, opens the line on a second one or with a modifier, and leads back', async () => {
    const { alone, page } = await open();
    await box(page, 'attend').click({ modifiers: ['ControlOrMeta'] });
    await opened(alone, { file: 'model.py', line: 12 });
    await box(page, 'forward').click();
    await eventually(async () => {
      assert.ok(Math.abs((await width(page, 'forward')) - (await width(page, 'main'))) < 1, 'it is not as wide');
    });
    await box(page, 'forward').click();
    await opened(alone, { file: 'model.py', line: 7 });
    await box(page, 'attend').hover();
    await page.locator('.flame-readout', { hasText: 'attend, model.py:12: 26.0 MiB' }).waitFor();
    await box(page, 'main').click();
    await box(page, 'load').waitFor();
    await page.locator('.flame').getByText('Everything', { exact: true }).click();
    await eventually(() => {
      assert.deepEqual((alone.callsOf('flame').at(-1) as { focus: number[] }).focus, []);
    });
  });

  it('is walked, looked into and opened by keys alone', async () => {
    const { alone, page } = await open();
    const here = page.locator('.flame-graph :focus');
    const at = async (name: string): Promise<void> => {
      await eventually(async () => {
        assert.match((await here.getAttribute('aria-label')) ?? '', new RegExp(`^${name}`));
      });
    };
    await page.locator('.flame-graph [tabindex="0"]').focus();
    for (const [key, name] of [
      ['ArrowDown', 'main'],
      ['ArrowDown', 'forward'],
      ['ArrowRight', 'load'],
      ['ArrowRight', '50 more'],
      ['ArrowLeft', 'load'],
      ['ArrowLeft', 'forward'],
      ['ArrowDown', 'attend'],
      ['Home', 'All live memory'],
      ['ArrowDown', 'main'],
      ['ArrowDown', 'forward'],
      [' ', 'forward'],
    ]) {
      await page.keyboard.press(key);
      await at(name);
    }
    await page.keyboard.press('Enter');
    await opened(alone, { file: 'model.py', line: 7 });
    await eventually(async () => {
      assert.equal(await box(page, 'load').count(), 0);
    });
    await page.keyboard.press('Backspace');
    await box(page, 'load').waitFor();
    await at('forward');
    await page.keyboard.press('Enter');
    await opened(alone, { file: 'model.py', line: 7 });
  });

  it('finds calls and sums their bytes, each byte once', async () => {
    const { page } = await open();
    await page.getByRole('textbox', { name: 'Search' }).fill('model.py');
    await page
      .locator('.flame .summary', { hasText: '2 calls in view match; 86.0 MiB (86 %) passed through them.' })
      .waitFor();
    assert.deepEqual(
      await page.locator('.call.found').evaluateAll((boxes) => boxes.map((found) => found.textContent)),
      ['forward model.py:7  86.0 MiB', 'attend model.py:12  26.0 MiB'],
    );
  });

  it('is as wide as bytes times lifetime where that is requested', async () => {
    const { alone, page } = await open();
    await choose(page, 'Width of the boxes', 'Bytes × lifetime in view');
    await page.locator('.flame .summary', { hasText: /^In view: .* live on average, .*·/ }).waitFor();
    const { over } = alone.callsOf('flame').at(-1) as { over: { window: null } };
    assert.equal(over.window, null);
    assert.match((await box(page, 'main').getAttribute('aria-label')) ?? '', /on average, .*·.*of the live memory/);
    await choose(page, 'Width of the boxes', 'Live bytes');
    await page.locator('.flame .summary', { hasText: 'event 111: 100 MiB live' }).waitFor();
  });

  it('follows the selected instant, and reports a failed reading', async () => {
    const { alone, page } = await open();
    await page.locator('.plot').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await eventually(() => {
      const { event } = alone.callsOf('flame').at(-1) as { event: number };
      assert.equal(event, (alone.callsOf('liveAt').at(-1) as { event: number }).event);
    });
    alone.failing.set('flame', 'The disk is gone.');
    await page.getByText('Fold library frames').click();
    await page.getByRole('alert').filter({ hasText: 'The disk is gone.' }).waitFor();
    alone.failing.clear();
    await page.locator('.flame').getByText('Retry').click();
    await box(page, '_call_impl').waitFor();
  });

  it('has the same calls as a table whose bytes are those of the boxes, sorted, looked for and opened', async () => {
    const { alone, page } = await open();
    const total = 100 * MiB + 50 * 512;
    const boxes = await page
      .locator('.flame-graph [aria-level]')
      .evaluateAll((all) => all.map((one) => [one.ariaLevel ?? '', one.ariaLabel ?? '']));
    await asTable(page);
    const table = page.locator('.flame-table');
    await table.waitFor();
    assert.equal(await page.locator('.flame-graph').isVisible(), false);
    const rowsOf = (part: string) => cellsOf(table.locator(`${part} tr`));
    const rows = await rowsOf('tbody');
    assert.deepEqual(
      rows.map(({ texts }) => texts[0]),
      [
        'All live memory',
        'main, train.py:30',
        'forward, model.py:7',
        'attend, model.py:12',
        'load, data.py:5',
        '50 more',
      ],
    );
    assert.equal(boxes.length, rows.length);
    for (const { texts, bytes } of rows) {
      const [level, label] = boxes.find(([, text]) => text.startsWith(`${texts[0]}: `)) ?? ['', ''];
      assert.equal(Number(texts[1]), Number(level) - 1, texts[0]);
      assert.ok(label.includes(`(${new Intl.NumberFormat('en').format(bytes.at(-1) ?? 0)} bytes)`), label);
    }
    const own = rows.map(({ bytes }) => bytes[0]);
    assert.deepEqual(own, [0, 4 * MiB, 60 * MiB, 26 * MiB, 10 * MiB, 50 * 512]);
    const [foot] = await rowsOf('tfoot');
    assert.deepEqual(foot.bytes, [total, total]);
    assert.equal(
      own.reduce((sum, bytes) => sum + bytes, 0),
      total,
    );
    await table.getByRole('button', { name: 'Own bytes' }).click();
    await table.locator('th[aria-sort="descending"]', { hasText: 'Own bytes' }).waitFor();
    assert.deepEqual(
      (await rowsOf('tbody')).map(({ bytes }) => bytes[0]),
      [...own].sort((a, b) => b - a),
    );
    await page.getByRole('textbox', { name: 'Search' }).fill('model.py');
    await table.locator('tfoot', { hasText: 'Shown: 2 of 6' }).waitFor();
    assert.equal(await table.locator('tbody tr').count(), 2);
    await table.getByText('attend, model.py:12').click();
    await opened(alone, { file: 'model.py', line: 12 });
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await opened(alone, { file: 'model.py', line: 7 });
  });

  it('is restored after a reload: table, order, folding, measure and focus', async () => {
    const { alone, page } = await open();
    await page.getByText('Fold library frames').click();
    await box(page, '_call_impl').waitFor();
    await box(page, 'forward').click();
    await eventually(async () => {
      assert.equal(await box(page, 'load').count(), 0);
    });
    await choose(page, 'Width of the boxes', 'Bytes × lifetime in view');
    await asTable(page);
    await page.locator('.flame-table').getByRole('button', { name: 'Bytes' }).last().click();
    const before = await eventually(() => {
      const asked = alone.callsOf('flame').at(-1) as { folded: boolean; focus: number[]; over: object | null };
      assert.deepEqual([asked.over !== null, asked.focus.length, asked.folded], [true, 3, false]);
      return asked;
    });
    const rows = page.locator('.flame-table tbody tr');
    const shown = await rows.allTextContents();
    await page.reload();
    await rows.first().waitFor();
    assert.deepEqual(alone.callsOf('flame').at(-1), before);
    assert.deepEqual(await rows.allTextContents(), shown);
    assert.equal(await page.locator('.flame-table th[aria-sort="descending"]').innerText(), 'Bytes');
    await page.getByRole('tab', { name: 'Flame Graph' }).click();
    await page.locator('.flame').getByText('Everything', { exact: true }).click();
    await box(page, 'load').waitFor();
  });

  it('has no barrier that axe knows, in every theme, as a graph and as a table', async () => {
    const { alone, page } = await open();
    for (const shown of ['flame-graph', 'flame-table']) {
      if (shown === 'flame-table') await asTable(page);
      await page.locator(`.${shown}`).waitFor();
      await noBarriersInAnyTheme(alone, shown);
    }
  });
});

const box = (page: Page, name: string) => page.locator(`.flame-graph [aria-label^="${name}"]`);

async function asTable(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Table' }).click();
  await choose(page, 'Table of', 'Calls');
}

async function width(page: Page, name: string): Promise<number> {
  return (await box(page, name).boundingBox())?.width ?? 0;
}

async function opened(alone: TimelineHarness, target: { file: string; line: number }): Promise<void> {
  await eventually(() => {
    assert.deepEqual(alone.callsOf('openSource').at(-1), { ...target });
  });
}
