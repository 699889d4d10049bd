/** What the user chose in the flame graph: it outlives a reload. */
import * as v from 'valibot';
import { MOST_FOCUS } from '../../src/protocol/flameData.js';
import { integer, listOf, type Schemas } from '../../src/protocol/schema.js';

/** As wide as what is live at an instant, or as its mean over what is in view: bytes times lifetime. */
export const FLAME_MEASURES = ['live', 'mean'] as const;
export type FlameMeasure = (typeof FLAME_MEASURES)[number];

/** What the rows of the table are sorted by; `call` is the order of the graph. */
export const FLAME_SORTS = ['call', 'self', 'bytes', 'blocks'] as const;
export type FlameSort = (typeof FLAME_SORTS)[number];

export const PLAIN_FLAME = {
  sort: 'call' as FlameSort,
  folded: true,
  measure: 'live' as FlameMeasure,
  /** Ids of the calls down to the one that shall fill the width. */
  focus: [] as readonly number[],
};
export type FlameChoices = typeof PLAIN_FLAME;

export const FLAME_SCHEMAS: Schemas<FlameChoices> = {
  sort: v.picklist(FLAME_SORTS),
  folded: v.boolean(),
  measure: v.picklist(FLAME_MEASURES),
  focus: listOf(integer(0), MOST_FOCUS),
};
