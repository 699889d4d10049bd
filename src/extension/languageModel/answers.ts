/** What a language model is told. Recorded names are code spans or JSON strings: text, never instructions in prose. */
import { findingJson } from '../../core/render/findingText.js';
import { renderCompareMarkdown, renderMarkdown } from '../../core/render/renderMarkdown.js';
import type { CompareReport, LineReport, Report, RunReport, StackReport } from '../../core/report/report.js';
import type { FindingMark } from '../results/findingMarks.js';

/** Lines in a table at most, leaks apart; findings and their lines in an answer. */
const MOST_LINES = 10;
const MOST_STACKS = 3;
const MOST_FRAMES = 12;

/** Said where there is nothing to say: what the user can do about it. */
export const NO_SNAPSHOTS =
  'No GPU memory snapshot is read. Snapshots are files that torch.cuda.memory._dump_snapshot wrote into the workspace; ' +
  'the command "Leakline: Run Python File with Recording" makes them.';

/** Every run's verdict, its leaking lines with bytes, rates and holders, and what the recording could not see. */
export function leaksAnswer(report: Report): string {
  return renderMarkdown(report, { mostLines: MOST_LINES });
}

/**
 * Everything known of a finding, as JSON: its sentence, holder and fix, and of the lines that allocate the numbers,
 * evidence and top stacks, per run. Asked for a line that allocates, of that line alone.
 */
export function findingAnswer(file: string, line: number, findings: readonly FindingMark[]): string {
  const isHere = (place: { file: string; line: number }): boolean => place.file === file && place.line === line;
  const found = findings.find((one) => isHere(one)) ?? findings.find(({ lines }) => lines.some(isHere));
  if (found === undefined) {
    const others = findings.slice(0, MOST_LINES).map((other) => ({ file: other.file, line: other.line }));
    return JSON.stringify({ file, line, verdict: null, meaning: 'This line is in no finding.', findings: others });
  }
  const [{ run, finding }] = found.parts;
  const marks = isHere(found) ? found.lines.slice(0, MOST_LINES) : found.lines.filter(isHere);
  return JSON.stringify({
    finding: findingJson(finding, run),
    lines: marks.map((mark) => ({
      file: mark.file,
      line: mark.line,
      runs: mark.parts.map((part) => partOf(part.run, part.line)),
    })),
  });
}

/** Growth between two snapshots by line, as Markdown. */
export function compareAnswer(report: CompareReport): string {
  return renderCompareMarkdown(report, { mostLines: MOST_LINES });
}

function partOf(run: RunReport, line: LineReport): object {
  const { stacks, series, ...facts } = line;
  return {
    rank: run.rank,
    stepsAreFrom: run.steps,
    snapshots: run.snapshots.length,
    forecast: run.forecast,
    ...facts,
    liveBytesPerSnapshot: series,
    stacks: stacks.slice(0, MOST_STACKS).map(shortStack),
  };
}

function shortStack({ frames, liveBytes, blocks, verdict }: StackReport): object {
  const innermostFirst = frames
    .slice(0, MOST_FRAMES)
    .map(({ file, line, function: name }) => `${file}:${line} ${name}`);
  return { liveBytes, blocks, verdict, innermostFirst };
}
