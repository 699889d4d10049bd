/** The overview of a run over the timeline: what it shows, and where it leads. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';
import { choose } from './choose.js';
import { harnessSession } from './harnessSession.js';
import type { TimelineHarness } from './timelineHarness.js';

const paths = picklesUnder(join(FIXTURES, 'planted/recordings/running_total'));

describe('the overview of a run', () => {
  const session = harnessSession();

  async function open(shown: readonly string[]): Promise<TimelineHarness> {
    const harness = await session.open({ paths: shown });
    await harness.page.locator('.controls').waitFor();
    return harness;
  }

  /** The last instant that was looked into, once it is of this snapshot. */
  async function lookedInto(path: string): Promise<number> {
    return eventually(() => {
      const last = session.current?.callsOf('liveAt').at(-1) as { path: string; event: number } | undefined;
      assert.equal(last?.path, path);
      return last.event;
    });
  }

  it('opens with mouse and keys the snapshot that covers an instant, and shows its place', async () => {
    const { page } = await open(paths);
    const strip = page.locator('.run-strip');
    await strip.waitFor();
    const count = paths.length;
    await eventually(async () => {
      assert.equal(await strip.getAttribute('aria-valuenow'), String(count));
    });
    assert.match(
      (await strip.getAttribute('aria-valuetext')) ?? '',
      /^Snapshot \d+ of \d+, step \d+: .* live, recorded/,
    );
    assert.match((await strip.getAttribute('title')) ?? '', new RegExp(`${count} snapshots, .* live in the first`));
    if (process.env['LEAKLINE_PICTURES'] !== undefined) {
      await page.screenshot({ path: join(process.env['LEAKLINE_PICTURES'], 'run.png') });
    }

    await strip.focus();
    await page.keyboard.press('Home');
    const end = await lookedInto(paths[0]);
    assert.equal(await strip.getAttribute('aria-valuenow'), '1');
    await page.keyboard.press('ArrowRight');
    await lookedInto(paths[1]);
    assert.ok(end > 0);

    // Between the second and the third snapshot: the third is the first that has it. The times of a recording decide where.
    let x = 100;
    do {
      await strip.click({ position: { x: (x += 20), y: 50 } });
      await page.waitForTimeout(100);
    } while (Number(await strip.getAttribute('aria-valuenow')) < 3);
    const between = await lookedInto(paths[2]);
    assert.ok(between > end);
    await page.locator('.live-table tbody tr').first().waitFor();

    await page.reload();
    await eventually(async () => {
      assert.equal(await strip.getAttribute('aria-valuenow'), '3');
    });
    assert.equal(await lookedInto(paths[2]), between);
  });

  it('is a table for those who want its numbers', async () => {
    const { page } = await open(paths);
    await page.locator('.run-strip').waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    await choose(page, 'Table of', 'Snapshots of the run');
    const rows = page.locator('.run-table tbody tr');
    await rows.first().waitFor();
    assert.equal(await rows.count(), paths.length);
    // Column by column: bytes live and reserved, then the steps.
    assert.match(await rows.nth(1).locator('td').nth(2).innerText(), /^7 – 12$/);
    await rows.nth(1).getByRole('button').click();
    await lookedInto(paths[1]);
    assert.equal(await rows.nth(1).getAttribute('aria-current'), 'true');
  });

  it('is the history of a snapshot on its own, and its brush is the view on either axis', async () => {
    const { page } = await open(paths.slice(0, 1));
    const strip = page.locator('.run-strip');
    const view = strip.locator('.shown');
    await view.waitFor();
    const whole = (await view.boundingBox())?.width ?? 0;
    const box = await strip.boundingBox();
    assert.ok(box !== null && Math.abs(box.width - whole) < 3, 'the brush is not the whole');
    for (const axis of ['Time', 'Events']) {
      await choose(page, 'Horizontal axis', axis);
      await page.locator('.plot').focus();
      await page.keyboard.press('Home');
      await eventually(async () => {
        assert.ok(((await view.boundingBox())?.width ?? 0) > whole - 3, `${axis}: not whole again`);
      });
      await eventually(async () => {
        // A drag does nothing until the overview has the new axis.
        if (((await view.boundingBox())?.width ?? 0) > whole - 3) {
          await page.mouse.move(box.x + box.width * 0.5, box.y + 9);
          await page.mouse.down();
          await page.mouse.move(box.x + box.width * 0.75, box.y + 9, { steps: 3 });
          await page.mouse.up();
        }
        const now = await view.boundingBox();
        assert.ok(now !== null && Math.abs(now.width - box.width / 4) < 4, `${axis}: ${now?.width}`);
        assert.ok(Math.abs(now.x - box.x - box.width / 2) < 4, `${axis}: ${now.x}`);
      });
    }
  });
});
