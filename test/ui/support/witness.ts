/** Watches a window for what must never happen in it. */
import type { Page, Request } from 'playwright-core';

export class Witness {
  private readonly seen: string[] = [];
  private readonly questions: Promise<void>[] = [];

  constructor(page: Page) {
    page.on('request', (request) => {
      this.questions.push(this.judge(request));
    });
    page.on('console', (message) => {
      const text = message.text();
      if (/Content Security Policy|Refused to (load|execute|apply|connect|frame)/i.test(text)) {
        this.seen.push(`policy violation: ${text}`);
      }
    });
    page.on('pageerror', (error) => {
      if (!workbenchErrors.test(error.message)) this.seen.push(`uncaught error: ${error.stack ?? error.message}`);
    });
    page.on('crash', () => this.seen.push('the window crashed'));
  }

  /** Everything seen so far, each once. */
  async complaints(): Promise<readonly string[]> {
    await Promise.all(this.questions);
    return [...new Set(this.seen)];
  }

  /** A request may go to this machine, or to the made-up host of a webview's resources, which never leaves the page. */
  private async judge(request: Request): Promise<void> {
    const { protocol, hostname, origin } = new URL(request.url());
    if (!/^(https?|wss?):$/.test(protocol) || hostname === '127.0.0.1') return;
    if (hostname.endsWith('.vscode-resource.vscode-cdn.net')) {
      const response = await request.response().catch(() => null);
      if (response === null || response.fromServiceWorker()) return;
    }
    this.seen.push(`request to ${origin}`);
  }
}

/** Errors that the workbench throws when a window closes under it. */
const workbenchErrors = /^Canceled|network error|Failed to fetch|signal is aborted|ResizeObserver loop/i;
