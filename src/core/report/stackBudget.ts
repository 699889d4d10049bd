import { largestOf } from '../attribution/equalBlocks.js';
import type { LineReport, RunReport, StackReport } from './report.js';
import { runVerdict } from './runReport.js';

/** Characters of the stacks of a report: what programs and people read of it is a thousandth. */
const MOST_CHARACTERS = 1 << 25;
/** What is around the names of a frame. */
const FRAME = 40;

/**
 * Keeps a report within a size that every reader of it can hold: behind the largest stacks of a line, the others are one
 * that consists of the line alone. Bytes and blocks add up as before.
 */
export function boundStacks(runs: readonly RunReport[], most = MOST_CHARACTERS): void {
  let left = most;
  for (const { lines, snapshots } of runs) {
    for (const line of lines) {
      const kept = line.stacks.findIndex((stack) => {
        left -= charactersOf(stack);
        return left < 0;
      });
      if (kept === -1) continue;
      line.stacks = [...line.stacks.slice(0, kept), othersOf(line, line.stacks.slice(kept), snapshots.length)];
    }
  }
}

function othersOf(line: LineReport, others: readonly StackReport[], snapshots: number): StackReport {
  return {
    frames: [{ file: line.file, line: line.line, function: line.function }],
    liveBytes: others.reduce((sum, { liveBytes }) => sum + liveBytes, 0),
    blocks: others.reduce((sum, { blocks }) => sum + blocks, 0),
    equal: largestOf(others.map(({ equal }) => equal)),
    verdict: runVerdict(
      others.map(({ verdict }) => verdict),
      snapshots,
    ),
  };
}

function charactersOf({ frames }: StackReport): number {
  return frames.reduce((sum, frame) => sum + frame.file.length + frame.function.length + FRAME, FRAME);
}
