/** Reading the tables of the page. */
import type { Locator } from 'playwright-core';

/** The texts of each row of a table, and the exact bytes of the cells that have some. */
export function cellsOf(rows: Locator): Promise<{ texts: string[]; bytes: number[] }[]> {
  return rows.evaluateAll((all) =>
    all.map((row) => {
      const cells = [...row.children] as HTMLElement[];
      const exact = cells.filter(({ tagName, title }) => tagName === 'TD' && title !== '');
      return {
        texts: cells.map((cell) => cell.innerText),
        bytes: exact.map(({ title }) => Number(title.replace(/\D/g, ''))),
      };
    }),
  );
}
