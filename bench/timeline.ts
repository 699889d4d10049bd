/**
 * Measures the timeline's allocations in a browser without a GPU: `npm run bench -- --timeline`, and with everything
 * else. Frames are those of the page while a script turns the wheel in it; the worker answers beside it as in the editor.
 */
import type { Page } from 'playwright-core';
import { launchChromium } from '../test/vscode-host/browser.js';
import { TimelineHarness } from '../test/ui/webview-harness/timelineHarness.js';

/** The plot is 1,600 pixels wide then. */
const VIEWPORT = { width: 1717, height: 950 };
/** Largest blocks that memory_viz draws; it folds the others into one band. */
const MEMORY_VIZ_LIMIT = 15_000;
interface Gesture {
  name: string;
  deltaY: number;
  shift: boolean;
}

const ZOOM: Gesture = { name: 'zoom in and out at the wheel', deltaY: 60, shift: false };
const PAN: Gesture = { name: 'pan at the wheel', deltaY: 90, shift: true };
/** Frames without any work of ours: what the machine had to spare meanwhile. */
const IDLE: Gesture = { name: 'nothing, for comparison', deltaY: 0, shift: false };
/** Turns of each gesture. The calmest one counts: other work on the machine makes frames longer, never shorter. */
const TURNS = 3;
const SECONDS = 5;

interface Frames {
  name: string;
  count: number;
  /** Milliseconds. */
  median: number;
  p95: number;
  longest: number;
  /** CPU time of the page's main thread for each frame. */
  cpu: number;
}

/** @returns a table in Markdown */
export async function measureTimeline(path: string): Promise<string> {
  const browser = await launchChromium();
  try {
    const begun = performance.now();
    const harness = await TimelineHarness.open(browser, { paths: [path], viewport: VIEWPORT });
    const { page } = harness;
    const opened = performance.now();
    await page.locator('.bands canvas').first().waitFor({ state: 'attached' });
    await page.locator('.band-key li').first().waitFor({ timeout: 60_000 });
    const drawn = performance.now();
    const turns: Frames[][] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const frames = [await framesOf(page, IDLE), await framesOf(page, ZOOM)];
      for (let i = 0; i < 5; i++) await page.getByRole('button', { name: 'Zoom in' }).click();
      frames.push(await framesOf(page, PAN));
      await page.getByRole('button', { name: 'Whole history' }).click();
      turns.push(frames);
    }
    const rows = turns[0].map((_, i) => turns.map((turn) => turn[i]).reduce(calmer));
    const answers = [...harness.answersOf('bands')];
    const answerMs = [...harness.timesOf('bands')].sort((a, b) => a - b);
    await harness.close();
    return [
      '| input | frames | median ms | 95 % below ms | longest ms | CPU ms a frame |',
      '|:--|--:|--:|--:|--:|--:|',
      ...rows.map(
        ({ name, count, median, p95, longest, cpu }) =>
          `| ${name} | ${count} | ${[median, p95, longest, cpu].map((ms) => ms.toFixed(1)).join(' | ')} |`,
      ),
      '',
      `Reading the file took ${((opened - begun) / 1000).toFixed(1)} s, the first picture another ` +
        `${((drawn - opened) / 1000).toFixed(1)} s. The worker gave ${answers.length} answers of at most ` +
        `${Math.round(Math.max(...answers) / 1000)} kB. Their median time is ${percentile(answerMs, 0.5).toFixed(0)} ms; 95 % take ` +
        `at most ${percentile(answerMs, 0.95).toFixed(0)} ms. memory_viz draws the ` +
        `${MEMORY_VIZ_LIMIT.toLocaleString('en')} largest allocations, and one band without lines for the others.`,
      '',
    ].join('\n');
  } finally {
    await browser.close();
  }
}

/** Turns the wheel once a frame, and notes how long the frames take. */
async function framesOf(page: Page, gesture: Gesture): Promise<Frames> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const before = await busy();
  const durations = await page.evaluate(
    async ({ deltaY, shift, seconds }) => {
      const plot = document.querySelector('.plot');
      if (plot === null) throw new Error('there is no plot');
      const { left, top, width } = plot.getBoundingClientRect();
      const noted: number[] = [];
      const begun = performance.now();
      let last = begun;
      for (let frame = 0; last - begun < seconds * 1000; frame++) {
        // Half of the time one way, then the other.
        const there = frame % 120 < 60 ? -1 : 1;
        const init = { deltaY: there * deltaY, shiftKey: shift, clientX: left + width * 0.6, clientY: top + 100 };
        if (deltaY !== 0) plot.dispatchEvent(new WheelEvent('wheel', { ...init, bubbles: true, cancelable: true }));
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        if (frame > 5) noted.push(now - last);
        last = now;
      }
      return noted;
    },
    { ...gesture, seconds: SECONDS },
  );
  const cpu = ((await busy()) - before) / durations.length;
  await devtools.detach();
  const sorted = durations.sort((a, b) => a - b);
  return {
    name: gesture.name,
    count: sorted.length,
    median: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    longest: sorted[sorted.length - 1],
    cpu,
  };
}

function calmer(a: Frames, b: Frames): Frames {
  return a.p95 < b.p95 || (a.p95 === b.p95 && a.median <= b.median) ? a : b;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
