/** A comparison as one entry per line. */
import { addCells } from '../../core/report/compare/compareCells.js';
import type { CompareLine, CompareReport } from '../../core/report/report.js';

/** Lines that grew or shrank, functions of one line added up. The largest change first, also for shrinking ones. */
export function comparedLines(report: CompareReport): CompareLine[] {
  const byLine = new Map<string, CompareLine>();
  for (const line of report.lines) {
    const key = `${line.mapped}:${line.line}:${line.file}`;
    const present = byLine.get(key);
    byLine.set(key, present === undefined ? line : add(present, line));
  }
  return [...byLine.values()]
    .filter(({ growthBytes }) => growthBytes !== 0)
    .sort((a, b) => Math.abs(b.growthBytes) - Math.abs(a.growthBytes));
}

function add(a: CompareLine, b: CompareLine): CompareLine {
  return {
    ...a,
    ...addCells(a, b),
    flow: null,
    stacks: [...a.stacks, ...b.stacks].sort((x, y) => y.growthBytes - x.growthBytes),
  };
}
