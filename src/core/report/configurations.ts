import { patternOf } from '../runs/runNames.js';
import { say } from '../text/say.js';

/**
 * One sentence where two snapshots are named for two configurations of one program; null where they are not. Names that
 * differ in a step or a time only are of one run.
 */
export function configurationsText(a: string, b: string): string | null {
  if (patternOf(a) === patternOf(b)) return null;
  const [wordsA, wordsB] = [a, b].map((path) =>
    (path.split(/[/\\]/).pop() ?? '').replace(/\.[a-z]+$/i, '').split(/[^a-z0-9.]+/i),
  );
  if (wordsA.length !== wordsB.length) return null;
  const apart = wordsA.flatMap((word, i) => (word === wordsB[i] ? [] : [i]));
  const isConfigured = apart.length < wordsA.length && apart.every((i) => /\d/.test(wordsA[i]) && /\d/.test(wordsB[i]));
  if (apart.length === 0 || !isConfigured) return null;
  const named = (words: readonly string[]): string => apart.map((i) => words[i]).join(' ');
  return say(
    'This compares two configurations, {0} and {1}, not two moments of one run.',
    named(wordsA),
    named(wordsB),
  );
}
