/** Messages in the corner, and questions in the middle. */
import type { Locator, Page } from 'playwright-core';

export class Notifications {
  constructor(private readonly page: Page) {}

  /** A message that shows. */
  toast(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast', { hasText: text });
  }

  /** Texts of the messages that show. */
  async texts(): Promise<string[]> {
    return this.page.locator('.notification-toast .notification-list-item-message').allInnerTexts();
  }

  /** Presses a button of a message. */
  async press(message: string | RegExp, button: string): Promise<void> {
    await this.toast(message).locator('.monaco-button', { hasText: button }).click();
  }

  /** A dialog that waits for an answer. */
  dialog(text: string | RegExp): Locator {
    return this.page.locator('.monaco-dialog-box', { hasText: text });
  }
}
