/** Findings of a report as marks: what every run says of one statement, the worst first. */
import { findingsOf, severity, type Finding } from '../../core/report/findings.js';
import { rankCount } from '../../core/report/ranks.js';
import type { Report, RunReport } from '../../core/report/report.js';
import { toneOf, type LineMark, type MarkTone } from './lineMarks.js';

/** One run's word on a statement. */
export interface FindingPart {
  readonly run: RunReport;
  readonly finding: Finding;
}

export interface FindingMark {
  /** The statement to change; where the workspace has it not, the line that allocates most. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** True if the workspace has the file. */
  readonly mapped: boolean;
  readonly tone: MarkTone;
  /** Runs that have something to say of it, the worst first: its numbers are shown. */
  readonly parts: readonly [FindingPart, ...FindingPart[]];
  /** Marks of the lines that allocate, in any run, largest first. */
  readonly lines: readonly [LineMark, ...LineMark[]];
  /** Ranks among all runs of the report; more than one makes the rank worth saying. */
  readonly ranks: number;
}

/**
 * All findings, worst first; or those of the lines that the workspace ignores. Bytes are never summed over runs.
 * @param marks of the same lines
 * @param canOpen true for files of the workspace
 */
export function findingMarks(
  report: Report,
  marks: readonly LineMark[],
  canOpen: (file: string) => boolean,
  ignored = false,
): FindingMark[] {
  const byPlace = new Map<string, FindingPart[]>();
  for (const run of report.runs) {
    for (const finding of findingsOf(run.lines.filter((line) => line.ignored === ignored && toneOf(line) !== null))) {
      const key = `${finding.holder === null && !finding.lines[0].mapped}:${finding.line}:${finding.file}`;
      byPlace.set(key, [...(byPlace.get(key) ?? []), { run, finding }]);
    }
  }
  const ranks = rankCount(report.runs);
  const byLine = new Map(marks.map((mark) => [keyOf(mark), mark]));
  return [...byPlace.values()]
    .flatMap((of) => {
      const [worst, ...rest] = [...of].sort(worstFirst);
      const told = [worst, ...rest]
        .flatMap((part) => part.finding.lines)
        .flatMap((line) => byLine.get(keyOf(line)) ?? []);
      const [first, ...others] = new Set(told);
      const { finding } = worst;
      const lines: FindingMark['lines'] = [first, ...others];
      const tone = toneOf(finding.lines[0]) ?? 'growth';
      const parts: FindingMark['parts'] = [worst, ...rest];
      if (finding.holder !== null && canOpen(finding.file)) {
        return [{ file: finding.file, line: finding.line, mapped: true, tone, parts, lines, ranks }];
      }
      const { file, line, mapped } = lines.find((mark) => mark.mapped) ?? first;
      return [{ file, line, mapped, tone, parts, lines, ranks }];
    })
    .sort((a, b) => worstFirst(a.parts[0], b.parts[0]));
}

/** True if the statement holds what other lines allocate. */
export function holdsOthers({ file, line, lines }: FindingMark): boolean {
  return lines.some((mark) => mark.file !== file || mark.line !== line);
}

function worstFirst({ finding: a }: FindingPart, { finding: b }: FindingPart): number {
  return severity(a.verdict) - severity(b.verdict) || b.bytes - a.bytes;
}

function keyOf({ mapped, file, line }: Pick<LineMark, 'mapped' | 'file' | 'line'>): string {
  return `${mapped}:${line}:${file}`;
}
