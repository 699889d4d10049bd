/** A VS Code window as its user sees it. */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { eventuallyWithBackoff } from '../../support/eventually.js';
import { repositoryRoot } from '../../support/repository.js';
import { EditorArea } from './editorArea.js';
import { Notifications } from './notifications.js';
import { ProblemsPanel } from './problemsPanel.js';
import { QuickInput } from './quickInput.js';
import { SideBar } from './sideBar.js';
import { TimelinePage } from './timelinePage.js';
import { WebviewPanel } from './webviewPanel.js';

const startLimitMs = 180_000;
const askLimitMs = 90_000;

export class Workbench {
  readonly editor: EditorArea;
  readonly quickInput: QuickInput;
  readonly sideBar: SideBar;
  readonly notifications: Notifications;

  constructor(
    /** For what has no page object yet. */
    readonly page: Page,
    /** The folder that is open. */
    readonly folder: string | undefined,
  ) {
    this.quickInput = new QuickInput(page);
    this.editor = new EditorArea(page);
    this.sideBar = new SideBar(page);
    this.notifications = new Notifications(page);
  }

  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: startLimitMs });
  }

  /** Opens a file of the folder, at a 1-based line if given. */
  async openFile(path: string, line?: number): Promise<void> {
    // Requested by its whole path it is there at once: nothing is searched.
    const whole = this.folder === undefined ? path : join(this.folder, path);
    await this.ask('ControlOrMeta+P', line === undefined ? whole : `${whole}:${line}`, basename(path));
    await this.editor.untilActive(path);
    if (line !== undefined) await this.editor.untilCursorAt(line);
  }

  /**
   * Runs a command of the palette by its full title, such as `Leakline: Open Timeline`. Asks again while it is not
   * offered: a palette lists what extensions had when it was opened.
   */
  async runCommand(title: string): Promise<void> {
    await this.ask('F1', `>${title}`, title);
  }

  /**
   * Opens a picker by a key and picks a row; once more while the picker closes again or has no such row yet. Each try
   * has more time than the previous one: a window that is asked repeatedly gets nothing else done.
   */
  private async ask(key: string, text: string, label: string): Promise<void> {
    await eventuallyWithBackoff(
      async (withinMs) => {
        await this.page.keyboard.press(key);
        try {
          // A picker closes again when the focus moves while it opens.
          await this.quickInput.fill(text, withinMs);
          await this.quickInput.accept(label, withinMs);
        } catch (error) {
          await this.quickInput.cancel();
          throw error;
        }
      },
      { firstMs: 2_000, timeoutMs: askLimitMs },
    );
  }

  /** Opens the Problems panel. */
  async showProblems(): Promise<ProblemsPanel> {
    await this.runCommand('Problems: Focus on Problems View');
    await this.page.locator('.markers-panel').waitFor();
    return new ProblemsPanel(this.page);
  }

  /** Titles that the palette offers for a text. */
  async paletteTitles(text: string): Promise<string[]> {
    await this.page.keyboard.press('F1');
    await this.quickInput.fill(`>${text}`);
    const titles = await this.quickInput.labels();
    await this.quickInput.cancel();
    return titles;
  }

  /** The entry of the status bar with this text. */
  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.part.statusbar .statusbar-item', { hasText: text });
  }

  /** Waits for a webview whose document has an element for this selector. */
  webview(selector: string): Promise<WebviewPanel> {
    return WebviewPanel.find(this.page, selector);
  }

  /** Waits for a timeline that shows a curve. */
  timeline(): Promise<TimelinePage> {
    return TimelinePage.find(this.page);
  }

  /** Takes the pointer away and lets animations end, before a picture. */
  async settle(): Promise<void> {
    await this.page.mouse.move(0, 0);
    await this.page.waitForTimeout(1_000);
  }

  /** A picture for review, in the folder that `LEAKLINE_PICTURES` names; none where it names none. */
  async picture(name: string): Promise<void> {
    const folder = process.env['LEAKLINE_PICTURES'];
    if (folder === undefined) return;
    await this.settle();
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }

  /** Saves what the window shows under test-results/ui; gives the path. */
  async screenshot(name: string): Promise<string> {
    const folder = join(repositoryRoot(), 'test-results/ui');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${name.replace(/[^\w.-]+/g, '-').slice(0, 120)}.png`);
    await this.page.screenshot({ path });
    return path;
  }
}
