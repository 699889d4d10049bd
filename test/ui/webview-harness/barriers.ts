/** Accessibility errors that axe finds in a page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { isFull } from '../../support/sample.js';
import { picture } from './picture.js';
import { themes } from './themes.js';
import type { TimelineHarness } from './timelineHarness.js';

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * Checks that no theme has a barrier, and takes a picture in each.
 * @param what shows, as failures and pictures name it
 * @param sizes of the font
 */
export async function noBarriersInAnyTheme(
  alone: TimelineHarness,
  what: string,
  sizes: readonly string[] = ['13px'],
): Promise<void> {
  const all = Object.keys(themes) as (keyof typeof themes)[];
  // A sample has every other theme, at one of the sizes, and the others in the next place.
  for (const [at, theme] of all.entries()) {
    if (!isFull && at % 2 !== what.length % 2) continue;
    for (const size of isFull ? sizes : [sizes[(at >> 1) % sizes.length]]) {
      await alone.useTheme(theme, size);
      // The toolkit takes over a theme's colors a moment later.
      await eventually(async () => {
        assert.deepEqual(await barriersOf(alone.page), [], `${what} ${theme} at ${size}`);
      });
      await picture(alone.page, `${what}-${theme}-${size}`);
    }
  }
}

/** One sentence for each barrier in the page, none if there is none. */
async function barriersOf(page: Page): Promise<string[]> {
  const rules = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(rules);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } };
    const { violations } = await axe.run();
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
    );
  });
}
