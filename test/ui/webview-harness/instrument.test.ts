/** The page as a tool: it fills its window and never scrolls, a click is answered in sight, and says what was pointed at. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { seededRandom } from '../../support/seededRandom.js';
import { repositoryRoot } from '../../support/repository.js';
import { picklesUnder } from '../../support/snapshots.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { exampleFolder, newFolder } from '../../support/workspaces.js';
import { harnessSession } from './harnessSession.js';
import { picture } from './picture.js';
import { themes } from './themes.js';
import { everyNth, tries } from '../../support/sample.js';

const MiB = 1024 * 1024;
const run = picklesUnder(join(exampleFolder(), 'snapshots'));
const files = ['train.py', ...['__init__', 'backbone', 'data', 'head', 'pyramid'].map((name) => `detector/${name}.py`)];

/** Many small allocations of a few lines, and a spike of 300 MiB for a twentieth of the history. */
function spike(): string {
  const training = new TrainingRun();
  const at = (filename: string, line: number) => [{ filename, line, name: 'step' }];
  for (let step = 0; step < 400; step++) {
    training.allocate(4096 * (1 + (step % 5)), at('/job/train.py', 10 + (step % 5)));
    if (step !== 200) continue;
    const large = training.allocate(300 * MiB, at('/job/eval.py', 7));
    for (let i = 0; i < 20; i++) training.allocate(4096, at('/job/eval.py', 9));
    training.free(large);
  }
  const path = join(newFolder(), 'spike_step_1.pickle');
  writeFileSync(path, training.dump());
  return path;
}

/** A file that is read in several pieces. */
function longHistory(): string {
  const training = new TrainingRun();
  const at = [{ filename: '/job/train.py', line: 10, name: 'step' }];
  for (let step = 0; step < 25_000; step++) {
    const block = training.allocate(4096 * (1 + (step % 500)), at);
    if (step % 100 > 0) training.free(block);
  }
  const path = join(newFolder(), 'long_step_1.pickle');
  writeFileSync(path, training.dump());
  return path;
}

/** Recordings that ran out of memory: a fixture, and two that other people published, which are read where they lie. */
const real = join(repositoryRoot(), '../shared/corpus/real');
const outOfMemory = [
  {
    path: join(repositoryRoot(), 'test/fixtures/shapes/multidevice_oom.pickle'),
    device: 2,
    asked: { file: '/workspace/train/model/ops_4.py', line: 10, bytes: '400 MiB', live: 31_459_840 },
  },
  {
    path: join(real, 'Nesta-gitU+discrete_diffusion/memory_snapshot.json'),
    device: 0,
    asked: {
      file: 'src/models/components/nets/transformers/dit.py',
      line: 125,
      bytes: '384 MiB',
      live: 23_278_960_640,
    },
  },
  {
    path: join(real, 'Constructor-Sun+code_location/memory_snapshot.pickle'),
    device: 1,
    asked: { file: 'src/train/models.py', line: 181, bytes: '4.9 GiB', live: 84_063_358_976 },
  },
];

describe('the page as a tool', () => {
  const session = harnessSession();

  for (const [width, height] of [
    [700, 500],
    [1024, 700],
    [1600, 1000],
  ]) {
    it(`shows the largest lines of a spike that is clicked, without scrolling, at ${width}×${height}`, async () => {
      const { page } = await session.open({
        paths: [spike()],
        files: ['train.py', 'eval.py'],
        viewport: { width, height },
      });
      await drawn(page);
      const { x, y } = await highest(page);
      await page.mouse.click(x, y + 4);
      const row = page.locator('.live-table tbody tr').first();
      await row.filter({ hasText: 'eval.py:7' }).filter({ hasText: '300 MiB' }).waitFor();
      await page.locator('.selection', { hasText: 'eval.py:7' }).waitFor();
      for (const part of [row, page.locator('.live-table tbody tr').nth(1), page.locator('.selection h2')]) {
        assert.ok(await isInSight(part), `${await part.innerText()} is out of sight`);
      }
      await unscrolled(page);
    });
  }

  const sizes = [
    [480, 400],
    [1024, 700, 26],
    [700, 500, 26],
    [1600, 1000],
    [690, 220],
    [1400, 330],
    [1200, 240],
    [700, 500],
    [1600, 1000, 26],
  ];
  for (const [width, height, font = 13] of everyNth(sizes, 2)) {
    it(`never scrolls as a page, whatever tab shows, at ${width}×${height} and ${font} px`, async () => {
      const alone = await session.open({ paths: run, files, viewport: { width, height } });
      const { page } = alone;
      await alone.useTheme('dark', `${font}px`);
      await drawn(page);
      const area = await page.locator('.bands').boundingBox();
      assert.ok(area !== null);
      await page.mouse.click(area.x + area.width * 0.7, area.y + area.height - 3);
      for (const tab of ['Stacks', 'Flame Graph', 'Memory Map', 'Table', 'Lines']) {
        await page.getByRole('tab', { name: tab }).click();
        await unscrolled(page);
        assert.ok(await isInSight(page.getByRole('tab', { name: tab })), `${tab} is out of sight`);
      }
      assert.ok(((await page.locator('.plot').boundingBox())?.height ?? 0) > 3 * font, 'the chart has no height');
    });
  }

  it('leaves the chart to the overview where rows would have no room', async () => {
    const alone = await session.open({ paths: run, files, viewport: { width: 480, height: 400 } });
    const { page } = alone;
    await alone.useTheme('dark', '26px');
    await page.locator('.plot').waitFor({ state: 'hidden' });
    const rows = page.locator('.live-table tbody tr');
    await rows.first().waitFor();
    await eventually(async () => {
      assert.ok(await isInSight(rows.first().locator('button')), 'no row is in sight');
    });
    for (const tab of ['Stacks', 'Flame Graph', 'Memory Map', 'Table', 'Lines']) {
      await page.getByRole('tab', { name: tab }).click();
      await unscrolled(page);
      assert.ok(await isInSight(page.getByRole('tab', { name: tab })), `${tab} is out of sight`);
    }
    await page.locator('.run-strip').click({ position: { x: 100, y: 50 } });
    await page.locator('.live .summary', { hasText: 'event ' }).waitFor();
    await picture(page, 'small-window-large-font');
  });

  it('fills the overview while a file is read, and draws it whole afterwards', async () => {
    const alone = await session.open({ paths: [], viewport: { width: 1000, height: 700 } });
    const { page } = alone;
    await page.getByRole('heading', { name: 'No snapshot yet' }).waitFor();
    const path = longHistory();
    alone.setState({ reading: true });
    const strip = page.locator('.reading-strip');
    const inked: number[] = [];
    for (const fraction of [0.25, 0.75]) {
      alone.tellProgress({ path, fraction, from: 0.1, live: Float64Array.from({ length: 200 }, (_, i) => i) });
      await page.getByText(`Reading long_step_1.pickle: ${fraction * 100} %`).waitFor();
      inked.push(
        await strip.evaluate((canvas: HTMLCanvasElement) => {
          const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
          return pixels.filter((value, at) => at % 4 === 3 && value > 0).length;
        }),
      );
    }
    assert.ok(inked[0] > 0 && inked[1] > 2 * inked[0], inked.join());
    await alone.load(path);
    await drawn(page);
    assert.ok(alone.noticesOf('reading').every((bytes) => bytes < 10_000));
  });

  it('gives chart and tabs the heights of the splitter, also after a reload', async () => {
    const { page } = await session.open({ paths: run, files, viewport: { width: 900, height: 700 } });
    await drawn(page);
    const heightOf = async (): Promise<number> => (await page.locator('.history').boundingBox())?.height ?? 0;
    const before = await heightOf();
    const bar = page.getByRole('separator');
    const box = await bar.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 100, box.y + 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 100, box.y - 98, { steps: 4 });
    await page.mouse.up();
    const after = await heightOf();
    assert.ok(Math.abs(before - after - 100) < 8, `${before} became ${after}`);
    await bar.press('ArrowDown');
    const moved = await heightOf();
    assert.ok(moved > after, 'the key does not move it');
    const kept = await eventually(async () => {
      const state = (await page.evaluate(() => sessionStorage.getItem('vscode-state'))) ?? '';
      const now = Number(await bar.getAttribute('aria-valuenow'));
      assert.equal(Math.round(Number(/"split":([\d.]+)/.exec(state)?.[1]) * 100), now);
      return now;
    });
    await page.reload();
    await drawn(page);
    assert.equal(await bar.getAttribute('aria-valuenow'), String(kept));
  });

  it('draws leaks in the leak color and calm memory without one, in every theme', async () => {
    const alone = await session.open({ paths: run, files, folder: exampleFolder() });
    await drawn(alone.page);
    for (const name of Object.keys(themes) as (keyof typeof themes)[]) {
      await alone.useTheme(name);
      const { 'leakline-leakForeground': leak, 'editor-background': background } = themes[name].variables;
      // So that allocations of a line stand apart, some are a shade nearer to the background.
      const shades = [1, 0.86, 0.74, 0.74 * 0.86].map((share) =>
        mixed(channelsOf(leak), channelsOf(background), share),
      );
      const isLeak = (color: string): boolean => shades.some((shade) => near(color, shade, 12));
      await eventually(async () => {
        const colors = await colorsOf(alone.page);
        const total = [...colors.values()].reduce((sum, count) => sum + count, 0);
        const pixels = [...colors].filter(([color]) => isLeak(color)).reduce((sum, [, count]) => sum + count, 0);
        assert.ok(pixels > total / 2, `${name}: ${pixels} of ${total} pixels in the leak color`);
        // Edges between the allocations of a line are its color, darker.
        const edges = shades.map((shade) => shade.map((channel) => channel * 0.6));
        const isEdge = (color: string): boolean => edges.some((edge) => near(color, edge, 12));
        const calm = [...colors].filter(([color]) => !isLeak(color) && !isEdge(color));
        assert.ok(calm.length > 0, `${name}: nothing calm`);
        for (const [color] of calm) {
          const channels = color.split(',').map(Number);
          assert.ok(Math.max(...channels) - Math.min(...channels) < 48, `${name}: ${color} is no gray`);
        }
      });
    }
  });

  it('selects the event and the bytes of the readout, at random points', async () => {
    const points = tries(200, 50);
    const alone = await session.open({ paths: run.slice(-1), files, viewport: { width: 1000, height: 700 } });
    const { page } = alone;
    await drawn(page);
    const area = await page.locator('.bands').boundingBox();
    assert.ok(area !== null);
    const below = seededRandom(7);
    const readout = page.locator('.readout');
    let bands = 0;
    for (let point = 0; point < points; point++) {
      const x = area.x + 1 + below(Math.floor(area.width) - 2);
      const y = area.y + 1 + below(Math.floor(area.height) - 2);
      await page.keyboard.press('Escape');
      await page.mouse.move(x, y);
      const shown = await settledText(page);
      const event = Number(/event ([\d,]+)/.exec(shown)?.[1].replaceAll(',', ''));
      await page.mouse.click(x, y);
      await eventually(() => {
        assert.equal((alone.callsOf('liveAt').at(-1) as { event: number }).event, event, shown);
      });
      const live = /([\d.,]+ \w+) live/.exec(shown)?.[1] ?? '';
      await page.locator('.live .summary', { hasText: `event ${event.toLocaleString('en')}: ${live} live` }).waitFor();
      if (await page.locator('.selection').isVisible()) {
        bands++;
        const bytes = (await page.locator('.selection .facts li:not(.verdict)').first().innerText()).trim();
        assert.equal(shown.split('\n')[1], bytes, shown);
        assert.equal(shown.split('\n')[0].split(' · ')[0], (await page.locator('.selection h2').innerText()).trim());
      }
      assert.equal(await readout.count(), 1);
    }
    assert.ok(bands > points / 5, `only ${bands} of ${points} points are on a series`);
  });

  it('names in the selection line, bytes, age, verdict, holder, fix and stack, and goes to each', async () => {
    const alone = await session.open({ paths: run, files, folder: exampleFolder() });
    const { page } = alone;
    await drawn(page);
    const area = await page.locator('.bands').boundingBox();
    assert.ok(area !== null);
    await page.mouse.click(area.x + area.width * 0.8, area.y + area.height * 0.6);
    const selection = page.locator('.selection');
    await selection.getByRole('heading', { name: 'detector/pyramid.py:16' }).waitFor();
    const [amount, life] = await selection.locator('.facts li:not(.verdict)').all();
    assert.match(await amount.innerText(), /^[\d.]+ [GM]iB(, one allocation| in [\d,]+ allocations)$/);
    assert.match((await amount.getAttribute('title')) ?? '', /^[\d,]+ bytes$/);
    assert.match(
      await life.innerText(),
      /^(oldest )?\d{1,2}(\.\d)? s old, allocated at event [\d,]+, live at the end$/,
    );
    assert.match((await life.getAttribute('title')) ?? '', /^\d+\.\d{4,6} s$/);
    assert.match(await selection.locator('.verdict').innerText(), /^▲ Leaks 35\.8 MiB\/step \(1\.3 GiB so far\)$/);
    await selection.getByText('Clear FeaturePyramid.visited after use').waitFor();
    const opens = async (line: number): Promise<void> =>
      eventually(() => {
        const call = { file: 'detector/pyramid.py', line };
        assert.deepEqual(alone.callsOf('openSource').at(-1), call);
      });
    await selection.getByText('Held by FeaturePyramid.visited').getByRole('button').click();
    await opens(18);
    await selection.getByText('Go to Line').click();
    await opens(16);
    await selection.getByText('Fix…').click();
    await eventually(() => {
      assert.deepEqual(alone.callsOf('fixLeak').at(-1), { file: 'detector/pyramid.py', line: 16 });
    });
    await selection.locator('.stack').getByText('train.py:22').click();
    await eventually(() => {
      assert.deepEqual(alone.callsOf('openSource').at(-1), { file: 'train.py', line: 22 });
    });
  });

  for (const [tab, selector] of [
    ['Memory Map', '.map .piece'],
    ['Flame Graph', '.flame .call'],
  ]) {
    it(`says in the ${tab} what lies under the pointer, and keeps to it on a click, at 100 random points`, async () => {
      const { page } = await session.open({ paths: run.slice(-1), files, viewport: { width: 1000, height: 700 } });
      await page.getByRole('tab', { name: tab }).click();
      await page.locator(selector).first().waitFor();
      const area = await page.locator(selector.split(' ')[0]).locator('.scroller').boundingBox();
      assert.ok(area !== null);
      const below = seededRandom(11);
      let hits = 0;
      for (let point = 0; point < 100; point++) {
        const at = { x: area.x + below(Math.floor(area.width)), y: area.y + below(Math.floor(area.height)) };
        await page.mouse.move(at.x, at.y);
        const labelUnder = async (): Promise<string | null> =>
          page.evaluate(
            ([x, y, of]) =>
              document.elementFromPoint(Number(x), Number(y))?.closest(String(of))?.getAttribute('aria-label') ?? null,
            [at.x, at.y, selector.split(' ')[1]],
          );
        const label = await labelUnder();
        if (label === null) continue;
        hits++;
        const readout = page.locator('.flame-readout:visible');
        assert.equal(await readout.innerText(), label);
        if (tab === 'Flame Graph') continue;
        await page.mouse.click(at.x, at.y);
        assert.equal(await page.locator(`${selector}.selected`).getAttribute('aria-label'), label);
        assert.equal(await readout.innerText(), label);
      }
      assert.ok(hits > 20, `only ${hits} points are on something`);
    });
  }

  for (const { path, device, asked } of outOfMemory) {
    it(`begins with the allocation that failed: ${asked.file}`, async function () {
      if (!existsSync(path)) {
        console.log(`    skipped: no ${path}`);
        this.skip();
      }
      const alone = await session.open({ paths: [path], files: [asked.file], viewport: { width: 1600, height: 330 } });
      const { page } = alone;
      alone.setState({ request: 1, selected: { path, device } });
      const sentence = page.locator('.failed button', { hasText: `${asked.line} (` });
      await sentence.filter({ hasText: asked.bytes }).waitFor();
      const failed = await eventually(() => {
        const query = alone.callsOf('liveAt').at(-1) as { device: number; event: number };
        assert.equal(query.device, device);
        return query.event;
      });
      const event = failed.toLocaleString('en');
      await page.locator('.live .summary', { hasText: `event ${event}: ` }).waitFor();
      // The live memory at that instant adds up to the byte.
      const rows = await page
        .locator('.live-table tbody td:first-child')
        .evaluateAll((cells) => cells.map((cell) => Number((cell.getAttribute('title') ?? '').replace(/\D/g, ''))));
      const total = Number(
        /([\d,]+) bytes/.exec(await page.locator('.live-table tfoot').innerText())?.[1].replaceAll(',', ''),
      );
      const sum = rows.reduce((all, bytes) => all + bytes, 0);
      assert.equal(sum, total);
      assert.equal(total, asked.live);
      await page.locator('.pin-line').waitFor();
      await sentence.click();
      if (asked.file.startsWith('/')) {
        await page.getByRole('alert').filter({ hasText: 'The workspace does not have the file' }).first().waitFor();
      } else {
        const { file, line } = asked;
        await eventually(() => {
          assert.deepEqual(alone.callsOf('openSource').at(-1), { file, line });
        });
      }
      await unscrolled(page);
      await picture(page, `failed-${device}`);
    });
  }

  it('is moved, zoomed and searched by keys, and lists them in an overlay', async () => {
    const alone = await session.open({ paths: run.slice(-1), files });
    const { page } = alone;
    await drawn(page);
    const window = () => (alone.callsOf('timeline').at(-1) as { window: { from: number; to: number } | null }).window;
    await page.keyboard.press('w');
    const zoomed = await eventually(() => {
      const shown = window();
      assert.ok(shown !== null, 'not zoomed');
      return shown;
    });
    await page.keyboard.press('d');
    await eventually(() => {
      assert.ok((window()?.from ?? 0) > zoomed.from, 'not moved');
    });
    await page.keyboard.press('a');
    await page.keyboard.press('s');
    await page.keyboard.press('[');
    await page.locator('.readout', { hasText: 'Step: ' }).waitFor();
    await page.keyboard.press('m');
    await page.locator('.live-table tbody tr').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('pyramid');
    await page.locator('.live-table tfoot', { hasText: /Shown: \d of \d+/ }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Search' }).inputValue(), 'pyramid');
    await page.locator('.plot').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('go to the step before or after').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
});

async function drawn(page: Page): Promise<void> {
  await page.locator('.bands canvas').first().waitFor();
  await eventually(async () => {
    assert.ok((await colorsOf(page)).size > 1, 'no series is drawn');
  });
}

/** The text under the pointer once it has the answer about it: of a series, how many allocations its bytes are. */
async function settledText(page: Page): Promise<string> {
  let last = '';
  return eventually(
    async () => {
      const text = await page.locator('.readout').innerText();
      const isSame = text === last;
      last = text;
      assert.ok(isSame && text !== '', 'the readout changes');
      const [first, second] = text.split('\n');
      const isSeries = !first.includes(' live') && !/^[\d,]+ thin series/.test(first);
      if (isSeries) assert.match(second, / allocations?$/, text);
      return text;
    },
    { everyMs: 60 },
  );
}

/** How many pixels of the series have each color. */
async function colorsOf(page: Page): Promise<Map<string, number>> {
  const counts = await page
    .locator('.bands canvas')
    .first()
    .evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const image = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      const found: Record<string, number> = {};
      for (let at = 0; at < image.length; at += 4) {
        if (image[at + 3] < 255) continue;
        const color = [...image.slice(at, at + 3)].join();
        found[color] = (found[color] ?? 0) + 1;
      }
      return Object.entries(found);
    });
  // Edges are drawn darker: what is rare is no fill.
  const max = counts.reduce((sum, [, count]) => sum + count, 0);
  return new Map(counts.filter(([, count]) => count > max / 500));
}

/** @param hex as `#rrggbb` */
function channelsOf(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

function mixed(a: readonly number[], b: readonly number[], share: number): number[] {
  return a.map((channel, i) => channel * share + b[i] * (1 - share));
}

function near(color: string, wanted: readonly number[], max: number): boolean {
  const channels = color.split(',').map(Number);
  return channels.reduce((sum, channel, i) => sum + Math.abs(channel - wanted[i]), 0) <= max;
}

/** Where the series reach highest, in pixels of the page. */
async function highest(page: Page): Promise<{ x: number; y: number }> {
  return page
    .locator('.bands canvas')
    .first()
    .evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const { width, height } = canvas;
      const image = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
      const { left, top } = canvas.getBoundingClientRect();
      for (let y = 0; y < height; y++) {
        const columns = Array.from({ length: width }, (_, x) => x).filter((x) => image[(y * width + x) * 4 + 3] > 0);
        if (columns.length > 0) return { x: left + columns[columns.length >> 1] + 0.5, y: top + y };
      }
      throw new Error('nothing is drawn');
    });
}

async function isInSight(part: ReturnType<Page['locator']>): Promise<boolean> {
  return part.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(left + Math.min(20, width / 2), top + height / 2);
    return hit !== null && (element.contains(hit) || hit.contains(element));
  });
}

async function unscrolled(page: Page): Promise<void> {
  const { wide, high } = await page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return { wide: scrollWidth - window.innerWidth, high: scrollHeight - window.innerHeight };
  });
  assert.deepEqual({ wide: Math.max(0, wide), high: Math.max(0, high) }, { wide: 0, high: 0 });
}
