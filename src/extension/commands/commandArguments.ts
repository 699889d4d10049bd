import * as vscode from 'vscode';
import type { RunReport } from '../../core/report/report.js';
import type { Row } from '../views/rows.js';

/** The files of a command: a URI and the selection from the explorer, rows of _Snapshots_, or none from the palette. */
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
  return items.flatMap((item) => (isRow(item) ? (item.run ?? []) : []));
}

function isRow(item: unknown): item is Row {
  return typeof item === 'object' && item !== null && 'children' in item;
}

/** The snapshots by which two runs are compared: those that both took at the same step, the latest such, else their last. */
export function pairOfRuns(runs: readonly Pick<RunReport, 'snapshots'>[]): string[] | null {
  if (runs.length !== 2) return null;
  const [a, b] = runs.map(({ snapshots }) => snapshots);
  const step = a.findLast((one) => one.step !== null && b.some((other) => other.step === one.step))?.step ?? null;
  return [a, b].flatMap((snapshots) => {
    const at = step === null ? snapshots.at(-1) : snapshots.findLast((one) => one.step === step);
    return at === undefined ? [] : [at.path];
  });
}
