import * as vscode from 'vscode';

/**
 * The files that a command was called on: a URI and the whole selection from the explorer, rows of the Snapshots view,
 * or nothing from the palette.
 */
export function pathsOf(first: unknown, all: unknown): string[] {
  const items = Array.isArray(all) && all.length > 0 ? (all as unknown[]) : [first];
  return items.flatMap((item) => {
    if (item instanceof vscode.Uri) return [item.fsPath];
    if (typeof item === 'object' && item !== null && 'path' in item && typeof item.path === 'string')
      return [item.path];
    return [];
  });
}
