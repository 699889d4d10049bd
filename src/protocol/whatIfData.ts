/** What other settings of the allocator would have made of a device's history. */
import type { ChangeOutcome, DeviceAnswer } from '../core/allocator/deviceAnswer.js';
import type { Bytes } from '../core/model/units.js';
import type { CurveWindow } from '../core/timeline/timelineWindow.js';
import type { OfDevice, TimelineQuery } from './timelineData.js';

export interface WhatIfQuery extends OfDevice {
  /** Memory that the driver gives, if the recording does not show it; null if unknown. */
  capacity: Bytes | null;
}

export interface WhatIfAnswer extends OfDevice, Pick<DeviceAnswer, 'recorded'> {
  /** Why the recording cannot be replayed, in a sentence; null if the replay is exact. */
  problem: string | null;
  /** How much was replayed, and whether a change changes anything. */
  summary: string;
  /** What limits the answer, and when memory ends. */
  notes: string[];
  /** Settings that change something, the best first. */
  outcomes: WhatIfOutcome[];
}

export interface WhatIfOutcome extends Omit<ChangeOutcome, 'setting' | 'program'> {
  /** Names it in questions; one of each in an answer. */
  change: string;
  /** The change in a few words. */
  name: string;
  /** The setting in the environment; null for a change of the program. */
  assignment: string | null;
}

/** The change that a replay is made with. */
export interface Changed extends WhatIfQuery {
  /** The change, see {@link WhatIfOutcome}. */
  change: string;
}

export type ReservedQuery = TimelineQuery & Changed;

/** Reserved memory with a change, over the events of the trace. */
export interface ReservedAnswer extends OfDevice, CurveWindow {
  change: string;
  /** The change in a few words. */
  name: string;
}
