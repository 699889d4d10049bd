/** The base of the page's tests: one browser for all, a page for each, and a failure for each error of a page. */
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { removeCopies } from '../../support/workspaces.js';
import { launchChromium } from '../../vscode-host/browser.js';
import { TimelineHarness, type HarnessOptions } from './timelineHarness.js';

export interface HarnessSession {
  /** The page that was opened last, until its test has ended. */
  readonly current: TimelineHarness | undefined;
  open(options: HarnessOptions): Promise<TimelineHarness>;
}

/** Call it inside a `describe`. */
export function harnessSession(): HarnessSession {
  let browser: Browser;
  let current: TimelineHarness | undefined;

  before(async () => {
    browser = await launchChromium();
  });
  afterEach(async () => {
    const complaints = current?.complaints ?? [];
    await current?.close();
    current = undefined;
    removeCopies();
    assert.deepEqual(complaints, []);
  });
  after(async () => {
    await browser.close();
  });

  return {
    get current() {
      return current;
    },
    open: async (options) => {
      current = await TimelineHarness.open(browser, options);
      return current;
    },
  };
}
