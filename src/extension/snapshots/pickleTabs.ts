import type { Uri } from 'vscode';

/** True for files that may be snapshots. Other inputs, such as CSV files, are edited as text. */
export function isPickle({ scheme, path }: Uri): boolean {
  return scheme === 'file' && /\.(?:pickle|pkl)(?:\.gz)?$/i.test(path);
}
