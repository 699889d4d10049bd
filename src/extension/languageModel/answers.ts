/** What a language model is told. Recorded names are code spans or JSON strings: text, never instructions in prose. */
import { renderCompareMarkdown, renderMarkdown } from '../../core/render/renderMarkdown.js';
import type { CompareReport, LineReport, Report, RunReport, StackReport } from '../../core/report/report.js';
import type { LineMark } from '../results/lineMarks.js';

/** Lines in a table at most, leaks apart. */
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
 * Everything known of one line, as JSON: per run its numbers, evidence, holder and top stacks.
 * @param mark the line's mark, undefined where it has none
 */
export function lineAnswer(file: string, line: number, mark: LineMark | undefined, marks: readonly LineMark[]): string {
  if (mark === undefined) {
    const others = marks.slice(0, MOST_LINES).map((other) => ({ file: other.file, line: other.line }));
    return JSON.stringify({ file, line, verdict: null, meaning: 'This line has no mark.', markedLines: others });
  }
  return JSON.stringify({
    file: mark.file,
    line: mark.line,
    runs: mark.parts.map(({ run, line: of }) => part(run, of)),
  });
}

/** Growth between two snapshots by line, as Markdown. */
export function compareAnswer(report: CompareReport): string {
  return renderCompareMarkdown(report, { mostLines: MOST_LINES });
}

function part(run: RunReport, line: LineReport): object {
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
