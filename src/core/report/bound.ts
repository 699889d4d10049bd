import { say } from '../text/say.js';
import type { LineReport, Verdict } from './report.js';

/** Why what a line allocates cannot grow for ever. */
export interface Bound {
  /** What keeps it, as the source calls it, and where it is put there. */
  readonly holder: string;
  readonly file: string;
  readonly line: number;
  /** A sentence about the holder: `It is a deque of at most 35.` */
  readonly limit: string;
  readonly isFull: boolean;
}

/** Takes back what a line is accused of: what keeps its memory is still filling up, or has just become full. */
export function acquit(line: LineReport, bound: Bound): void {
  const verdict: Verdict = bound.isFull ? 'plateau' : 'filling';
  const name = bound.file.slice(bound.file.lastIndexOf('/') + 1);
  const sentences = [
    say('Kept by `{0}` ({1}:{2}).', bound.holder, name, bound.line),
    bound.limit,
    bound.isFull ? say('It is full now.') : say('It is still filling.'),
  ];
  line.verdict = verdict;
  line.leakedBytes = 0;
  for (const stack of line.stacks) if (stack.verdict === 'leak') stack.verdict = verdict;
  if (line.evidence !== null)
    line.evidence = { ...line.evidence, reason: [...sentences, line.evidence.reason].join(' ') };
}
