/** The user's choices in the flame graph, which survive a reload. */
import * as v from 'valibot';
import { MAX_FOCUS } from '../../src/protocol/flameData.js';
import { integer, listOf, type Schemas } from '../../src/protocol/schema.js';

/** Width by live bytes at an instant, or by their mean over the view: bytes times lifetime. */
const FLAME_MEASURES = ['live', 'mean'] as const;
export type FlameMeasure = (typeof FLAME_MEASURES)[number];

/** The sort key of the table; `call` is the order of the graph. */
const FLAME_SORTS = ['call', 'self', 'bytes', 'blocks'] as const;
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
  focus: listOf(integer(0), MAX_FOCUS),
};
