import { patternOf } from '../runs/runNames.js';
import { say } from '../text/say.js';
import type { CompareReport } from './report.js';

/**
 * How two snapshots name the configurations of a program that they are of; null where their names differ in nothing else
 * than a step or a time, which are of one run, or in other words.
 */
export function configurationsOf(a: string, b: string): CompareReport['configurations'] {
  if (patternOf(a) === patternOf(b)) return null;
  const [wordsA, wordsB] = [a, b].map((path) =>
    (path.split(/[/\\]/).pop() ?? '').replace(/\.[a-z]+$/i, '').split(/[^a-z0-9.]+/i),
  );
  if (wordsA.length !== wordsB.length) return null;
  const apart = wordsA.flatMap((word, i) => (word === wordsB[i] ? [] : [i]));
  const isConfigured = apart.length < wordsA.length && apart.every((i) => /\d/.test(wordsA[i]) && /\d/.test(wordsB[i]));
  if (apart.length === 0 || !isConfigured) return null;
  const named = (words: readonly string[]): string => apart.map((i) => words[i]).join(' ');
  return { a: named(wordsA), b: named(wordsB) };
}

/** The first sentence of a comparison of two configurations. */
export function configurationsText({ a, b }: NonNullable<CompareReport['configurations']>): string {
  return say('This compares two configurations, {0} and {1}, not two moments of one run.', a, b);
}
