/** The document of a webview. VS Code puts it two frames deep. */
import type { Frame, Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';

export class WebviewPanel {
  private constructor(readonly frame: Frame) {}

  /** Waits for a webview whose document has an element for this selector. */
  static async find(page: Page, selector: string): Promise<WebviewPanel> {
    return eventually(async () => {
      for (const frame of page.frames()) {
        // The inner frame holds the extension's document, the outer one VS Code's plumbing.
        if (frame.url().includes('/pre/fake.html') && (await frame.locator(selector).count()) > 0) {
          return new WebviewPanel(frame);
        }
      }
      throw new Error(
        `no webview with ${selector} among ${page
          .frames()
          .map((frame) => frame.url())
          .join('\n')}`,
      );
    });
  }

  locator(selector: string, options?: { hasText?: string | RegExp }): Locator {
    return this.frame.locator(selector, options);
  }

  /** All text that the document shows. */
  async text(): Promise<string> {
    return (await this.frame.locator('body').innerText()).replace(/[ \t]+/g, ' ');
  }
}
