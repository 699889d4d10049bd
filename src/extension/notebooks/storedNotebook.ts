/** A notebook as it lies on the disk (nbformat 4). */

/** Texts of the code cells; empty if this is not a notebook. Nothing in it is believed. */
export function storedCells(json: string): string[] {
  let notebook: unknown;
  try {
    notebook = JSON.parse(json);
  } catch {
    return [];
  }
  const cells = isRecord(notebook) ? notebook['cells'] : null;
  if (!Array.isArray(cells)) return [];
  return cells.flatMap((cell: unknown) => {
    if (!isRecord(cell) || cell['cell_type'] !== 'code') return [];
    const source = cell['source'];
    if (typeof source === 'string') return [source];
    return Array.isArray(source) && source.every((line) => typeof line === 'string') ? [source.join('')] : [];
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
