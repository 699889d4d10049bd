import type { KnownBound } from '../facts/evidence.js';
import type { LineFeatures, Room, Seen } from './features.js';
import type { LineRule } from './rule.js';
import { LINE_RULES, ruleFor } from './rules.js';
import { seenTexts } from './seenTexts.js';
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
 * @param seen null for one snapshot without lifetimes
 * @param gaps between the joined traces
 * @param room null if no capacity is known
 */
export function judge(features: LineFeatures, seen: Seen | null, gaps: number, room: Room | null): Judged {
  const rule = ruleFor(LINE_RULES, features);
  const { shape } = features;
  return {
    // `notLasting` comes before each rule whose verdict is not the shape.
    verdict: rule.verdict === 'shape' ? (shape === 'lasting' ? 'growing' : shape) : rule.verdict,
    rule: rule.name,
    reason:
      seen === null
        ? []
        : [...(rule.before?.(features, room) ?? []), ...seenTexts(seen, gaps), ...rule.reason(features)],
    bound: rule.isBound === true ? features.bound : null,
  };
}
