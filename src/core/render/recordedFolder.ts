import type { RunReport } from '../report/report.js';

/** Shorter folders are no burden to read. */
const SHORTEST = 12;

/**
 * The folder that all lines of a run lie in, as recorded, with its separator at the end: said once, it need not stand
 * before every line. Empty where the workspace has a file of them, or where they lie apart.
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
