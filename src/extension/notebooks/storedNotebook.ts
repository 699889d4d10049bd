/** A notebook file (nbformat 4). */
import * as v from 'valibot';

const cell = v.object({
  cell_type: v.literal('code'),
  source: v.union([
    v.string(),
    v.pipe(
      v.array(v.string()),
      v.transform((lines) => lines.join('')),
    ),
  ]),
});
const notebook = v.pipe(v.string(), v.parseJson(), v.object({ cells: v.array(v.unknown()) }));

/** Texts of the code cells; empty for other files. */
export function storedCells(json: string): string[] {
  const { success, output } = v.safeParse(notebook, json);
  if (!success) return [];
  return output.cells.flatMap((entry) => {
    const code = v.safeParse(cell, entry);
    return code.success ? [code.output.source] : [];
  });
}
