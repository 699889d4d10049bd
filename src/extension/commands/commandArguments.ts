import * as vscode from 'vscode';
import type { RunReport } from '../../core/report/report.js';
import type { RunNode } from '../views/snapshotsTree.js';

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

/** The runs whose rows in the Snapshots view a command was called on. */
export function runsOf(first: unknown, all: unknown): RunReport[] {
  const items = Array.isArray(all) && all.length > 0 ? (all as unknown[]) : [first];
  return items.flatMap((item) => (isRunNode(item) ? [item.run] : []));
}

function isRunNode(item: unknown): item is RunNode {
  return typeof item === 'object' && item !== null && 'kind' in item && item.kind === 'run';
}
