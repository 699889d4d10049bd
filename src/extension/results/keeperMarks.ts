/** Statements that keep what other lines allocate, as marks of their own. */
import type { LineReport } from '../../core/report/report.js';
import type { LineMark, MarkTone } from './lineMarks.js';

/** A line whose memory a statement keeps. */
export interface KeptLine {
  readonly mark: LineMark;
  /** In the run that the keeper's sum is of: leaked, or live where it is no leak. */
  readonly bytes: number;
}

export interface KeeperMark {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** Who keeps, in a few words. */
  readonly name: string;
  readonly fix: string | null;
  /** That of its worst line. */
  readonly tone: MarkTone;
  /** Of all lines, each counted once. */
  readonly bytes: number;
  /** Largest first. */
  readonly kept: readonly [KeptLine, ...KeptLine[]];
}

/**
 * Statements that keep what the marked lines allocate, where they stand on another line. Bytes of several runs are never
 * added up: of each statement, the run that it keeps most in is shown.
 * @param marks worst first, as they are shown
 */
export function keeperMarks(marks: readonly LineMark[]): KeeperMark[] {
  const byPlace = new Map<string, Map<string, KeptLine[]>>();
  for (const mark of marks) {
    for (const { run, line } of mark.parts) {
      const { holder } = line;
      if (holder === null || (holder.file === mark.file && holder.line === mark.line)) continue;
      const key = `${holder.line}:${holder.file}`;
      const byRun = byPlace.get(key) ?? new Map<string, KeptLine[]>();
      byPlace.set(key, byRun.set(run.id, [...(byRun.get(run.id) ?? []), { mark, bytes: keptBytes(line) }]));
    }
  }
  return [...byPlace.values()].flatMap((byRun) => {
    const [runId, lines] = [...byRun].sort((a, b) => sumOf(b[1]) - sumOf(a[1]))[0];
    const [largest, ...rest] = [...lines].sort((a, b) => b.bytes - a.bytes);
    const holder = largest.mark.parts.find(({ run }) => run.id === runId)?.line.holder;
    if (holder == null) return [];
    const { file, line, name, fix } = holder;
    // Marks come worst first.
    return [{ file, line, name, fix, tone: lines[0].mark.tone, bytes: sumOf(lines), kept: [largest, ...rest] }];
  });
}

function keptBytes(line: LineReport): number {
  return line.verdict === 'leak' ? line.leakedBytes : line.liveBytes;
}

function sumOf(lines: readonly KeptLine[]): number {
  return lines.reduce((sum, { bytes }) => sum + bytes, 0);
}
