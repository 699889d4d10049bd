import type { RunReport } from '../report/report.js';

/** Shorter folders are no burden to read. */
const SHORTEST = 12;

/**
 * The recorded folder of all lines of a run, to print once, with a separator at the end. Empty if the workspace has one
 * of the files, or without a common folder.
 */
export function recordedFolder({ lines, peaks, outOfMemory }: RunReport): string {
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
