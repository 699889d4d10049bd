/** One running VS Code and one browser, in which tests open as many windows as they like. */
import type { Browser, BrowserContext } from 'playwright-core';
import { launchChromium } from '../../vscode-host/browser.js';
import { VsCodeServer, type ServerOptions, type WindowTarget } from '../../vscode-host/server.js';
import { Workbench } from '../workbench/workbench.js';
import { Witness } from './witness.js';

/** Limits of waiting in a window. */
const pageLimitMs = 60_000;

export interface WindowOptions extends Pick<WindowTarget, 'folder' | 'workspace' | 'file'> {
  /** Pixels of the screen per pixel of the page; 2 for pictures. */
  scale?: number;
  size?: { width: number; height: number };
}

/** A window, and what was noticed about it. */
export interface OpenWindow {
  workbench: Workbench;
  witness: Witness;
}

export class UiSession {
  private readonly windows = new Set<OpenWindow>();

  private constructor(
    readonly server: VsCodeServer,
    private readonly browser: Browser,
  ) {}

  static async start(options: ServerOptions): Promise<UiSession> {
    const server = await VsCodeServer.start(options);
    try {
      return new UiSession(server, await launchChromium());
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Opens a window and waits for its workbench; the extension may still be starting then. */
  async open({ scale = 1, size = { width: 1400, height: 850 }, ...target }: WindowOptions = {}): Promise<Workbench> {
    // A context of its own: nothing that another window has stored is seen in this one.
    const context = await this.browser.newContext({ viewport: size, deviceScaleFactor: scale, colorScheme: 'dark' });
    // Compiled test functions that run in the page name their inner functions through this helper of the compiler's.
    await context.addInitScript('globalThis.__name ??= (target) => target');
    context.setDefaultTimeout(pageLimitMs);
    return this.windowIn(context, this.server.windowUrl(target), target.folder);
  }

  /** Closes a window and opens it again, with what it has stored. */
  async restart({ page, folder }: Workbench): Promise<Workbench> {
    for (const window of this.windows) if (window.workbench.page === page) this.windows.delete(window);
    const [context, url] = [page.context(), page.url()];
    await page.close();
    return this.windowIn(context, url, folder);
  }

  private async windowIn(context: BrowserContext, url: string, folder: string | undefined): Promise<Workbench> {
    const page = await context.newPage();
    const witness = new Witness(page);
    const workbench = new Workbench(page, folder);
    this.windows.add({ workbench, witness });
    await page.goto(url);
    await workbench.ready();
    return workbench;
  }

  openWindows(): readonly OpenWindow[] {
    return [...this.windows];
  }

  /** Closes these windows; all, if not told which. */
  async closeWindows(windows: Iterable<OpenWindow> = this.openWindows()): Promise<void> {
    for (const window of windows) {
      this.windows.delete(window);
      await window.workbench.page.context().close();
    }
  }

  async close(): Promise<void> {
    await this.closeWindows();
    await this.browser.close();
    await this.server.stop();
  }
}
