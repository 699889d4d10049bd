/** What the page shows at first sight: what the axis fits, whether a recording can be trusted, and what to do next. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { pickle } from '../../support/plainPickle.js';
import { picklesUnder } from '../../support/snapshots.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { exampleFolder, newFolder } from '../../support/workspaces.js';
import { harnessSession } from './harnessSession.js';
import { picture } from './picture.js';

const MiB = 2 ** 20;
const run = picklesUnder(join(exampleFolder(), 'snapshots'));
const files = ['train.py', ...['__init__', 'backbone', 'data', 'head', 'pyramid'].map((name) => `detector/${name}.py`)];
const at = (filename: string, line: number, name = 'step') => ({ filename, line, name });

function saved(name: string, content: Buffer): string {
  const path = join(newFolder(), `${name}_step_1.pickle`);
  writeFileSync(path, content);
  return path;
}

/** Allocations without segments of their own, in one segment. */
function inOneSegment(reserved: number, allocated: number): string {
  const frames = [{ filename: '/job/train.py', line: 10, name: 'step' }];
  const entry = (action: string, addr: number, size: number, time: number) => ({
    ...{ action, addr, size, stream: 0, time_us: 1_760_000_000_000_000 + time, frames },
  });
  const trace = Array.from({ length: 20 }, (_, i) => entry('alloc', 4096 + i * allocated, allocated, 100 * i));
  for (let i = 0; i < 20; i++) trace.push(entry('free_completed', 4096 + i * allocated, allocated, 2000 + 100 * i));
  const segment = {
    ...{ device: 0, address: 1 << 30, total_size: reserved, allocated_size: 0, active_size: 0, stream: 0 },
    ...{ segment_type: 'large', blocks: [{ size: reserved, requested_size: reserved, state: 'inactive' }] },
  };
  return saved('one', pickle({ segments: [segment], device_traces: [trace] }));
}

/** Two stacks of one line that differ in their second frame, and in nothing nearer. */
function twoCallers(): string {
  const training = new TrainingRun();
  for (const line of [20, 30])
    training.allocate(MiB, [
      at('/job/train.py', 10, 'make'),
      at('/job/train.py', line, 'epoch'),
      at('/job/train.py', 1),
    ]);
  return saved('callers', training.dump());
}

describe('the page at first sight', () => {
  const session = harnessSession();

  it('fits live memory to its axis, and says how much is reserved above it', async () => {
    const { page } = await session.open({ paths: [inOneSegment(4096 * MiB, 8 * MiB)], files: ['train.py'] });
    await page.locator('.bands canvas').first().waitFor();
    const plot = await boxOf(page.locator('.plot'));
    await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2);
    // Half of the height is inside the memory: it would be far above it on an axis that fits what is reserved.
    await page.locator('.readout', { hasText: 'train.py:10' }).waitFor();
    await picture(page, 'reserved-above');
    assert.equal(await page.getByText(/cannot be trusted/).isVisible(), false);
  });

  it('says that a recording cannot be trusted whose events do not fit into its segments', async () => {
    const { page } = await session.open({ paths: [inOneSegment(16 * MiB, 8 * MiB)], files: ['train.py'] });
    await page.getByText(/cannot be trusted: its events add up to 160 MiB live in 16\.0 MiB of reserved/).waitFor();
    await picture(page, 'untrusted');
  });

  it('opens the only snapshot of a run at its peak, and names it', async () => {
    const { page } = await session.open({ paths: [inOneSegment(4096 * MiB, 8 * MiB)], files: ['train.py'] });
    await page.locator('.live-table tfoot', { hasText: '160 MiB' }).waitFor();
    await page.getByText('Peak 160 MiB: what holds it').waitFor();
  });

  it('shows the stack first, then the actions in one row, then advice, none over another', async () => {
    for (const [width, height] of [
      [1600, 1000],
      [1024, 700],
      [1500, 330],
    ]) {
      const { page } = await session.open({ paths: run, files, folder: exampleFolder(), viewport: { width, height } });
      await selectLeak(page);
      const [stack, actions, advice] = await Promise.all(
        ['.stack', '.together', '.advice'].map((part) => boxOf(page.locator(`.selection ${part}`))),
      );
      assert.ok(stack.y + stack.height <= actions.y + 0.5, `${width}: the actions begin above the end of the stack`);
      assert.ok(actions.y + actions.height <= advice.y + 0.5, `${width}: advice begins above the end of the actions`);
      const buttons = await page.locator('.selection vscode-button:visible').all();
      const tops = await Promise.all(buttons.map(async (button) => (await boxOf(button)).y));
      assert.equal(new Set(tops).size, 1, `${width}: the actions are in several rows`);
      assert.match(await page.locator('.selection .stack').innerText(), /detector\/pyramid\.py:16/);
      await session.current?.close();
    }
    await session.open({ paths: [] });
  });

  it('names the first frame that differs where stacks look alike', async () => {
    const { page } = await session.open({ paths: [twoCallers()], files: ['train.py'] });
    await page.getByRole('tab', { name: 'Stacks' }).click();
    for (const line of [20, 30])
      await page.locator('.live-table tbody tr', { hasText: `← train.py:${line} epoch` }).waitFor();
    await page.getByRole('tab', { name: 'Lines' }).click();
    await page.locator('.live-table .caller').first().waitFor({ state: 'detached' });
    await page.locator('.live-table tbody tr').first().waitFor();
  });

  it('ends a search with its tab', async () => {
    const { page } = await session.open({ paths: run.slice(-1), files });
    await page.locator('.live-table tbody tr').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('pyramid');
    await page.locator('.live-table tfoot', { hasText: /Shown: \d+ of \d+/ }).waitFor();
    await page.getByRole('tab', { name: 'Flame Graph' }).click();
    await page.locator('.flame .call').first().waitFor();
    assert.equal(await page.locator('.flame .call.found').count(), 0);
    await page.getByRole('tab', { name: 'Lines' }).click();
    await page.locator('.live-table tfoot', { hasText: 'Shown' }).waitFor({ state: 'detached' });
  });

  it('has a legend in the panel as well, whose entries are not cut', async () => {
    const { page } = await session.open({
      paths: run,
      files,
      folder: exampleFolder(),
      viewport: { width: 1400, height: 330 },
    });
    const entry = page.locator('.band-key li', { hasText: '▲ Leak' });
    await entry.waitFor();
    const [key, own] = [await boxOf(page.locator('.band-key')), await boxOf(entry)];
    assert.ok(own.x >= key.x && own.x + own.width <= key.x + key.width + 0.5, JSON.stringify([key, own]));
  });

  it('shows all of its help at once', async () => {
    for (const [width, height] of [
      [1600, 1000],
      [1024, 700],
      [1400, 330],
      [1400, 240],
    ]) {
      const { page } = await session.open({ paths: run.slice(-1), files, viewport: { width, height } });
      await page.locator('.plot').focus();
      await page.keyboard.press('?');
      const keys = page.locator('.help-keys');
      await keys.waitFor();
      const [shown, whole] = await keys.evaluate((list) => [list.clientHeight, list.scrollHeight]);
      assert.ok(whole <= shown, `${width}×${height}: ${whole} pixels in ${shown}`);
      await session.current?.close();
    }
    await session.open({ paths: [] });
  });
});

async function selectLeak(page: Page): Promise<void> {
  await page.locator('.band-key li', { hasText: '▲ Leak' }).waitFor();
  const plot = await boxOf(page.locator('.plot'));
  await page.mouse.click(plot.x + plot.width * 0.8, plot.y + plot.height * 0.7);
  await page.locator('.selection .advice li').first().waitFor();
}

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  assert.ok(box !== null, 'it is not on the page');
  return box;
}
