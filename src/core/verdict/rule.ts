import type { LineFeatures, Room } from './features.js';
import type { Verdict } from './shape.js';
import type { ThresholdName } from './thresholds.js';

/**
 * One rule of a table that is read from the top: the first rule that holds decides. `npm run verdicts` writes
 * docs/verdicts.md from the tables.
 */
export interface Rule<Features, Kind> {
  readonly name: string;
  /** The observation, for that document. */
  readonly seen: string;
  readonly holds: (features: Features) => boolean;
  readonly verdict: Kind;
  /** True if growth over fewer steps lowers the confidence. */
  readonly weighed?: boolean;
  readonly thresholds: readonly ThresholdName[];
}

/** A rule for a line. Its verdict is `shape` if the shape of its memory is the verdict. */
export interface LineRule extends Rule<LineFeatures, Verdict | 'shape'> {
  /** Why, beyond what was observed. */
  readonly reason: (features: LineFeatures, room: Room | null) => readonly string[];
  /** True if the program needs the memory: to release it is no remedy. */
  readonly isNeeded?: true;
  /** True if the verdict depends on the bound of the holder, which then needs no remedy. */
  readonly isBound?: true;
  /** A planted program whose report changes without this rule; empty where only a unit test needs it. */
  readonly fixedBy: string;
}

/** The first rule that holds; the last rule of each table always does. */
export function ruleFor<Features, R extends Rule<Features, unknown>>(rules: readonly R[], features: Features): R {
  const rule = rules.find(({ holds }) => holds(features));
  if (rule === undefined) throw new Error('The last rule of a table holds always.');
  return rule;
}
