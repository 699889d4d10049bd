import type { RunReport } from '../report/report.js';
import { named } from '../text/names.js';

/** Shorter folders are no burden to read. */
const SHORTEST = 12;

/** Names of a run, without the folder of all its files, which is printed once. */
export interface ShortNames {
  /** Empty if there is none. */
  readonly folder: string;
  /** A recorded name, marked. */
  readonly name: (name: string) => string;
  /** A text with names in it. */
  readonly text: (text: string) => string;
}

export function shortNames(run: RunReport): ShortNames {
  const folder = recordedFolder(run);
  const text = (long: string): string => (folder === '' ? long : long.replaceAll(folder, ''));
  return { folder, text, name: (name) => named(text(name)) };
}

/**
 * The recorded folder of all lines of a run, to print once, with a separator at the end. Empty if the workspace has one
 * of the files, or without a common folder.
 */
function recordedFolder({ lines, peaks, outOfMemory }: RunReport): string {
  const held = [...peaks, ...outOfMemory.flatMap((failure) => failure.held ?? [])];
  const places = [...lines, ...held.flatMap((peak) => peak.lines)];
  if (places.length === 0 || places.some(({ mapped }) => mapped)) return '';
  const [first, ...others] = new Set(places.map(({ file }) => file));
  let end = Math.max(first.lastIndexOf('/'), first.lastIndexOf('\\')) + 1;
  while (end > 0 && !others.every((file) => file.startsWith(first.slice(0, end)))) {
    const shorter = first.slice(0, end - 1);
    end = Math.max(shorter.lastIndexOf('/'), shorter.lastIndexOf('\\')) + 1;
  }
  return end < SHORTEST ? '' : first.slice(0, end);
}
