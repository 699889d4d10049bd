import { say } from '../text/say.js';
import type { ReportFrame } from './report.js';

/** The sentence that begins the evidence of a line whose memory is allocated in a file that is not at hand. */
export function unfoundText({ file, line, function: name }: ReportFrame): string {
  return say(
    'Allocated in {0}, line {1} ({2}), a file that was not found in this workspace: this line only calls it.',
    file,
    line,
    name,
  );
}
