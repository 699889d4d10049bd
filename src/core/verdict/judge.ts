import type { Chance, KnownBound } from '../facts/evidence.js';
import type { LineFeatures, Room } from './features.js';
import { throughTexts } from './reasonTexts.js';
import { type LineRule, ruleFor } from './rule.js';
import { LINE_RULES } from './rules/lines.js';
import type { Verdict } from './shape.js';

/** The verdict on a line, and why. */
export interface Judged {
  readonly verdict: Verdict;
  readonly rule: LineRule['name'];
  /** Sentences; empty without observations. */
  readonly reason: readonly string[];
  /** The bound that the verdict depends on, null for none. */
  readonly bound: KnownBound | null;
  /** True if the source shows a test of a length or a count that has not ended the growth yet. */
  readonly mayBeLimited: boolean;
  /** True if each step uses what seldom grows. */
  readonly isInUse: boolean;
  /** True if to release the memory breaks the program, or changes nothing. */
  readonly isNeeded: boolean;
}

/**
 * The only door to a line's verdict. Pure.
 * @param isSeen false for one snapshot without lifetimes
 * @param room null if no capacity is known
 */
export function judge(features: LineFeatures, isSeen: boolean, room: Room | null): Judged {
  const rule = ruleFor(LINE_RULES, features);
  const { shape } = features;
  // `notLasting` comes before each rule whose verdict is not the shape.
  const verdict = rule.verdict === 'shape' ? (shape === 'lasting' ? 'growing' : shape) : rule.verdict;
  // A proved leak has advice, which says as much. A backward pass that bounds a graph needs it.
  const isNews = verdict === 'growing' && features.bound?.limit.kind !== 'graph';
  const through = isNews ? throughTexts(features.through) : [];
  const isPending = (kinds: readonly Chance['kind'][]): boolean =>
    features.chances.some(({ kind, state }) => state === 'pending' && kinds.includes(kind));
  const isInUse = verdict === 'growing' && isPending(['use']);
  return {
    verdict,
    rule: rule.name,
    reason: isSeen ? [...rule.reason(features, room), ...through] : [],
    bound: rule.isBound === true ? features.bound : null,
    mayBeLimited: isPending(['bound', 'count']),
    isInUse,
    isNeeded: isInUse || rule.isNeeded === true || rule.isBound === true,
  };
}
