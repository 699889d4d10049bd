/** The default pair of snapshots for a comparison. */
import type { ComparePair } from '../../src/protocol/compareData.js';
import type { TimelineChoice } from '../../src/protocol/timelineApi.js';

/** The first and the last snapshot of the run that is shown, else any two; null if there are no two. */
export function firstPair(choices: readonly TimelineChoice[], shown: string | null): ComparePair | null {
  const run = choices.find(({ path }) => path === shown)?.run;
  const own = choices.filter((choice) => choice.run === run);
  const among = own.length > 1 ? own : choices;
  const [a, b] = [among.at(0), among.at(-1)];
  return a === undefined || b === undefined || a === b ? null : { a: a.path, b: b.path };
}

/** The same runs where both took a snapshot at the same step, the latest such; null if they are one run, or never did. */
export function pairAtSameStep(choices: readonly TimelineChoice[], { a, b }: ComparePair): ComparePair | null {
  const [first, second] = [a, b].map((path) => choices.find((choice) => choice.path === path)?.run);
  if (first === undefined || second === undefined || first === second) return null;
  const ofFirst = choices.filter(({ run, step }) => run === first && step !== null);
  const ofSecond = choices.filter(({ run }) => run === second);
  for (const before of ofFirst.toReversed()) {
    const after = ofSecond.findLast(({ step }) => step === before.step);
    if (after !== undefined) return { a: before.path, b: after.path };
  }
  return null;
}

/** A run's last snapshot represents it where whole runs are shown. */
export function runEnds(choices: readonly TimelineChoice[]): TimelineChoice[] {
  const last = new Map(choices.map((choice) => [choice.run, choice]));
  return [...last.values()];
}
