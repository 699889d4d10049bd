/** What the user chose in the comparison: the part of it that outlives a reload. */
import {
  COMPARE_WIDTHS,
  MOST_SERIES,
  SERIES_AXES,
  type ComparePair,
  type CompareWidth,
  type SeriesAxis,
  type SeriesRef,
} from '../../src/protocol/compareData.js';
import { flag, integer, listOf, oneOf, orNull, record, text, type Shapes } from '../../src/protocol/schema.js';

/** What the rows of the growth by line are sorted by. */
export const COMPARE_SORTS = [
  'line',
  'growthBytes',
  'bytesA',
  'bytesB',
  'survived',
  'allocated',
  'freed',
  'blocks',
] as const;
export type CompareSort = (typeof COMPARE_SORTS)[number];

/** How the growth is shown. */
export const COMPARE_PANES = ['table', 'flame'] as const;
export type ComparePane = (typeof COMPARE_PANES)[number];

export interface CompareChoices {
  /** Null until two snapshots were chosen. */
  pair: ComparePair | null;
  /** Of the curves; the growth is that of all devices. */
  device: number;
  /** Curves of the whole runs instead of the snapshots' own traces. */
  whole: boolean;
  /** Null for the best that the curves have in common. */
  axis: SeriesAxis | null;
  /** Curves beside those of the two. */
  others: readonly SeriesRef[];
  pane: ComparePane;
  sort: CompareSort;
  width: CompareWidth;
  folded: boolean;
}

export const NOTHING_CHOSEN: CompareChoices = {
  pair: null,
  device: 0,
  whole: false,
  axis: null,
  others: [],
  pane: 'table',
  sort: 'growthBytes',
  width: 'either',
  folded: true,
};

export const COMPARE_SHAPES: Shapes<CompareChoices> = {
  pair: orNull(record({ a: text, b: text })),
  device: integer(0),
  whole: flag,
  axis: orNull(oneOf(SERIES_AXES)),
  others: listOf(record({ path: text, device: integer(0), whole: flag }), MOST_SERIES - 2),
  pane: oneOf(COMPARE_PANES),
  sort: oneOf(COMPARE_SORTS),
  width: oneOf(COMPARE_WIDTHS),
  folded: flag,
};
