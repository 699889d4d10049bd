/** The user's choices in the comparison that survive a reload. */
import * as v from 'valibot';
import {
  COMPARE_WIDTHS,
  MAX_SERIES,
  SERIES_AXES,
  type ComparePair,
  type CompareWidth,
  type SeriesAxis,
  type SeriesRef,
} from '../../src/protocol/compareData.js';
import { integer, listOf, type Schemas } from '../../src/protocol/schema.js';

/** The sort key of the growth by line. */
const COMPARE_SORTS = ['line', 'growthBytes', 'bytesA', 'bytesB', 'survived', 'allocated', 'freed', 'blocks'] as const;
export type CompareSort = (typeof COMPARE_SORTS)[number];

/** How the growth is shown. */
export const COMPARE_PANES = ['table', 'flame'] as const;
export type ComparePane = (typeof COMPARE_PANES)[number];

export const NOTHING_CHOSEN = {
  /** Null until two snapshots were chosen. */
  pair: null as ComparePair | null,
  /** The device of the curves. The growth is that of all devices. */
  device: 0,
  /** Curves of the whole runs instead of the snapshots' own traces. */
  whole: false,
  /** Null for the best that the curves have in common. */
  axis: null as SeriesAxis | null,
  /** Curves beside those of the two. */
  others: [] as readonly SeriesRef[],
  pane: 'table' as ComparePane,
  sort: 'growthBytes' as CompareSort,
  width: 'either' as CompareWidth,
  folded: true,
};
export type CompareChoices = typeof NOTHING_CHOSEN;

export const COMPARE_SCHEMAS: Schemas<CompareChoices> = {
  pair: v.nullable(v.object({ a: v.string(), b: v.string() })),
  device: integer(-1),
  whole: v.boolean(),
  axis: v.nullable(v.picklist(SERIES_AXES)),
  others: listOf(v.object({ path: v.string(), device: integer(-1), whole: v.boolean() }), MAX_SERIES - 2),
  pane: v.picklist(COMPARE_PANES),
  sort: v.picklist(COMPARE_SORTS),
  width: v.picklist(COMPARE_WIDTHS),
  folded: v.boolean(),
};
