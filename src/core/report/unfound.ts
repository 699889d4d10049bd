import { say } from '../text/say.js';
import type { LineReport } from './report.js';

/** Says in a line's evidence, before all else, that what is told of it happens in a file that is not at hand. */
export function sayUnfound(line: LineReport): void {
  const { evidence, unfound } = line;
  if (evidence === null || unfound === null) return;
  const sentence = say(
    'Allocated in {0}, line {1} ({2}), a file that was not found in this workspace: this line only calls it.',
    unfound.file,
    unfound.line,
    unfound.function,
  );
  line.evidence = { ...evidence, reason: `${sentence} ${evidence.reason}` };
}
