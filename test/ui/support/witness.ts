/** Watches a window for what must never happen in it. */
import type { Page } from 'playwright-core';

export class Witness {
  private readonly seen: string[] = [];

  constructor(page: Page) {
    page.on('request', (request) => {
      const { protocol, hostname, origin } = new URL(request.url());
      const network = protocol === 'http:' || protocol === 'https:' || protocol === 'ws:' || protocol === 'wss:';
      if (network && hostname !== '127.0.0.1') this.seen.push(`request to ${origin}`);
    });
    page.on('console', (message) => {
      const text = message.text();
      if (/Content Security Policy|Refused to (load|execute|apply|connect|frame)/i.test(text)) {
        this.seen.push(`policy violation: ${text}`);
      }
    });
    page.on('pageerror', (error) => {
      if (!workbenchErrors.test(error.message)) this.seen.push(`uncaught error: ${error.message}`);
    });
    page.on('crash', () => this.seen.push('the window crashed'));
  }

  /** Everything seen so far, each once. */
  complaints(): readonly string[] {
    return [...new Set(this.seen)];
  }
}

/** Errors that the workbench throws by itself when a window closes under it. */
const workbenchErrors = /^Canceled|network error|Failed to fetch|signal is aborted|ResizeObserver loop/i;
