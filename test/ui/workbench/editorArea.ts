/** Editors: their tabs, lines, lenses and hovers. */
import type { Locator, Page } from 'playwright-core';
import { eventually, eventuallyWithBackoff } from '../../support/eventually.js';
import { assertLeaked } from '../../support/shownBytes.js';

/** A lens, and the 1-based line that it stands above. */
export interface ShownLens {
  line: number;
  text: string;
}

const lensLimitMs = 60_000;

export class EditorArea {
  private readonly active: Locator;

  constructor(private readonly page: Page) {
    this.active = page.locator('.editor-group-container.active');
  }

  /** Waits until the active editor shows a file. */
  async untilActive(path: string): Promise<void> {
    const name = path.split('/').at(-1) ?? path;
    await this.active.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.active.locator('.monaco-editor .view-line').first().waitFor();
  }

  /** Name on the active tab. */
  async activeTab(): Promise<string> {
    return (await this.active.locator('.tab.active').first().getAttribute('data-resource-name')) ?? '';
  }

  /** 1-based line of the cursor, as the status bar tells it. */
  async cursorLine(): Promise<number> {
    const text = await this.page.locator('.statusbar-item', { hasText: /^Ln \d+/ }).innerText();
    return Number(/Ln (\d+)/.exec(text)?.[1]);
  }

  /** Waits until the cursor is at a 1-based line. */
  async untilCursorAt(line: number): Promise<void> {
    await eventually(async () => {
      const found = await this.cursorLine();
      if (found !== line) throw new Error(`the cursor is at line ${found}, not ${line}`);
    });
  }

  /**
   * Opens the list of fixes for the line that the cursor is on, and waits until it has one with this text. It stays
   * open: Enter takes what is selected.
   */
  async openFixes(text: string): Promise<void> {
    await eventuallyWithBackoff(async (withinMs) => {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press('ControlOrMeta+.');
      await this.page.locator('.action-widget', { hasText: text }).waitFor({ timeout: withinMs });
    });
  }

  /** Takes a fix of the open list with the keyboard. */
  async takeFix(text: string): Promise<void> {
    const focused = this.page.locator('.action-widget .monaco-list-row.focused');
    await eventually(async () => {
      const found = await focused.innerText();
      if (found.includes(text)) return;
      await this.page.keyboard.press('ArrowDown');
      throw new Error(`the fix in focus is ${found}, not ${text}`);
    });
    await this.page.keyboard.press('Enter');
  }

  /**
   * The lenses in view, top down. Which line one belongs to is read off the screen: the first line number below it.
   * Lenses vanish for a moment while they are refreshed: retry, or use {@link untilLens}.
   */
  async lenses(): Promise<ShownLens[]> {
    return this.page.evaluate(() => {
      const editor = document.querySelector('.editor-group-container.active .monaco-editor');
      if (editor === null) return [];
      const numbers = [...editor.querySelectorAll('.margin .line-numbers')]
        .map((element) => ({ top: element.getBoundingClientRect().top, line: Number(element.textContent) }))
        .filter(({ line }) => line > 0)
        .sort((a, b) => a.top - b.top);
      return [...editor.querySelectorAll('.codelens-decoration')]
        .flatMap((element) => {
          const { top, height } = element.getBoundingClientRect();
          const below = numbers.find((number) => number.top >= top + height / 2);
          return [...element.querySelectorAll('a')].map((link) => ({
            top,
            line: below?.line ?? 0,
            text: link.textContent.trim(),
          }));
        })
        .filter(({ line, text }) => line > 0 && text !== '')
        .sort((a, b) => a.top - b.top)
        .map(({ line, text }) => ({ line, text }));
    });
  }

  /** Waits for a lens above a line whose text matches; gives its text. */
  async untilLens(line: number, text: RegExp, timeoutMs = lensLimitMs): Promise<string> {
    return eventually(
      async () => {
        const lenses = await this.lenses();
        const found = lenses.find((lens) => lens.line === line && text.test(lens.text));
        if (found === undefined)
          throw new Error(`no lens ${text} above line ${line}; there are ${JSON.stringify(lenses)}`);
        return found.text;
      },
      { timeoutMs },
    );
  }

  /** Waits until the lens of a leaking line says how much leaked so far: as long as snapshots are read, it says less. */
  async untilLeaked(line: number, bytes: number): Promise<void> {
    await eventually(async () => {
      assertLeaked(await this.untilLens(line, /▲ Leaks/, 1_000), bytes);
    });
  }

  /** Clicks a lens. Retries while lenses are being redrawn. */
  async clickLens(text: string | RegExp): Promise<void> {
    await this.active.locator('.codelens-decoration a', { hasText: text }).first().click({ timeout: lensLimitMs });
  }

  /** Presses a button of the active editor's title. */
  async pressAction(name: string): Promise<void> {
    await this.active.locator('.editor-actions').getByRole('button', { name, exact: true }).click();
  }

  /** Rests the pointer on the first place in view that shows `text`; gives what the hover says. */
  async hover(text: string): Promise<string> {
    const place = this.active.locator('.view-line span span', { hasText: text }).first();
    const hover = this.page.locator('.monaco-hover:visible .hover-contents');
    return eventuallyWithBackoff(async (withinMs) => {
      await this.page.mouse.move(0, 0);
      await place.hover();
      await hover.first().waitFor({ timeout: withinMs });
      return (await hover.allInnerTexts()).join('\n');
    });
  }

  /** Text that decorations add behind lines, as drawn. */
  async lineText(line: number): Promise<string> {
    return this.page.evaluate((wanted) => {
      const editor = document.querySelector('.editor-group-container.active .monaco-editor');
      const number = [...(editor?.querySelectorAll('.margin .line-numbers') ?? [])].find(
        (element) => Number(element.textContent) === wanted,
      );
      const top = number?.getBoundingClientRect().top ?? Number.NaN;
      const row = [...(editor?.querySelectorAll('.view-line') ?? [])].find(
        (element) => Math.abs(element.getBoundingClientRect().top - top) < 2,
      );
      const spans = [...(row?.querySelectorAll('span span') ?? [])];
      return spans
        .map((span) => `${span.textContent}${getComputedStyle(span, '::after').content.replace(/^none$|^normal$/, '')}`)
        .join('');
    }, line);
  }

  /** 1-based lines whose picture in the margin has an address that matches. */
  async gutterLines(picture: RegExp): Promise<number[]> {
    return this.glyphLines((_, background) => picture.test(background));
  }

  /** 1-based lines that show a breakpoint. */
  async breakpointLines(): Promise<number[]> {
    return this.glyphLines((classes) => classes.includes('codicon-debug-breakpoint'));
  }

  private async glyphLines(matches: (classes: string, background: string) => boolean): Promise<number[]> {
    const glyphs = await this.page.evaluate(() => {
      const editor = document.querySelector('.editor-group-container.active .monaco-editor');
      const numbers = [...(editor?.querySelectorAll('.margin .line-numbers') ?? [])].map((element) => ({
        top: element.getBoundingClientRect().top,
        line: Number(element.textContent),
      }));
      return [...(editor?.querySelectorAll('.glyph-margin-widgets .cgmr') ?? [])].map((element) => {
        const { top } = element.getBoundingClientRect();
        return {
          line: numbers.find((number) => Math.abs(number.top - top) < 4)?.line ?? 0,
          classes: element.className,
          background: getComputedStyle(element).backgroundImage,
        };
      });
    });
    const lines = glyphs.filter(({ classes, background }) => matches(classes, background)).map(({ line }) => line);
    return [...new Set(lines)].sort((a, b) => a - b);
  }
}
