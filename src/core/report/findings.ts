/** Findings: one per bug, named by the statement to change. Every surface counts and lists these, never lines. */
import { frameKind } from '../attribution/frameKind.js';
import { groupBy } from '../maps.js';
import type { Bytes } from '../model/units.js';
import { sum } from './lineSelection.js';
import { SEVERITY } from '../verdict/shape.js';
import type { HolderReport, LineReport, Verdict } from './report.js';

export interface Finding {
  /** The statement to change: that of the holder, else, or if it is a library's, the line that allocates most. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** The worst of its lines. */
  readonly verdict: Verdict;
  /** With an edit, if that of any line has one. */
  readonly holder: HolderReport | null;
  /** Lines that allocate the memory, those of the finding's verdict first, each group by size. */
  readonly lines: readonly [LineReport, ...LineReport[]];
  /** Growth of the lines with the finding's verdict, so far; in a cycle, their maximum live bytes. */
  readonly bytes: Bytes;
  /** The growth of these lines per step; null without steps. */
  readonly bytesPerStep: Bytes | null;
  /** Live blocks of the same lines. */
  readonly blocks: number;
  /** Live bytes of the same lines, one per snapshot. */
  readonly series: readonly Bytes[];
}

/** Order of verdicts, 0 for the one that most needs a look. */
export function severity(verdict: Verdict): number {
  return SEVERITY.indexOf(verdict);
}

/** Lines of one run gathered by the statement that holds their memory, or by the call that would release it, the worst first. */
export function findingsOf(lines: readonly LineReport[]): Finding[] {
  const groups = groupBy(lines, (line) => {
    if (line.holder?.call !== undefined) return line.holder.call;
    const { file, line: at } = placeOf(line);
    // A recorded file may have the name of one of the workspace.
    return `${line.holder === null && !line.mapped}:${at}:${file}`;
  });
  return [...groups.values()].map(findingFrom).sort(worstFirst);
}

function placeOf(line: LineReport): { file: string; line: number } {
  return line.holder ?? line;
}

function findingFrom(group: [LineReport, ...LineReport[]]): Finding {
  const [first, ...rest] = [...group].sort(
    (a, b) => severity(a.verdict) - severity(b.verdict) || lineBytes(b) - lineBytes(a),
  );
  const lines: Finding['lines'] = [first, ...rest];
  const { verdict } = first;
  const same = lines.filter((line) => line.verdict === verdict);
  const rates = same.map(({ bytesPerStep }) => bytesPerStep).filter((rate) => rate !== null);
  const series = first.series.map((_, i) => sum(same, (line) => line.series[i] ?? 0));
  const isOfLibrary = first.holder !== null && frameKind(first.holder.file) === 'library';
  const { file, line } = (isOfLibrary ? lines.find(({ mapped }) => mapped) : undefined) ?? placeOf(first);
  return {
    ...{ file, line },
    verdict,
    holder: lines.find(({ holder }) => holder?.edit != null)?.holder ?? first.holder,
    lines,
    bytes: verdict === 'cycle' ? Math.max(0, ...series) : sum(same, lineBytes),
    bytesPerStep: rates.length === 0 ? null : sum(rates, (rate) => rate),
    blocks: sum(same, ({ blocks }) => blocks),
    series,
  };
}

/** The part of a line's memory that its verdict is about. */
export function lineBytes({ verdict, leakedBytes, growingBytes, growthBytes, liveBytes, series }: LineReport): Bytes {
  switch (verdict) {
    case 'leak':
      return leakedBytes;
    case 'growing':
      return growingBytes;
    case 'cycle':
      return Math.max(liveBytes, ...series);
    default:
      return growthBytes;
  }
}

/** Order of findings. */
export function worstFirst(a: Finding, b: Finding): number {
  return severity(a.verdict) - severity(b.verdict) || b.bytes - a.bytes;
}
