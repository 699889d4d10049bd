/** The live memory at an instant by call, in the detail of a flame graph. */
import type { ComparedCall } from '../core/runs/comparedPaths.js';
import type { CallTree } from '../core/timeline/callTree.js';
import type { Bytes, Microseconds } from '../core/model/units.js';
import type { OfDevice, TimelineAxis } from './timelineData.js';

/** Maximum number of calls on the way to a node: deeper ones cannot be focused. */
export const MAX_FOCUS = 512;

export interface FlameQuery extends OfDevice {
  /** Ordinal in the device's trace: the state after this event. -1 is the state before the first. */
  event: number;
  /** A stretch to take the mean over instead, in units of its axis, null for the whole history; null for the instant. */
  over: { axis: TimelineAxis; window: { from: number; to: number } | null } | null;
  /** Leaves out frames that no user wrote. */
  folded: boolean;
  /** Ids of the calls down to the node that shall fill the width; none for everything. */
  focus: readonly number[];
  /** Width of the graph. */
  pixels: number;
}

export interface Flame extends OfDevice {
  event: number;
  timeUs: Microseconds | null;
  /** The range of the mean; null for an instant. */
  over: { axis: TimelineAxis; from: number; to: number } | null;
  /** The curve's value, or its mean over the stretch: the sum of everything. */
  liveBytes: Bytes;
  /** The existing part of the focused calls, outermost first; indices into `calls`. */
  focus: { call: number; bytes: Bytes }[];
  calls: FlameCall[];
  /** `tree.call` holds indices into `calls`. The first row is focused. */
  tree: CallTree;
}

export interface FlameCall extends ComparedCall {
  /** Number of the call, valid for this snapshot. */
  id: number;
}
