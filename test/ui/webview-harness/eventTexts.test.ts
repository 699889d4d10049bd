/** Texts of the driver, the program and the compiler on an event: at a failed allocation, and in a band. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, eventuallyWithBackoff } from '../../support/eventually.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { newFolder } from '../../support/workspaces.js';
import { harnessSession } from './harnessSession.js';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** One block of 60 MiB that a compiled region allocated in an epoch, and after it a failure. */
function failing(): string {
  const frames: Picklable = [{ filename: '/job/train.py', line: 10, name: 'keep' }];
  const block = { address: GiB, size: 60 * MiB, requested_size: 60 * MiB, state: 'active_allocated', frames };
  const segment = { device: 0, address: GiB, total_size: 80 * MiB, stream: 0, segment_type: 'large' };
  const rest = { address: GiB + 60 * MiB, size: 20 * MiB, state: 'inactive' };
  const common = { stream: 0, user_metadata: 'epoch 3', compile_context: 'Torch-Compiled Region: 0/0', frames };
  const trace = [
    { action: 'segment_alloc', addr: GiB, size: 80 * MiB, time_us: 1000, ...common },
    { action: 'alloc', addr: GiB, size: 60 * MiB, time_us: 1001, ...common },
    { action: 'oom', device_free: 12 * MiB, size: 40 * MiB, time_us: 5000, ...common },
    { action: 'snapshot', addr: 0, size: 60 * MiB, stream: 0, time_us: 9000 },
  ];
  const path = join(newFolder(), 'failing_step_1.pickle');
  writeFileSync(path, pickle({ segments: [{ ...segment, blocks: [block, rest] }], device_traces: [trace] }));
  return path;
}

describe('what is said of an event', () => {
  const session = harnessSession();

  it('is at the mark of a failure: requested and missing bytes', async () => {
    const { page } = await session.open({ paths: [failing()], files: ['train.py'] });
    const box = await page.locator('.plot').boundingBox();
    assert.ok(box !== null);
    // The middle of the history, 4 of 8 milliseconds; the axis takes a part of the width.
    let at = 0.4;
    await eventually(async () => {
      at = at > 0.65 ? 0.4 : at + 0.004;
      await page.mouse.move(box.x + box.width * at, box.y + box.height / 2);
      assert.match(await page.locator('.chart').innerText(), /Out of memory: requested 40\.0 MiB, 8\.0 MiB short/);
    });
    if (process.env['LEAKLINE_PICTURES'] !== undefined) {
      await page.screenshot({ path: join(process.env['LEAKLINE_PICTURES'], 'failure.png') });
    }
    await page.getByRole('tab', { name: 'Table' }).click();
    await page.locator('.curve-table tr', { hasText: 'requested 40.0 MiB, 8.0 MiB short' }).waitFor();
  });

  it('is in the card of a band: the compiled region and the program’s metadata', async () => {
    const { page } = await session.open({ paths: [failing()], files: ['train.py'] });
    const box = await page.locator('.plot').boundingBox();
    assert.ok(box !== null);
    const card = page.locator('.selection');
    await eventuallyWithBackoff(
      async (withinMs) => {
        await page.mouse.click(box.x + box.width * 0.3, box.y + box.height * 0.7);
        await card.getByText('compiled: Torch-Compiled Region: 0/0').waitFor({ timeout: withinMs });
      },
      { firstMs: 500 },
    );
    await card.getByText('metadata: epoch 3').waitFor();
    if (process.env['LEAKLINE_PICTURES'] !== undefined) {
      await page.screenshot({ path: join(process.env['LEAKLINE_PICTURES'], 'band.png') });
    }
  });
});
