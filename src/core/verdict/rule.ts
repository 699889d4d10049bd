import type { LineFeatures, Room } from './features.js';
import type { Verdict } from './shape.js';
import type { ThresholdName } from './thresholds.js';

/** One rule of a table that is read from the top: the first rule that holds decides. */
export interface Rule<Features, Kind> {
  readonly name: string;
  /** The observation, for docs/verdicts.md. */
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
  /** True if the verdict depends on the bound of the holder. */
  readonly isBound?: true;
  /** A planted program whose report changes without this rule; empty where only a unit test needs it. */
  readonly fixedBy: string;
}
