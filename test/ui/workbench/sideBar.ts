/** The side bar and its trees. */
import type { Locator, Page } from 'playwright-core';
import { eventually, eventuallyWithBackoff } from '../../support/eventually.js';

export class SideBar {
  constructor(private readonly page: Page) {}

  /** A tree by the title of its section. */
  tree(title: string): Tree {
    return new Tree(
      this.page,
      this.page
        .locator('.part.sidebar .pane, .part.panel .pane')
        .filter({ has: this.page.locator('.pane-header', { hasText: title }) }),
    );
  }

  /** The number on Leakline's icon in the activity bar, null while there is none. */
  async badge(): Promise<string | null> {
    const content = this.page.locator('.activitybar .action-item', {
      has: this.page.locator('[aria-label^="Leakline"]'),
    });
    const badge = content.locator('.badge-content');
    return (await badge.isVisible()) ? badge.innerText() : null;
  }

  /** The files of the workspace. */
  get explorer(): Tree {
    return new Tree(this.page, this.page.locator('.explorer-folders-view'));
  }
}

/** One row of a tree: its nesting (1 for the outermost) and all its text. */
export interface TreeRow {
  level: number;
  text: string;
}

export class Tree {
  constructor(
    private readonly page: Page,
    private readonly pane: Locator,
  ) {}

  async waitFor(): Promise<void> {
    await this.pane.first().waitFor();
  }

  /** Rows that show, top down. */
  async rows(): Promise<TreeRow[]> {
    return this.pane.locator('.monaco-list-row').evaluateAll((rows) =>
      rows
        .map((row) => ({
          top: row.getBoundingClientRect().top,
          level: Number(row.getAttribute('aria-level')),
          text: row.textContent.replace(/\s+/g, ' ').trim(),
        }))
        .sort((a, b) => a.top - b.top)
        .map(({ level, text }) => ({ level, text })),
    );
  }

  /** Waits until a row's text matches. */
  async untilRow(text: RegExp): Promise<TreeRow> {
    return eventually(async () => {
      const rows = await this.rows();
      const found = rows.find((row) => text.test(row.text));
      if (found === undefined) throw new Error(`no row ${text}; there are ${JSON.stringify(rows)}`);
      return found;
    });
  }

  /** Waits until no row's text matches. */
  async untilNoRow(text: RegExp): Promise<void> {
    await eventually(async () => {
      const rows = await this.rows();
      if (rows.some((row) => text.test(row.text))) throw new Error(`there is still ${text}: ${JSON.stringify(rows)}`);
    });
  }

  /** Waits until so many rows match: a menu of a row closes while rows are drawn again. */
  async untilRows(text: RegExp, count: number): Promise<void> {
    await eventually(async () => {
      const rows = await this.rows();
      const found = rows.filter((row) => text.test(row.text)).length;
      if (found !== count) throw new Error(`${found} of ${count} rows ${text}: ${JSON.stringify(rows)}`);
    });
  }

  row(text: string | RegExp): Locator {
    return this.pane.locator('.monaco-list-row', { hasText: text }).first();
  }

  /** Opens the menu of a row and picks an entry, once more while nothing comes of it. @param seen what then shows */
  async choose(text: string | RegExp, entry: string, seen: Locator): Promise<void> {
    await this.pick(text, entry, seen, () => Promise.resolve());
  }

  /** Selects two rows, opens the menu of the second and picks an entry. @param seen what then shows */
  async chooseOfTwo(first: string, second: string, entry: string, seen: Locator): Promise<void> {
    await this.pick(second, entry, seen, async (timeout) => {
      await this.row(first).click({ timeout });
      await this.row(second).click({ modifiers: ['ControlOrMeta'], timeout });
    });
  }

  private async pick(
    text: string | RegExp,
    entry: string,
    seen: Locator,
    select: (timeout: number) => Promise<void>,
  ): Promise<void> {
    await eventuallyWithBackoff(async (timeout) => {
      if (await seen.isVisible()) return;
      await this.page.keyboard.press('Escape');
      await select(timeout);
      await this.row(text).click({ button: 'right', timeout });
      // A menu takes no notice of a button that is released in its first tenth of a second.
      const item = this.page.locator('.context-view .action-menu-item', { hasText: entry });
      await item.click({ delay: 300, timeout });
      await seen.waitFor({ timeout });
    });
  }

  /** Opens or closes a row. */
  async toggle(text: string | RegExp): Promise<void> {
    await this.row(text).locator('.monaco-tl-twistie').click();
  }

  async click(text: string | RegExp): Promise<void> {
    await this.row(text).click();
  }
}
