/** The Problems panel. */
import type { Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';

export class ProblemsPanel {
  constructor(private readonly page: Page) {}

  /** Its rows: files and the problems under them; none while it is closed. */
  async rows(): Promise<string[]> {
    const rows = await this.page.locator('.markers-panel .monaco-list-row').allInnerTexts();
    return rows.map((text) => text.replace(/\s+/g, ' ').trim());
  }

  /** Waits until a row matches. */
  async untilRow(text: RegExp): Promise<void> {
    await eventually(async () => {
      const rows = await this.rows();
      if (!rows.some((row) => text.test(row))) throw new Error(`no problem ${text}; there are ${JSON.stringify(rows)}`);
    });
  }

  /** Waits until no row matches. */
  async untilNoRow(text: RegExp): Promise<void> {
    await eventually(async () => {
      const rows = await this.rows();
      if (rows.some((row) => text.test(row))) throw new Error(`there is still ${text}: ${JSON.stringify(rows)}`);
    });
  }
}
