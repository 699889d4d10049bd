import type { LineReport, OtherLines, RunReport } from './report.js';

/** The shown lines, and the sum of the omitted ones: together all. */
interface LineSelection {
  readonly shown: readonly LineReport[];
  readonly rest: Omit<OtherLines, 'leakedBytes'>;
}

/** A steady line with less of the live bytes is left out. */
const MIN_SHARE = 0.01;

/**
 * Suspects first, then by size: at most `most`, but all leaks. Tiny steady lines are left out unless `most` is
 * infinite.
 */
export function selectLines(
  { lines, otherLines }: Pick<RunReport, 'lines' | 'otherLines'>,
  max: number,
): LineSelection {
  const min = max === Infinity ? 0 : MIN_SHARE * sum(lines, (line) => line.liveBytes);
  const own = lines.filter((line) => line.series.some((bytes) => bytes > 0));
  const suspects = own.filter(isSuspect).sort((a, b) => b.leakedBytes - a.leakedBytes || b.growthBytes - a.growthBytes);
  const others = own.filter((line) => !isSuspect(line));
  const largest = others
    .filter((line) => line.liveBytes >= min && (line.verdict !== 'steady' || line.liveBytes > 0))
    .slice(0, Math.max(0, max - suspects.length));
  const named = new Set(largest);
  const rest = others.filter((line) => !named.has(line));
  return {
    shown: [...suspects, ...largest],
    rest: {
      lines: otherLines.lines + rest.length,
      liveBytes: otherLines.liveBytes + sum(rest, (line) => line.liveBytes),
      growthBytes: otherLines.growthBytes + sum(rest, (line) => line.growthBytes),
      blocks: otherLines.blocks + sum(rest, (line) => line.blocks),
    },
  };
}

/** True if a person has to look at the line. */
export function isSuspect(line: LineReport): boolean {
  if (line.ignored) return false;
  return line.verdict === 'leak' || line.verdict === 'cycle' || line.verdict === 'growing';
}

/** Sum of a figure over a list. */
export function sum<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((total, item) => total + figure(item), 0);
}
