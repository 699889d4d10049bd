/** The Problems panel. */
import type { Page } from 'playwright-core';
import type { QuickInput } from './quickInput.js';

export class ProblemsPanel {
  constructor(
    private readonly page: Page,
    private readonly quickInput: QuickInput,
  ) {}

  /** Opens the panel and reads its rows: files and the problems under them. */
  async rows(): Promise<string[]> {
    await this.page.keyboard.press('F1');
    await this.quickInput.fill('>Problems: Focus on Problems View');
    await this.quickInput.accept('Problems: Focus on Problems View');
    const panel = this.page.locator('.markers-panel');
    await panel.waitFor();
    return (await panel.locator('.monaco-list-row').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
  }
}
