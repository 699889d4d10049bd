/** Marks from findings: those of all runs on one statement, the worst first. */
import { groupBy } from '../../core/maps.js';
import type { FindingOfRun } from '../../core/present/presented.js';
import { findingsOf, worstFirst } from '../../core/report/findings.js';
import { rankCount } from '../../core/report/ranks/ranks.js';
import type { Report } from '../../core/report/report.js';
import { toneOf, type LineMark, type MarkTone } from './lineMarks.js';

export interface FindingMark {
  /** The statement to change; if it is not in the workspace, the line that allocates most. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** True if the workspace has the file. */
  readonly mapped: boolean;
  readonly tone: MarkTone;
  /** Runs with this finding, the worst first. Its numbers are shown. */
  readonly parts: readonly [FindingOfRun, ...FindingOfRun[]];
  /** Marks of the lines that allocate, in any run, largest first. */
  readonly lines: readonly [LineMark, ...LineMark[]];
  /** Number of ranks in the report; with several, the rank is shown. */
  readonly ranks: number;
}

/**
 * All findings, worst first; or those of ignored lines. Bytes are not added over runs.
 * @param marks of the same lines
 * @param canOpen true for files of the workspace
 */
export function findingMarks(
  report: Report,
  marks: readonly LineMark[],
  canOpen: (file: string) => boolean,
  ignored = false,
): FindingMark[] {
  const all = report.runs.flatMap((run) => {
    const lines = run.lines.filter((line) => line.ignored === ignored && toneOf(line) !== null);
    return findingsOf(lines).map((finding): FindingOfRun => ({ run, finding }));
  });
  const byPlace = groupBy(
    all,
    ({ finding: { holder, lines, line, file } }) => `${holder === null && !lines[0].mapped}:${line}:${file}`,
  );
  const ranks = rankCount(report.runs);
  const byLine = new Map(marks.map((mark) => [keyOf(mark), mark]));
  return [...byPlace.values()]
    .flatMap((of) => {
      const [worst, ...rest] = [...of].sort((a, b) => worstFirst(a.finding, b.finding));
      const texts = [worst, ...rest]
        .flatMap((part) => part.finding.lines)
        .flatMap((line) => byLine.get(keyOf(line)) ?? []);
      const [first, ...others] = new Set(texts);
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
    .sort((a, b) => worstFirst(a.parts[0].finding, b.parts[0].finding));
}

/** True if the statement holds memory of other lines. */
export function holdsOthers({ file, line, lines }: FindingMark): boolean {
  return lines.some((mark) => mark.file !== file || mark.line !== line);
}

function keyOf({ mapped, file, line }: Pick<LineMark, 'mapped' | 'file' | 'line'>): string {
  return `${mapped}:${line}:${file}`;
}
