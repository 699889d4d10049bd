/** The timeline's page alone: every state and gesture that needs no workbench around it. */
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { FIXTURES } from '../../support/snapshots.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { exampleFolder, newFolder } from '../../support/workspaces.js';
import { harnessSession } from './harnessSession.js';
import type { TimelineHarness } from './timelineHarness.js';
import { themes } from './themes.js';
import { choose } from './choose.js';

const MiB = 1024 * 1024;
const hostile = '<img src=x onerror=document.title="owned">.py';
const early = join(exampleFolder(), 'snapshots/step_0005.pickle');
const late = join(exampleFolder(), 'snapshots/step_0040.pickle');

/** Two thousand small allocations that stay, and between two of them one large that lives for a single event. */
function spikySnapshot(): string {
  const run = new TrainingRun();
  const at = (filename: string, line: number) => [{ filename, line, name: 'step' }];
  for (let step = 0; step < 2000; step++) {
    run.allocate(4096, at('/job/train.py', 10));
    if (step === 1200) run.free(run.allocate(300 * MiB, at('/job/eval.py', 7)));
    if (step % 500 === 0) run.allocate(MiB, at(`/job/${hostile}`, 3));
  }
  const path = join(newFolder(), 'spiky_step_1.pickle');
  writeFileSync(path, run.dump());
  return path;
}

describe('the timeline alone', () => {
  const session = harnessSession();

  async function open(
    paths: readonly string[],
    files: readonly string[] = ['detector/pyramid.py', 'train.py'],
    capacityBytes?: number,
  ): Promise<TimelineHarness> {
    const capacity = capacityBytes === undefined ? {} : { capacityBytes };
    const harness = await session.open({ paths, files, ...capacity });
    if (paths.length > 0) await curveDrawn(harness);
    return harness;
  }

  it('hits a spike of one event among thousands with the mouse, and shows its owner to the byte', async () => {
    const { page } = await open([spikySnapshot()], ['train.py', 'eval.py']);
    const spike = await highestColumn(page.locator('canvas.curve'), themes.dark.variables['charts-blue']);
    await page.locator('.plot').click({ position: { x: spike + 2, y: 80 } });
    const rows = page.locator('.live-table tbody tr');
    await rows.first().filter({ hasText: '300 MiB' }).waitFor();
    assert.match(await rows.first().innerText(), /^300 MiB\s.*eval\.py:7/s);
    const titles = await page
      .locator('.live-table td:first-child[title]')
      .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLElement).title.replace(/\D/g, ''))));
    const total = titles.pop();
    assert.equal(
      titles.reduce((sum, bytes) => sum + bytes, 0),
      total,
    );
    assert.equal(titles[0], 300 * MiB);
    assert.match(
      await page.locator('.live:not(.flame, .map, .tabled) .summary').innerText(),
      /most by eval\.py:7 \(300 MiB\)/,
    );
  });

  it('shows names from a snapshot as text, whatever is in them', async () => {
    const { page } = await open([spikySnapshot()], ['train.py']);
    await page.getByText('what holds it').click();
    await page.locator('.live-table', { hasText: hostile }).waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.title(), 'GPU Memory Timeline');
  });

  it('fits into a narrow panel with long names, and keeps the readout inside the page', async () => {
    const folder = `workers_${'of_a_long_name_'.repeat(12)}`;
    const path = join(newFolder(), 'long_step_1.pickle');
    const run = new TrainingRun();
    const at = [{ filename: `/job/${folder}/train.py`, line: 7, name: `step_${'x'.repeat(150)}` }];
    for (let step = 0; step < 40; step++) run.allocate(MiB, at);
    writeFileSync(path, run.dump());
    const { page } = await session.open({ paths: [path], viewport: { width: 320, height: 1000 } });
    await page.getByText('what holds it').click();
    await page.locator('.summary', { hasText: folder }).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide`);
    const swatch = await page.locator('.band-key .swatch').first().boundingBox();
    assert.ok(swatch !== null && swatch.width > swatch.height, JSON.stringify(swatch));
    const readout = page.locator('.readout', { hasText: folder });
    const area = await page.locator('.plot').boundingBox();
    assert.ok(area !== null);
    for (const share of [0.45, 0.62, 0.8, 0.95]) {
      await page.mouse.move(area.x + area.width * share, area.y + area.height * 0.7);
      await readout.waitFor();
      const box = await readout.boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 320, `at ${share}: ${JSON.stringify(box)}`);
    }
  });

  it('opens the line of an entry, of a second click and of a click with a modifier', async () => {
    const { page, ...seen } = await opened();
    await page.getByText('what holds it').click();
    await page.getByRole('button', { name: 'detector/pyramid.py:16', exact: true }).press('Enter');
    await called(1);
    const largest = { file: 'detector/pyramid.py', line: 16 };
    // Above all series it is the largest line of the instant, on a series the line that the readout tells.
    assert.equal(await placeAt(500), null);
    await page.locator('.plot').click({ position: { x: 500, y: 80 } });
    await page.locator('.plot').click({ position: { x: 500, y: 80 } });
    await called(2);
    const told = await placeAt(700);
    assert.notEqual(told, null);
    assert.notDeepEqual(told, largest);
    await page.locator('.plot').click({ position: { x: 700, y: 80 }, modifiers: ['ControlOrMeta'] });
    await called(3);
    assert.deepEqual(seen.harness.callsOf('openSource'), [largest, largest, told]);

    /** The line under the pointer, as the readout tells it; null above all series. */
    async function placeAt(x: number): Promise<{ file: string; line: number } | null> {
      await page.locator('.plot').hover({ position: { x, y: 80 } });
      await page.locator('.readout', { hasText: 'live' }).waitFor();
      const place = /^(\S+):(\d+) /.exec(await page.locator('.readout').innerText());
      return place === null ? null : { file: place[1], line: Number(place[2]) };
    }

    async function called(times: number): Promise<void> {
      await eventually(() => {
        assert.equal(seen.harness.callsOf('openSource').length, times);
      });
    }
  });

  it('can be walked and zoomed with keys alone', async () => {
    const { page, harness: alone } = await opened();
    await page.locator('.plot').focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowUp');
    const readout = page.locator('.readout');
    await readout.filter({ hasText: '1.5 GiB live' }).waitFor();
    const atPeak = await readout.textContent();
    await page.keyboard.press('ArrowLeft');
    await eventually(async () => {
      assert.notEqual(await readout.textContent(), atPeak);
    });
    assert.equal(await page.locator('.chart [role=status]').textContent(), await readout.textContent());
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('+');
    const once = await windowAfter(alone, null);
    await page.keyboard.press('+');
    const twice = await windowAfter(alone, once);
    const factor = (once.to - once.from) / (twice.to - twice.from);
    assert.ok(Math.abs(factor - 1.5) < 1e-6, `closer by ${factor}`);
    assert.ok(twice.from >= once.from && twice.to <= once.to, JSON.stringify([once, twice]));
    await page.keyboard.press('Enter');
    await page.locator('.live-table tbody tr').first().waitFor();
    await page.keyboard.press('Enter');
    await eventually(() => {
      assert.equal(alone.callsOf('openSource').length, 1);
    });
    await page.keyboard.press('Home');
    await eventually(() => {
      assert.equal(lastWindow(alone), null);
    });
    await page.keyboard.press('Escape');
    await page.locator('.summary', { hasText: 'At the end of the recording' }).first().waitFor();
  });

  it('is zoomed by wheel and drag, moved with Shift, and whole again after a double click', async () => {
    const { page, harness: alone } = await opened();
    const box = await page.locator('.plot').boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 500, box.y + 100);
    await page.mouse.wheel(0, -400);
    const zoomed = await windowAfter(alone, null);
    await drag(600, 300);
    const swept = await windowAfter(alone, zoomed);
    assert.ok(swept.to - swept.from < (zoomed.to - zoomed.from) / 2);
    await page.keyboard.down('Shift');
    await drag(400, 500);
    await page.keyboard.up('Shift');
    const moved = await windowAfter(alone, swept);
    assert.ok(moved.from < swept.from);
    assert.ok(Math.abs(moved.to - moved.from - (swept.to - swept.from)) < 1);
    await page.locator('.plot').dblclick({ position: { x: 500, y: 100 } });
    await eventually(() => {
      assert.equal(lastWindow(alone), null);
    });
    assert.deepEqual(alone.callsOf('openSource'), []);

    async function drag(from: number, to: number): Promise<void> {
      assert.ok(box !== null);
      await page.mouse.move(box.x + from, box.y + 100);
      await page.mouse.down();
      await page.mouse.move(box.x + (from + to) / 2, box.y + 110, { steps: 3 });
      await page.mouse.move(box.x + to, box.y + 120, { steps: 3 });
      await page.mouse.up();
    }
  });

  it('draws the same curve during movement and at rest', async () => {
    const { page } = await open([spikySnapshot()], ['train.py', 'eval.py']);
    await choose(page, 'Color of the series', 'Curve only');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await windowAfter(session.current!, null);
    const look = async (color: string) => {
      const canvas = document.querySelector<HTMLCanvasElement>('canvas.curve')!;
      const wanted = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
      /** By column, the highest row that has the line's color. */
      const rows = (): number[] => {
        const { width, height } = canvas;
        const data = canvas.getContext('2d')!.getImageData(0, 0, width, height).data;
        const isLine = (at: number): boolean =>
          wanted.every((channel, i) => Math.abs(data[at + i] - channel) < 70) && data[at + 3] > 60;
        return Array.from({ length: width }, (_, x) => {
          for (let y = 0; y < height; y++) if (isLine((y * width + x) * 4)) return y;
          return -1;
        });
      };
      const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
      /** Twice the time after which it is drawn as what stands still, without a change. */
      const still = async (): Promise<string> => {
        for (let bytes = ''; ;) {
          const before = bytes;
          await new Promise((resolve) => setTimeout(resolve, 500));
          bytes = canvas.toDataURL();
          if (bytes === before) return bytes;
        }
      };
      await still();
      const { left, top } = canvas.getBoundingClientRect();
      const turn = {
        deltaY: 1,
        shiftKey: true,
        clientX: left + 300,
        clientY: top + 100,
        bubbles: true,
        cancelable: true,
      };
      canvas.dispatchEvent(new WheelEvent('wheel', turn));
      await frame();
      await frame();
      const moving = { rows: rows(), bytes: canvas.toDataURL() };
      const bytes = await still();
      return { moving, still: { rows: rows(), bytes } };
    };
    // Where two frames take longer than it moves, once more.
    const { moving, still } = await eventually(async () => {
      const pictures = await page.evaluate(look, themes.dark.variables['charts-blue']);
      assert.notEqual(pictures.moving.bytes, pictures.still.bytes, 'it was not drawn as what moves');
      return pictures;
    });
    const drawn = still.rows.filter((row) => row >= 0).length;
    assert.ok(drawn > 400, `${drawn} columns`);
    const alike = still.rows.filter((row, x) => row >= 0 && Math.abs(row - moving.rows[x]) <= 2).length;
    assert.ok(alike >= 0.98 * drawn, `${alike} of ${drawn} columns are alike`);
    assert.equal(Math.min(...moving.rows.filter((row) => row >= 0)), Math.min(...still.rows.filter((row) => row >= 0)));
  });

  it('sorts and filters the list, and announces it to screen readers', async () => {
    const { page } = await opened();
    await page.getByText('what holds it').click();
    await page.locator('.live-table tbody tr').first().waitFor();
    const blocks = async (): Promise<number[]> =>
      page
        .locator('.live-table tbody tr td:nth-child(3)')
        .evaluateAll((cells) => cells.map((cell) => Number(cell.textContent.replace(/\D/g, ''))));
    await page.getByRole('button', { name: 'Blocks' }).click();
    const sorted = await blocks();
    assert.deepEqual(
      sorted,
      [...sorted].sort((a, b) => b - a),
    );
    assert.equal(await page.getByRole('columnheader', { name: 'Blocks' }).getAttribute('aria-sort'), 'descending');
    assert.equal(await page.getByRole('columnheader', { name: 'Bytes' }).getAttribute('aria-sort'), 'none');
    await page.getByRole('textbox', { name: 'Search' }).fill('pyramid.py:16');
    await eventually(async () => {
      assert.equal((await blocks()).length, 1);
    });
    assert.match(await page.locator('.live-table tfoot').innerText(), /Shown: 1 of \d+[^]*Total = live bytes/);
    await page.getByRole('textbox', { name: 'Search' }).fill('no such line');
    await page.getByText('No line matches the filter.').waitFor();
  });

  it('gives the curve as a table, from which an instant can be looked into', async () => {
    const { page } = await opened();
    await page.getByRole('tab', { name: 'Table' }).click();
    const row = page.locator('.curve-table tr', { hasText: 'Highest' });
    assert.match(await row.innerText(), /1\.5 GiB/);
    assert.equal(await page.locator('.plot').isVisible(), true);
    await row.getByRole('button').click();
    await page.getByRole('tab', { name: 'Lines' }).click();
    await page.locator('.live-table', { hasText: 'pyramid.py:16' }).waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    await page.reload();
    assert.match(await row.innerText(), /1\.5 GiB/);
  });

  it('is as it was after a reload', async () => {
    const { page } = await opened();
    await choose(page, 'Horizontal axis', 'Events');
    await page.locator('.plot').click({ position: { x: 400, y: 80 } });
    await page.locator('.live-table tbody tr').first().waitFor();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('textbox', { name: 'Search' }).fill('train');
    const summary = await page.locator('.live:not(.flame, .map, .tabled) .summary').innerText();
    await eventually(async () => {
      const saved = await page.evaluate(() => sessionStorage.getItem('vscode-state'));
      assert.match(saved ?? '', /"filter":"train"/);
    });
    const windowBefore = session.current === undefined ? null : lastWindow(session.current);
    await page.reload();
    await page.locator('.live-table tbody tr').first().waitFor();
    assert.equal(await page.locator('.live:not(.flame, .map, .tabled) .summary').innerText(), summary);
    assert.equal(
      await page.getByRole('combobox', { name: 'Horizontal axis' }).locator('.selected-value').innerText(),
      'Events',
    );
    assert.equal(await page.getByRole('textbox', { name: 'Search' }).inputValue(), 'train');
    assert.deepEqual(session.current === undefined ? null : lastWindow(session.current), windowBefore);
  });

  it('offers every snapshot, and follows the extension to another', async () => {
    const alone = await open([early, late]);
    const { page } = alone;
    const dropdown = page.getByRole('combobox', { name: 'Snapshot' });
    assert.equal(await dropdown.locator('.selected-value').innerText(), 'step_0040.pickle');
    await dropdown.click();
    await page.getByRole('option', { name: 'step_0005.pickle' }).click();
    await eventually(() => {
      assert.deepEqual(selected(alone), early);
    });
    alone.setState({
      request: 1,
      selected: { path: late, device: 0 },
      highlight: { file: 'detector/pyramid.py', line: 16 },
    });
    await page.locator('.live-table tr[aria-current]', { hasText: 'detector/pyramid.py:16' }).waitFor();
    assert.deepEqual(selected(alone), late);
    assert.equal(await dropdown.locator('.selected-value').innerText(), 'step_0040.pickle');
  });

  it('shows a failure in its place, and tries again on request', async () => {
    const { page, harness: alone } = await opened();
    alone.failing.set('liveAt', 'It changed while it was read.');
    await page.locator('.plot').click({ position: { x: 400, y: 80 } });
    const alert = page.getByRole('alert').filter({ hasText: 'It changed while it was read.' });
    await alert.waitFor();
    alone.failing.clear();
    await alert.getByText('Retry').click();
    await page.locator('.live-table tbody tr').first().waitFor();
    assert.equal(await alert.isVisible(), false);
    alone.failing.set('timeline', 'The file is gone.');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('alert').filter({ hasText: 'The file is gone.' }).waitFor();
    alone.failing.clear();
    await page.getByRole('alert').getByText('Retry').click();
    await page.getByRole('alert').filter({ hasText: 'The file is gone.' }).waitFor({ state: 'hidden' });
  });

  it('without snapshots, explains how to make one and opens one', async () => {
    const alone = await open([]);
    const { page } = alone;
    await page.getByText('No snapshot yet').waitFor();
    await page.getByText('Insert Recording Code').waitFor();
    await page.getByText('Open Snapshot…').click();
    await eventually(() => {
      assert.equal(alone.callsOf('run').length, 1);
    });
  });

  it('of a snapshot without a history explains it, and offers no empty choice', async () => {
    const { page } = await session.open({ paths: [join(FIXTURES, 'shapes/no_history.p4.pickle')] });
    await page.getByText('This snapshot has no history').waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Color of the series' }).isVisible(), false);
    assert.equal(await page.getByText('what holds it').isVisible(), false);
    await page.getByText('Save…').filter({ visible: true }).click();
    assert.deepEqual(await page.locator('.export .saved > span').allInnerTexts(), ['Live memory']);
  });

  it('counts the steps of an overflowed ring back from the last, unless the file name has a step', async () => {
    const ring = join(FIXTURES, 'shapes/ring500.p4.pickle');
    const { page } = await session.open({ paths: [ring] });
    const legend = page.locator('.legend').getByText('Step, counted back from the last');
    await legend.waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    await page.locator('.curve-table tr', { hasText: 'Step: \u22121' }).waitFor();
    await session.current?.close();
    const named = join(newFolder(), 'ring_step_40.pickle');
    copyFileSync(ring, named);
    const other = await session.open({ paths: [named] });
    await other.page.locator('.legend').getByText('Step', { exact: true }).waitFor();
    await other.page.getByRole('tab', { name: 'Table' }).click();
    await other.page.locator('.curve-table tr', { hasText: 'Step: 40' }).waitFor();
    assert.equal(await other.page.locator('.curve-table tr', { hasText: '\u2212' }).count(), 0);
  });

  it('draws the capacity within reach, and prints it otherwise', async () => {
    const { page } = await open([late], [], 2048 * MiB);
    await page.getByText('Capacity 2.0 GiB').waitFor();
    const capacity = await highestColumn(page.locator('canvas.curve'), themes.dark.variables['charts-orange']);
    assert.ok(capacity > 0);
    await session.current?.close();
    const far = await open([late], [], 80 * 1024 * MiB);
    await far.page.getByText('Capacity 80.0 GiB').waitFor();
    await assert.rejects(highestColumn(far.page.locator('canvas.curve'), themes.dark.variables['charts-orange']));
  });

  it('follows the theme while it is open', async () => {
    const { page, harness: alone } = await opened();
    for (const [name, theme] of Object.entries(themes)) {
      await alone.useTheme(name as keyof typeof themes);
      await eventually(async () => {
        await highestColumn(page.locator('canvas.curve'), theme.variables['charts-blue']);
      });
    }
  });

  /** Opened on the end of the example's run. */
  async function opened() {
    const alone = await open([late]);
    return { page: alone.page, harness: alone };
  }
});

async function curveDrawn({ page }: TimelineHarness): Promise<void> {
  await page.locator('.legend').waitFor();
  await eventually(() => highestColumn(page.locator('canvas.curve'), themes.dark.variables['charts-blue']));
}

/** Pixels from the left at which a color (`#rrggbb`) reaches highest on a canvas. */
async function highestColumn(canvas: Locator, color: string): Promise<number> {
  return canvas.evaluate((element, wanted) => {
    const { width, height } = element as HTMLCanvasElement;
    const data = (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(wanted.slice(at, at + 2), 16));
    for (let pixel = 0; pixel * 4 < data.length; pixel++) {
      const at = pixel * 4;
      const distance = Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue);
      if (distance < 12 && data[at + 3] > 128) return ((pixel % width) * element.clientWidth) / width;
    }
    throw new Error(`no pixel has the color ${wanted}`);
  }, color);
}

interface Window {
  from: number;
  to: number;
}

function lastWindow(harness: TimelineHarness): Window | null {
  return (harness.callsOf('timeline').at(-1) as { window: Window | null }).window;
}

function selected(harness: TimelineHarness): string {
  return (harness.callsOf('timeline').at(-1) as { path: string }).path;
}

/** The part of the history that is requested once it is another than before, and requested no more. */
async function windowAfter(harness: TimelineHarness, before: Window | null): Promise<Window> {
  let last: Window | null = null;
  return eventually(
    () => {
      const window = lastWindow(harness);
      assert.notDeepEqual(window, before);
      const stable = JSON.stringify(window) === JSON.stringify(last);
      last = window;
      assert.ok(window !== null && stable, 'still moving');
      return window;
    },
    { everyMs: 150 },
  );
}
