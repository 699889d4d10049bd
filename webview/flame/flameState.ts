/** What the user chose in the flame graph: it outlives a reload. */
import { MOST_FOCUS } from '../../src/protocol/flameData.js';
import { isRecord } from '../record.js';

/** As wide as what is live at an instant, or as its mean over what is in view: bytes times lifetime. */
export const FLAME_MEASURES = ['live', 'mean'] as const;
export type FlameMeasure = (typeof FLAME_MEASURES)[number];

/** What the rows of the table are sorted by; `call` is the order of the graph. */
export const FLAME_SORTS = ['call', 'self', 'bytes', 'blocks'] as const;
export type FlameSort = (typeof FLAME_SORTS)[number];

export interface FlameChoices {
  asTable: boolean;
  sort: FlameSort;
  folded: boolean;
  measure: FlameMeasure;
  /** Ids of the calls down to the one that shall fill the width. */
  focus: readonly number[];
  /** What calls are looked for by. */
  find: string;
}

export const PLAIN_FLAME: FlameChoices = {
  asTable: false,
  sort: 'call',
  folded: true,
  measure: 'live',
  focus: [],
  find: '',
};

/** What was kept, as far as it is of the expected shape. */
export function restoredFlame(kept: unknown): FlameChoices {
  if (!isRecord(kept)) return PLAIN_FLAME;
  const { asTable, sort, folded, measure, focus, find } = kept;
  return {
    ...PLAIN_FLAME,
    ...(typeof asTable === 'boolean' && { asTable }),
    ...(FLAME_SORTS.some((one) => one === sort) && { sort: sort as FlameSort }),
    ...(typeof folded === 'boolean' && { folded }),
    ...(FLAME_MEASURES.some((one) => one === measure) && { measure: measure as FlameMeasure }),
    ...(isFocus(focus) && { focus }),
    ...(typeof find === 'string' && { find }),
  };
}

function isFocus(value: unknown): value is number[] {
  if (!Array.isArray(value) || value.length > MOST_FOCUS) return false;
  return value.every((id) => Number.isSafeInteger(id) && id >= 0);
}
