/** The timeline: its curve, and the table of what is live at a point. */
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { WebviewPanel } from './webviewPanel.js';

/** A row of "what is live here". */
export interface LiveRow {
  /** Exact. */
  bytes: number;
  blocks: number;
  /** `file:line`, or the name of a bucket. */
  place: string;
  function: string;
  /** True for the line that led here. */
  pointedOut: boolean;
}

/** The list of what is live at one point. */
export interface LiveList {
  rows: LiveRow[];
  /** Exact, as the foot says. */
  totalBytes: number;
  /** The sentence above. */
  summary: string;
}

export class TimelinePage {
  /** Takes clicks, the wheel and keys. */
  readonly plot: Locator;

  private constructor(
    readonly panel: WebviewPanel,
    private readonly page: Page,
  ) {
    this.plot = panel.frame.getByRole('application', { name: 'Memory timeline' });
  }

  /** Waits until a timeline shows a curve. */
  static async find(page: Page): Promise<TimelinePage> {
    const timeline = new TimelinePage(await WebviewPanel.find(page, '[role=application]'), page);
    await timeline.plot.waitFor();
    await timeline.untilDrawn();
    return timeline;
  }

  /** Clicks on the curve at a share of the plot's width: 0 is its left end, with the axis; 1 its right end. */
  async clickCurve(share: number, modifiers: ('ControlOrMeta' | 'Shift')[] = []): Promise<void> {
    const box = await this.plot.boundingBox();
    if (box === null) throw new Error('The plot is not on the screen.');
    await this.plot.click({ position: { x: box.width * share, y: box.height / 2 }, modifiers });
  }

  /**
   * Points at an allocation.
   * @param across share of the plot's width
   * @param up share of the way from the bottom of the bands to the top of the plot
   * @returns what is said of it
   */
  async hoverBand(across: number, up: number): Promise<string> {
    await this.plot.hover({ position: await this.placeOfBand(across, up) });
    return this.panel.locator('.readout').innerText();
  }

  /** Clicks on an allocation, at shares as for {@link hoverBand}. @returns what the page then says of it */
  async pickBand(across: number, up: number): Promise<string> {
    await this.plot.click({ position: await this.placeOfBand(across, up) });
    const card = this.panel.locator('.selection');
    await card.waitFor();
    return card.innerText();
  }

  /** Pixels of the curve, and of outlines and names over the allocations. */
  async inkOfBands(): Promise<number> {
    return this.panel.locator('canvas.curve').evaluate((element) => {
      const { width, height } = element as HTMLCanvasElement;
      const ink = (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
      return ink.filter((value, at) => at % 4 === 3 && value > 0).length;
    });
  }

  private async placeOfBand(across: number, up: number): Promise<{ x: number; y: number }> {
    const plot = await this.plot.boundingBox();
    const bands = await this.panel.locator('.bands').boundingBox();
    if (plot === null || bands === null) throw new Error('The allocations are not on the screen.');
    return { x: bands.x - plot.x + bands.width * across, y: bands.y - plot.y + bands.height * (1 - up) };
  }

  /** Looks into the peak in view, with keys. */
  async lookIntoPeak(): Promise<void> {
    await this.plot.focus();
    await this.page.keyboard.press('ArrowUp');
    await this.page.keyboard.press('Enter');
    await this.live();
  }

  /** Live memory at the chosen point, as listed; waits for the list of that point. */
  async live(): Promise<LiveList> {
    return eventually(async () => {
      // Read in one piece: rows, sum and sentence are of the same instant.
      const list = await this.panel.locator('.live:not(.flame, .map, .tabled)').evaluate((section) => {
        const number = (cell: HTMLElement | null | undefined): number =>
          Number((cell?.title ?? '').replace(/\D/g, '') || cell?.textContent.replace(/\D/g, ''));
        const rows = [...section.querySelectorAll('.live-table tbody tr')].map((row) => {
          const cells = [...row.querySelectorAll<HTMLElement>('td, th')];
          return {
            bytes: number(cells.at(0)),
            blocks: number(cells.at(2)),
            place: (cells.at(3)?.textContent ?? '').replace('▶', '').trim(),
            function: (cells.at(4)?.textContent ?? '').trim(),
            pointedOut: row.hasAttribute('aria-current'),
          };
        });
        return {
          isOfAnotherPoint: section.querySelector('.scroller.stale') !== null,
          rows,
          totalBytes: number(section.querySelector<HTMLElement>('.live-table tfoot tr.total td')),
          summary: section.querySelector('.summary')?.textContent ?? '',
        };
      });
      if (list.rows.length === 0) throw new Error('nothing is listed as live');
      if (list.isOfAnotherPoint) throw new Error('what is listed is of another point');
      return list;
    });
  }

  /** Opens a line of the list. */
  async openLine(place: string): Promise<void> {
    await this.panel.frame.getByRole('button', { name: place, exact: true }).click();
  }

  /** Waits until there are marks of a pen on the canvas. */
  private async untilDrawn(): Promise<void> {
    await eventually(async () => {
      const colors = await this.plot
        .locator('canvas')
        .first()
        .evaluate((element) => {
          const canvas = element as HTMLCanvasElement;
          const { width, height } = canvas;
          const pixels = new Uint32Array(canvas.getContext('2d')?.getImageData(0, 0, width, height).data.buffer ?? []);
          return new Set(pixels).size;
        });
      if (colors < 3) throw new Error('the curve is not drawn');
    });
  }
}
