/** The box at the top: command palette, file search, pickers and questions. */
import { basename } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { eventuallyWithBackoff } from '../../support/eventually.js';

export class QuickInput {
  private readonly box: Locator;

  constructor(private readonly page: Page) {
    this.box = page.locator('.quick-input-widget');
  }

  /** Waits until it is there, and types over what it holds. */
  async fill(text: string, timeoutMs?: number): Promise<void> {
    const input = this.box.locator('.quick-input-filter input');
    const limit = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    await input.waitFor(limit);
    await input.fill(text, limit);
  }

  /** Waits for a row whose label is or begins with `label`, and picks it. */
  async accept(label: string, timeoutMs?: number): Promise<void> {
    await this.row(label).click(timeoutMs === undefined ? {} : { timeout: timeoutMs });
  }

  /** Picks a file in VS Code's own dialog, which writes its first folder over what is typed while it opens. */
  async pickFile(path: string): Promise<void> {
    await eventuallyWithBackoff(async (withinMs) => {
      await this.fill(path, withinMs);
      await this.accept(basename(path), withinMs);
    });
  }

  /** Picks with the keyboard what is selected. */
  async acceptSelected(): Promise<void> {
    await this.page.keyboard.press('Enter');
  }

  async cancel(): Promise<void> {
    await this.page.keyboard.press('Escape');
  }

  /** Labels of the rows that show, in their order; waits for the first. */
  async labels(): Promise<string[]> {
    const labels = this.box.locator('.monaco-list-row .quick-input-list-label .label-name');
    await labels.first().waitFor();
    return labels.allInnerTexts();
  }

  /** The whole text of each row that shows: label, description and detail. */
  async rows(): Promise<string[]> {
    const rows = this.box.locator('.monaco-list-row');
    await rows.first().waitFor();
    return (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
  }

  /** Its value. */
  async value(): Promise<string> {
    return this.box.locator('.quick-input-filter input').inputValue();
  }

  /** Its prompt. */
  async placeholder(): Promise<string> {
    return (await this.box.locator('.quick-input-filter input').getAttribute('placeholder')) ?? '';
  }

  row(label: string): Locator {
    return this.box
      .locator('.monaco-list-row')
      .filter({ has: this.page.locator('.quick-input-list-label .label-name', { hasText: beginsWith(label) }) })
      .first();
  }
}

function beginsWith(text: string): RegExp {
  return new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+')}`);
}
