import type { KnownBound } from '../facts/evidence.js';
import type { LineFeatures, Room } from './features.js';
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
}

/**
 * The only door to a line's verdict. Pure.
 * @param isSeen false for one snapshot without lifetimes
 * @param room null if no capacity is known
 */
export function judge(features: LineFeatures, isSeen: boolean, room: Room | null): Judged {
  const rule = ruleFor(LINE_RULES, features);
  const { shape } = features;
  return {
    // `notLasting` comes before each rule whose verdict is not the shape.
    verdict: rule.verdict === 'shape' ? (shape === 'lasting' ? 'growing' : shape) : rule.verdict,
    rule: rule.name,
    reason: isSeen ? rule.reason(features, room) : [],
    bound: rule.isBound === true ? features.bound : null,
  };
}
