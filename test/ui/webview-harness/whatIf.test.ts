/** Other settings of the allocator: the table, the curve of a chosen one, its assignment on the clipboard, and keys. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { pickle } from '../../support/plainPickle.js';
import { FIXTURES } from '../../support/snapshots.js';
import { newFolder } from '../../support/workspaces.js';
import { PlainAllocator } from '../../unit/allocator/plainAllocator.js';
import { noBarriersInAnyTheme } from './barriers.js';
import { harnessSession } from './harnessSession.js';
import { cellsOf } from './tableCells.js';
import type { TimelineHarness } from './timelineHarness.js';

const MiB = 1024 * 1024;

/** Two segments of 40 MiB with a hole in each, then a request that fits neither; one expandable segment has no holes. */
function outOfMemory(): string {
  const settings = { expandable: false, maxSplit: Infinity, divisions: 0, capacity: 112 * MiB };
  const allocator = new PlainAllocator(settings, 1);
  // A history that is long enough to zoom into.
  for (let i = 0; i < 100; i++) allocator.free(allocator.malloc(512, 0) ?? 0);
  const halves = [allocator.malloc(40 * MiB, 0), allocator.malloc(40 * MiB, 0)];
  for (const address of halves) allocator.free(address ?? 0);
  for (const size of [12, 30, 50]) allocator.malloc(size * MiB, 0);
  const path = join(newFolder(), 'holes_step_1.pickle');
  writeFileSync(path, pickle(allocator.snapshot(allocator.trace.length)));
  return path;
}

describe('other settings of the allocator', () => {
  const session = harnessSession();

  async function open(path: string): Promise<{ alone: TimelineHarness; page: Page; expandable: Locator }> {
    const alone = await session.open({ paths: [path] });
    const { page } = alone;
    await page.getByRole('tab', { name: 'What If' }).click();
    return { alone, page, expandable: page.getByRole('button', { name: 'expandable_segments:True', exact: true }) };
  }

  it('are listed after the recorded ones, with what they reserve, save and leave of the device', async () => {
    const { page, alone, expandable } = await open(outOfMemory());
    const table = page.locator('.what-if-table');
    await table.waitFor();
    assert.match(
      await page.locator('.what-if .summary').innerText(),
      /^104 allocations and \d+ segments replayed, all as recorded\.$/,
    );
    const rows = (await cellsOf(table.locator('tr'))).map(({ texts }) => texts);
    assert.deepEqual(rows.slice(0, 3), [
      ['Change', 'Reserved peak', 'Saved', 'At the end', 'Of 112 MiB'],
      ['As recorded', '82.0 MiB', '', '80.0 MiB', 'does not fit'],
      ['expandable_segments:True', '102 MiB', '-20.0 MiB', '102 MiB', '10.0 MiB left'],
    ]);
    assert.equal(alone.callsOf('whatIf').length, 1);
    await expandable.click();
    await noBarriersInAnyTheme(alone, 'what-if');
  });

  it('draw the reserved memory of a chosen one until it is chosen again, and follow a zoom', async () => {
    const { page, alone, expandable } = await open(outOfMemory());
    const legend = page.locator('.legend').getByText('Reserved with expandable_segments:True');
    assert.ok(await legend.isHidden());
    await expandable.click();
    await legend.waitFor();
    assert.equal(await expandable.getAttribute('aria-pressed'), 'true');
    await page.locator('.plot').focus();
    await page.keyboard.press('ArrowUp');
    await eventually(async () =>
      assert.match(
        await page.locator('.chart [role=status]').innerText(),
        /MiB reserved with expandable_segments:True/,
      ),
    );
    const asked = alone.callsOf('reservedWith').length;
    await page.keyboard.press('+');
    await eventually(() => assert.ok(alone.callsOf('reservedWith').length > asked, 'the zoom requested nothing'));
    await expandable.click();
    await legend.waitFor({ state: 'hidden' });
    assert.equal(await expandable.getAttribute('aria-pressed'), 'false');
  });

  it('are chosen and copied with keys alone', async () => {
    const { page, alone, expandable } = await open(outOfMemory());
    const copy = page.getByRole('button', { name: 'Copy Setting' });
    await expandable.waitFor();
    assert.ok(await copy.isDisabled());
    await expandable.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await eventually(async () => assert.ok(await copy.isEnabled(), 'the button is disabled'));
    assert.ok(await expandable.evaluate((button) => button === document.activeElement), 'the focus moved');
    await copy.focus();
    await page.keyboard.press('Enter');
    await eventually(() => assert.deepEqual(alone.copied, ['PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True']));
    await page.getByRole('button', { name: 'Apply Setting…' }).press('Enter');
    await eventually(() => assert.deepEqual(alone.applied, alone.copied));
  });

  it('lay out the memory map with the chosen one', async () => {
    const { page, expandable } = await open(outOfMemory());
    await expandable.click();
    await page.getByRole('tab', { name: 'Map' }).click();
    const map = page.locator('.map');
    await map.getByText('Replayed with expandable_segments:True.').waitFor();
    assert.match(await map.locator('.summary').innerText(), /102 MiB/);
    await page.getByRole('tab', { name: 'What If' }).click();
    await expandable.click();
    await page.getByRole('tab', { name: 'Map' }).click();
    await map.getByText('Replayed with').waitFor({ state: 'hidden' });
  });

  it('give way to one sentence where the recording cannot be replayed', async () => {
    const { page } = await open(join(FIXTURES, 'profiler/chrome_trace.json.gz'));
    const sentence = page.locator('.what-if').getByText('The recording has no segments');
    await sentence.waitFor();
    assert.ok(await page.locator('.what-if-table').isHidden());
  });
});
