/** The timeline in another language: its texts are in the page, under the strict policy, and nothing English is left over. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { repositoryRoot } from '../../support/repository.js';
import { exampleFolder } from '../../support/workspaces.js';
import { launchChromium } from '../../vscode-host/browser.js';
import { TimelineHarness } from './timelineHarness.js';

const late = join(exampleFolder(), 'snapshots/step_0040.pickle');

describe('the timeline in German', () => {
  let browser: Browser;

  before(async () => {
    browser = await launchChromium();
  });
  after(async () => {
    await browser.close();
  });

  it('has every text in German', async () => {
    const files = ['detector/pyramid.py', 'train.py'];
    const harness = await TimelineHarness.open(browser, { paths: [late], files, language: 'de' });
    const { page } = harness;
    await page.getByText('woraus sie besteht').click();
    await page.locator('.live .summary', { hasText: 'das meiste von detector/pyramid.py' }).waitFor();

    const bundle = JSON.parse(readFileSync(join(repositoryRoot(), 'l10n/bundle.l10n.de.json'), 'utf8')) as Record<
      string,
      string
    >;
    const shown = await page.evaluate(() => {
      const texts = [...document.querySelectorAll('#app *')].flatMap((element) => [
        ...[...element.childNodes]
          .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
          .map((node) => node.textContent),
        ...['title', 'aria-label', 'placeholder'].map((name) => element.getAttribute(name)),
      ]);
      return texts.flatMap((text) => text?.trim() ?? '').filter((text) => text !== '');
    });
    assert.ok(shown.length > 50);
    assert.deepEqual(
      shown.filter((text) => Object.hasOwn(bundle, text) && bundle[text] !== text),
      [],
    );
    assert.deepEqual(harness.complaints, []);
    await harness.close();
  });
});
