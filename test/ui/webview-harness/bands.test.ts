/** The allocations under the curve: drawn where the model says, named, selected, walked by keys, and kept over a reload. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { seededRandom } from '../../support/seededRandom.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { exampleFolder, newFolder } from '../../support/workspaces.js';
import { noBarriersInAnyTheme } from './barriers.js';
import { choose } from './choose.js';
import { harnessSession } from './harnessSession.js';
import type { HarnessOptions } from './timelineHarness.js';

const MiB = 1024 * 1024;
const late = join(exampleFolder(), 'snapshots/step_0040.pickle');
const at = (filename: string, line: number) => [{ filename, line, name: 'step' }];

/** Live MiB by line after each event, by adding up. Series lie in the order of the names: the longest-lived first. */
interface Truth {
  path: string;
  names: string[];
  states: Record<string, number>[];
}

/** `weights.py:1` stays from the start, `leak.py:2` grows, `batch.py:3` comes and goes. */
function smallModel(): Truth {
  const run = new TrainingRun();
  const live: Record<string, number> = { 'weights.py:1': 0, 'leak.py:2': 0, 'batch.py:3': 0 };
  const states: Record<string, number>[] = [];
  // Each allocation is a segment's event and its own, each free two events and the segment's.
  const note = (line: string, mib: number, events: readonly boolean[]): void => {
    for (const counts of events) {
      if (counts) live[line] += mib;
      states.push({ ...live });
    }
  };
  run.allocate(40 * MiB, at('/job/weights.py', 1));
  note('weights.py:1', 40, [false, true]);
  for (let step = 0; step < 6; step++) {
    run.allocate(10 * MiB, at('/job/leak.py', 2));
    note('leak.py:2', 10, [false, true]);
    const batch = run.allocate(30 * MiB, at('/job/batch.py', 3));
    note('batch.py:3', 30, [false, true]);
    run.free(batch);
    note('batch.py:3', -30, [false, true, false]);
  }
  const path = join(newFolder(), 'small_step_6.pickle');
  writeFileSync(path, run.dump());
  return { path, names: ['weights.py:1', 'leak.py:2', 'batch.py:3'], states };
}

/** A thousand small allocations that stay, and between two of them one large that lives for a single event. */
function spikySnapshot(): string {
  const run = new TrainingRun();
  for (let step = 0; step < 1000; step++) {
    run.allocate(4096, at('/job/train.py', 10));
    if (step === 600) run.free(run.allocate(300 * MiB, at('/job/eval.py', 7)));
  }
  const path = join(newFolder(), 'spiky_step_1.pickle');
  writeFileSync(path, run.dump());
  return path;
}

/** 70 GiB that stay, and forty allocations of 64 KiB on top of them. */
function plateau(): string {
  const run = new TrainingRun();
  run.allocate(70 * 1024 * MiB, at('/job/weights.py', 1));
  for (let step = 0; step < 40; step++) {
    run.allocate(64 * 1024, at('/job/leak.py', 2));
    run.free(run.allocate(4096, at('/job/batch.py', 3)));
  }
  const path = join(newFolder(), 'plateau_step_40.pickle');
  writeFileSync(path, run.dump());
  return path;
}

/** Twelve thousand allocations and frees of sixty lines, of all sizes. */
function busySnapshot(): string {
  const run = new TrainingRun();
  const below = seededRandom(11);
  const live: number[] = [];
  for (let event = 0; event < 12_000; event++) {
    if (live.length > 200 && below(2) === 0) run.free(live.splice(below(live.length), 1)[0]);
    else {
      const size = 512 * (1 + below(2 ** below(16)));
      live.push(run.allocate(size, at('/job/train.py', 1 + below(60))));
    }
  }
  const path = join(newFolder(), 'busy_step_1.pickle');
  writeFileSync(path, run.dump());
  return path;
}

describe('the allocations under the curve', () => {
  const session = harnessSession();

  async function open(path: string, files: readonly string[], options: Partial<HarnessOptions> = {}) {
    const opened = await session.open({ paths: [path], files, ...options });
    await bandsDrawn(opened.page);
    return opened;
  }

  it('are drawn at the places of the model', async () => {
    const { path, names, states } = smallModel();
    const { page } = await open(path, ['weights.py', 'leak.py', 'batch.py']);
    await choose(page, 'Color of the series', 'By line');
    await choose(page, 'Horizontal axis', 'Events');
    await eventually(async () => {
      await assertDrawn(page, names, states);
    });
  });

  it('name a peak of one event exactly once it is zoomed to', async () => {
    const { page } = await open(spikySnapshot(), ['train.py', 'eval.py']);
    await choose(page, 'Horizontal axis', 'Events');
    await page.locator('.plot').focus();
    const readout = page.locator('.readout');
    // Without a time, so the new axis is known: keys are lost until it is.
    await eventually(async () => {
      await page.keyboard.press('ArrowUp');
      await readout.filter({ hasText: /30[24] MiB live.*reserved\s*event/ }).waitFor({ timeout: 1_000 });
    });
    for (let i = 0; i < 16; i++) await page.keyboard.press('+');
    await page.keyboard.press('Alt+ArrowDown');
    await readout.filter({ hasText: /eval\.py:7[^]*300 MiB, one allocation/ }).waitFor();
    await page.keyboard.press('Enter');
    const card = page.locator('.selection');
    await card.filter({ hasText: /eval\.py:7[^]*300 MiB, one allocation[^]*freed by event/ }).waitFor();
    assert.equal(await card.locator('h2').getAttribute('title'), `${(300 * MiB).toLocaleString('en')} bytes`);
    await page.keyboard.press('Enter');
    await eventually(() => {
      assert.deepEqual(session.current?.callsOf('openSource'), [{ file: 'eval.py', line: 7 }]);
    });
  });

  it('leave a pixel wherever anything is live, and a peak of one event its column', async () => {
    const { page } = await open(spikySnapshot(), ['train.py', 'eval.py']);
    await choose(page, 'Horizontal axis', 'Events');
    await eventually(async () => {
      const { empty, full } = await columnsOf(page.locator('.bands canvas').first());
      // Nothing is live before the first allocation.
      assert.ok(
        empty.every((column) => column === 0),
        `nothing in ${empty.length} columns, ${empty.slice(0, 9).join()}`,
      );
      assert.ok(full === 1 || full === 2, `${full} columns are as high as the peak`);
    });
  });

  it('of a few kB on a plateau of 70 GiB are seen once the byte axis is zoomed to, and whole again', async () => {
    const opened = await open(plateau(), ['weights.py', 'leak.py', 'batch.py']);
    const { page } = opened;
    const key = page.locator('.band-key');
    const allBytes = page.getByRole('button', { name: 'All bytes' });
    await choose(page, 'Color of the series', 'By line');
    await key.filter({ hasText: 'weights.py:1' }).waitFor();
    assert.doesNotMatch(await key.innerText(), /leak\.py:2/);
    assert.equal(await allBytes.isVisible(), false);
    await page.locator('.plot').focus();
    await page.keyboard.press('ArrowUp');
    for (let i = 0; i < 24; i++) await page.keyboard.press('Alt+Equal');
    await key.filter({ hasText: 'leak.py:2' }).waitFor();
    await eventually(() => {
      const { bytes } = opened.callsOf('bands').at(-1) as { bytes: { from: number; to: number } };
      assert.ok(bytes.from > 69.9 * 1024 * MiB && bytes.to - bytes.from < 8 * MiB, JSON.stringify(bytes));
    });
    const highest = (70 * 1024 * MiB + 40 * 64 * 1024 + 4096).toLocaleString('en');
    await page.locator('.readout', { hasText: `${highest} bytes live` }).waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    await page.locator('.readout', { hasText: /leak\.py:2[^]*64\.0 KiB, one allocation/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.selection h2[title="65,536 bytes"]').waitFor();
    await eventually(async () => {
      assert.ok(new Set(await hues(page)).size >= 2, 'no second line is drawn');
    });
    await page.reload();
    await key.filter({ hasText: 'leak.py:2' }).waitFor();
    await page.locator('.plot').focus();
    await page.keyboard.press('Alt+Home');
    await allBytes.waitFor({ state: 'hidden' });
  });

  it('are zoomed to by a wheel over the byte axis, by a box, and moved with Shift', async () => {
    const opened = await open(late, []);
    const { page } = opened;
    const asked = async (
      is: (query: { window: object | null; bytes: { from: number; to: number } | null }) => boolean,
    ) =>
      eventually(() => {
        const query = opened.callsOf('bands').at(-1) as { window: object | null; bytes: { from: number; to: number } };
        assert.ok(is(query), JSON.stringify(query));
        return query.bytes;
      });
    const plot = await page.locator('.plot').boundingBox();
    const bands = await page.locator('.bands').boundingBox();
    assert.ok(plot !== null && bands !== null);
    await page.mouse.move(plot.x + 10, bands.y + bands.height / 2);
    await page.mouse.wheel(0, -400);
    const zoomed = await asked(({ window, bytes }) => window === null && bytes !== null && bytes.from > 0);
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Shift');
    const moved = await asked(({ bytes }) => bytes !== null && bytes.from > zoomed.from);
    assert.ok(Math.abs(moved.to - moved.from - (zoomed.to - zoomed.from)) < 1);
    await page.mouse.dblclick(plot.x + 10, bands.y + bands.height / 2);
    await page.getByRole('button', { name: 'All bytes' }).waitFor({ state: 'hidden' });
    await page.keyboard.down('Alt');
    await page.mouse.move(bands.x + bands.width * 0.25, bands.y + bands.height * 0.2);
    await page.mouse.down();
    await page.mouse.move(bands.x + bands.width * 0.5, bands.y + bands.height * 0.7, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Alt');
    const boxed = await asked(({ window, bytes }) => window !== null && bytes !== null);
    const top = boxed.to / 0.8;
    assert.ok(Math.abs(boxed.from - top * 0.3) < top * 0.01, `${boxed.from} of ${top}`);
    await page.mouse.dblclick(bands.x + bands.width * 0.5, bands.y + 20);
    await page.getByRole('button', { name: 'All bytes' }).waitFor({ state: 'hidden' });
    await eventually(() => {
      assert.equal((opened.callsOf('timeline').at(-1) as { window: object | null }).window, null);
    });
  });

  it('are named under the mouse, selected by a click, and opened by a second one', async () => {
    const { page } = await open(late, ['detector/pyramid.py', 'train.py']);
    const point = await placeIn(page, 0.6, 0.2);
    await page.locator('.plot').hover({ position: point });
    await page.locator('.readout', { hasText: 'detector/pyramid.py:16' }).waitFor();
    await page.locator('.plot').click({ position: point });
    await page.locator('.selection', { hasText: 'detector/pyramid.py:16' }).waitFor();
    const frames = page.locator('.selection .stack > li');
    assert.match((await frames.nth(1).innerText()).trim(), /detector\/pyramid\.py:16 <listcomp>$/);
    const folded = frames.first().locator('li');
    assert.equal(await folded.first().isVisible(), false);
    await frames.first().getByText('1 library frame').click();
    assert.match(await folded.first().innerText(), /torch.* relu$/);
    assert.equal(await folded.count(), 1);
    await page.locator('.live-table tbody tr').first().waitFor();
    assert.deepEqual(session.current?.callsOf('openSource'), []);
    await page.waitForTimeout(600); // or it would be a double click
    await page.locator('.plot').click({ position: point });
    await eventually(() => {
      assert.deepEqual(session.current?.callsOf('openSource'), [{ file: 'detector/pyramid.py', line: 16 }]);
    });
    await page.getByText('Clear', { exact: true }).click();
    await page.locator('.selection').waitFor({ state: 'hidden' });
  });

  it('can be walked with keys, and are spoken', async () => {
    const { page } = await open(late, ['detector/pyramid.py', 'train.py']);
    await page.locator('.plot').focus();
    await page.keyboard.press('ArrowUp');
    const spoken = page.locator('.chart [role=status]');
    await page.keyboard.press('Alt+ArrowUp');
    await eventually(async () => {
      assert.match((await spoken.textContent()) ?? '', /pyramid\.py:16.* Series (\d+) of \1 from the top/);
    });
    const lowest = await spoken.textContent();
    await page.keyboard.press('Alt+ArrowUp');
    await eventually(async () => {
      assert.notEqual(await spoken.textContent(), lowest);
    });
    await page.keyboard.press('Alt+ArrowDown');
    await eventually(async () => {
      assert.equal(await spoken.textContent(), lowest);
    });
  });

  it('of the line that the editor’s cursor is on are pointed out', async () => {
    const { page, ...rest } = await open(late, ['detector/pyramid.py', 'train.py']);
    const before = await inked(page);
    session.current?.moveCursor({ file: 'train.py', line: 22 });
    await eventually(async () => {
      assert.ok((await inked(page)) > before + 500, 'nothing more is drawn');
    });
    session.current?.moveCursor({ file: 'train.py', line: 1 });
    await eventually(async () => {
      assert.equal(await inked(page), before);
    });
    assert.ok(rest);
  });

  it('have the colors of the selected property, with a legend', async () => {
    const { page } = await open(late, ['detector/pyramid.py', 'train.py']);
    const key = page.locator('.band-key');
    await key.locator('li').first().waitFor();
    for (const [grouping, word] of [
      ['By age', 'Live at the end'],
      ['By category', 'Activations'],
      ['By line', 'detector/pyramid.py:16'],
      ['By verdict', 'Freed at the end'],
      ['By stack', 'detector/pyramid.py:16'],
      ['By file', 'detector/pyramid.py'],
    ] as const) {
      await choose(page, 'Color of the series', grouping);
      await key.filter({ hasText: word }).waitFor();
    }
    await page.getByRole('tab', { name: 'Table' }).click();
    await choose(page, 'Table of', 'Series in view');
    await page
      .locator('.band-table tr', { hasText: 'detector/pyramid.py:16' })
      .filter({ hasText: '1.4 GiB' })
      .waitFor();
  });

  it('can be left out', async () => {
    const { page } = await open(late, []);
    await choose(page, 'Color of the series', 'Curve only');
    await page.locator('.bands').waitFor({ state: 'hidden' });
  });

  it('that were allocated in view and are live are listed, by line and by stack', async () => {
    const { page } = await open(late, ['detector/pyramid.py', 'train.py']);
    await choose(page, 'Live memory', 'Allocated in view, still live');
    const total = async (): Promise<number> => exact(page, '.live-table tfoot tr.total td');
    await page.locator('.live .summary', { hasText: 'allocations in view' }).waitFor();
    const whole = await total();
    await page.getByRole('tab', { name: 'Stacks' }).click();
    await page.locator('.live-table td.function', { hasText: '\u2190' }).first().waitFor();
    assert.equal(await total(), whole);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await eventually(async () => {
      assert.ok((await total()) < whole, 'the total is still that of the whole');
    });
    const rows = await page
      .locator('.live-table tbody td:first-child[title]')
      .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLElement).title.replace(/\D/g, ''))));
    assert.equal(
      rows.reduce((sum, bytes) => sum + bytes, 0),
      await total(),
    );
  });

  it('are as they were after a reload', async () => {
    const { page } = await open(late, ['detector/pyramid.py', 'train.py']);
    await choose(page, 'Color of the series', 'By age');
    await page.locator('.band-key', { hasText: 'Live at the end' }).waitFor();
    await page.locator('.plot').click({ position: await placeIn(page, 0.6, 0.2) });
    const card = page.locator('.selection');
    await card.waitFor();
    const text = await card.innerText();
    await page.reload();
    await page.locator('.band-key', { hasText: 'Live at the end' }).waitFor();
    await card.waitFor();
    assert.equal(await card.innerText(), text);
  });

  it('cost less than 200 kB for a zoom at 1,600 pixels, curve and all', async () => {
    const opened = await open(busySnapshot(), [], { viewport: { width: 1720, height: 900 } });
    const { page } = opened;
    for (let zoom = 0; zoom < 4; zoom++) {
      const before = opened.bytesSent;
      const asked = opened.callsOf('bands').length;
      await page.getByRole('button', { name: zoom < 2 ? 'Zoom in' : 'Zoom out' }).click();
      await eventually(() => {
        assert.ok(opened.callsOf('bands').length > asked || zoom === 3, 'no bands are requested');
      });
      let bytes = 0;
      await eventually(
        () => {
          const earlier = bytes;
          bytes = opened.bytesSent - before;
          assert.ok(bytes > 20_000, `${bytes} bytes for zoom ${zoom}`);
          assert.equal(bytes, earlier, 'more is being sent');
        },
        { everyMs: 500 },
      );
      assert.ok(bytes < 200_000, `${bytes} bytes for zoom ${zoom}`);
    }
  });

  it('pass the rules of accessibility in every theme, also at twice the size and as a table', async () => {
    const opened = await open(late, ['detector/pyramid.py', 'train.py']);
    const { page } = opened;
    await page.locator('.plot').click({ position: await placeIn(page, 0.6, 0.2) });
    await page.locator('.live-table tbody tr').first().waitFor();
    for (const table of [false, true]) {
      if (table) await page.getByRole('tab', { name: 'Table' }).click();
      await noBarriersInAnyTheme(opened, table ? 'bands-table' : 'bands', ['13px', '26px']);
    }
  });
});

/** Waits until the layer has pixels. */
async function bandsDrawn(page: Page): Promise<void> {
  await eventually(async () => {
    assert.ok((await inked(page, '.bands canvas')) > 0, 'no bands are drawn');
  });
}

/** Hues of the pixels of the first canvas, a sample of them. */
async function hues(page: Page): Promise<string[]> {
  const colors = await page
    .locator('.bands canvas')
    .first()
    .evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const image = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      const found = new Set<string>();
      for (let at = 0; at < image.length; at += 44) {
        if (image[at + 3] > 0) found.add([...image.slice(at, at + 3)].join());
      }
      return [...found];
    });
  return colors.map(hueOf);
}

/** A place inside the plot's area, by its shares. */
async function placeIn(page: Page, across: number, up: number): Promise<{ x: number; y: number }> {
  const plot = await page.locator('.plot').boundingBox();
  const bands = await page.locator('.bands').boundingBox();
  assert.ok(plot !== null && bands !== null);
  return {
    x: bands.x - plot.x + bands.width * across,
    y: bands.y - plot.y + bands.height * (1 - up),
  };
}

/** How many pixels are drawn: of the bands, or of what lies over them. */
async function inked(page: Page, canvas: '.bands canvas' | 'canvas.curve' = 'canvas.curve'): Promise<number> {
  return page.locator(canvas).evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const image = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let count = 0;
    for (let at = 3; at < image.length; at += 4) if (image[at] > 0) count++;
    return count;
  });
}

/** Columns of a canvas whose lowest pixel is empty, and how many are filled to nine tenths of the highest. */
async function columnsOf(canvas: Locator): Promise<{ empty: number[]; full: number }> {
  return canvas.evaluate((element) => {
    const { width, height } = element as HTMLCanvasElement;
    const { data } = (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height) ?? { data: [] };
    const isDrawn = (x: number, y: number): boolean => data[(y * width + x) * 4 + 3] > 0;
    const columns = Array.from({ length: width }, (_, x) => x);
    const heights = columns.map((x) => Array.from({ length: height }, (_, y) => y).filter((y) => isDrawn(x, y)).length);
    const highest = Math.max(...heights);
    return {
      empty: columns.filter((x) => !isDrawn(x, height - 1)),
      full: heights.filter((drawn) => drawn > 0.9 * highest).length,
    };
  });
}

async function exact(page: Page, cell: string): Promise<number> {
  const title = await page.locator(cell).first().getAttribute('title');
  const bytes = Number((title ?? '').replace(/\D/g, ''));
  assert.ok(bytes > 0, `no bytes: ${title ?? ''}`);
  return bytes;
}

/** Reads the canvas in the middle of each event's column and holds it against the states. */
async function assertDrawn(
  page: Page,
  names: readonly string[],
  states: readonly Record<string, number>[],
): Promise<void> {
  const { width, height, columns } = await page
    .locator('.bands canvas')
    .first()
    .evaluate((element, count) => {
      const canvas = element as HTMLCanvasElement;
      const image = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      // The last event has no width: it is the end of the axis.
      const read = Array.from({ length: count - 1 }, (_, event) => {
        const x = Math.round(((event + 0.6) / (count - 1)) * canvas.width);
        return Array.from({ length: canvas.height }, (_none, y) => {
          const first = (y * canvas.width + x) * 4;
          return image[first + 3] === 0 ? '' : [...image.slice(first, first + 3)].join();
        });
      });
      return { width: canvas.width, height: canvas.height, columns: read };
    }, states.length);
  assert.ok(width > 500 && height > 100, `${width} × ${height}`);
  const highest = Math.max(...states.map((state) => sum(Object.values(state))));
  // What the top of the axis is follows from where the highest state reaches.
  const reach = Math.max(...columns.map((column) => column.filter((color) => color !== '').length));
  const perMib = reach / highest;
  const colorOf = new Map<string, string>();
  columns.forEach((column, event) => {
    let below = 0;
    for (const name of names) {
      const mib = states[event][name];
      const middle = column.at(Math.round(height - (below + mib / 2) * perMib)) ?? '';
      below += mib;
      if (mib === 0) continue;
      // An allocation has one of two shades, and the edge between two may lie in the middle.
      const hue = hueOf(middle);
      const known = colorOf.get(name) ?? hue;
      colorOf.set(name, known);
      assert.equal(hue, known, `${name} after event ${event}`);
    }
    const filled = column.filter((color) => color !== '').length;
    assert.ok(Math.abs(filled - below * perMib) <= 1.5, `${filled} rows after event ${event}, not ${below * perMib}`);
  });
  assert.equal(new Set(colorOf.values()).size, names.length, 'lines share a color');
}

/** Hue in classes of ten degrees, whatever the shade. */
function hueOf(color: string): string {
  const [red, green, blue] = color.split(',').map(Number);
  const max = Math.max(red, green, blue);
  const reach = max - Math.min(red, green, blue);
  if (reach === 0) return 'gray';
  const sector =
    max === red
      ? ((green - blue) / reach + 6) % 6
      : max === green
        ? (blue - red) / reach + 2
        : (red - green) / reach + 4;
  return String(Math.round(sector * 6));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
