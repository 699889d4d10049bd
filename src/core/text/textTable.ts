/** Columns of a text table: `<` starts at the left, `>` ends at the right. */
export interface Column {
  readonly title: string;
  readonly align: '<' | '>';
}

/** Lines of an aligned table with its titles; the last column is not padded. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, i) => all.reduce((widest, row) => Math.max(widest, widthOf(row[i])), 0));
  return all.map((row) =>
    row
      .map((cell, i) => {
        const padding = ' '.repeat(widths[i] - widthOf(cell));
        return columns[i].align === '>' ? padding + cell : cell + padding;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Columns that a text takes in a terminal, near enough: wide East Asian signs take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const sign of text)
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/.test(sign) ? 2 : 1;
  return width;
}
