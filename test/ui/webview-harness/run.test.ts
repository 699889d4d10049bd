/** The overview of a run over the timeline: what it shows, and where it leads. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';
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

  it('says which run it is where there are several, whose files may be called alike', async () => {
    const others = picklesUnder(join(FIXTURES, 'planted/recordings/search_tree'));
    const { page, state } = await open([...paths, ...others]);
    const heading = page.locator('.run-head h2');
    const runOf = (path: string): string => state.choices.find((choice) => choice.path === path)?.run ?? '';
    assert.notEqual(runOf(paths[0]), runOf(others[0]));
    for (const path of [paths[0], others[0]]) {
      session.current?.tell({ request: path === paths[0] ? 1 : 2, selected: { path, device: 0 } });
      await heading.filter({ hasText: `The whole run: ${runOf(path)}` }).waitFor();
    }
    await session.current?.close();
    const alone = await open(paths);
    await alone.page.locator('.run-strip').waitFor();
    assert.equal(await alone.page.locator('.run-head h2').innerText(), 'The whole run');
  });

  it('leads with mouse and keys to the snapshot that covers an instant, and says where it is', async () => {
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
    assert.match(await page.locator('.run-head').innerText(), new RegExp(`${count} snapshots, .* live in the first`));
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

    // Between the second and the third snapshot: the third is the first that has it.
    await strip.click({ position: { x: 300, y: 50 } });
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
    await page.getByText('Curve as a table').click();
    const rows = page.locator('.run-table tbody tr');
    await rows.first().waitFor();
    assert.equal(await rows.count(), paths.length);
    assert.equal(await page.locator('.run-strip').isVisible(), false);
    // Column by column: bytes live and reserved, then the steps.
    assert.match(await rows.nth(1).locator('td').nth(2).innerText(), /^7 – 12$/);
    await rows.nth(1).getByRole('button').click();
    await lookedInto(paths[1]);
    assert.equal(await rows.nth(1).getAttribute('aria-current'), 'true');
  });

  it('is not there for a snapshot on its own', async () => {
    const { page } = await open(paths.slice(0, 1));
    await page.locator('.live, .chart').first().waitFor();
    assert.equal(await page.locator('.run-strip').isVisible(), false);
  });
});
