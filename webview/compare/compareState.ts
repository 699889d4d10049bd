/** What the user chose in the comparison: the part of it that outlives a reload. */
import {
  COMPARE_WIDTHS,
  MOST_SERIES,
  type ComparePair,
  type CompareWidth,
  type SeriesAxis,
  type SeriesRef,
} from '../../src/protocol/compareData.js';
import { isRecord } from '../record.js';

/** What the rows of the growth by line are sorted by. */
export const COMPARE_SORTS = [
  'growthBytes',
  'bytesA',
  'bytesB',
  'survived',
  'born',
  'freed',
  'blocks',
  'line',
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
  filter: string;
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
  filter: '',
};

/** What was kept, as far as it is of the expected shape. */
export function restoredChoices(kept: unknown): CompareChoices {
  if (!isRecord(kept)) return NOTHING_CHOSEN;
  const { pair, device, whole, axis, others, pane, sort, width, folded, filter } = kept;
  return {
    ...NOTHING_CHOSEN,
    ...(isPair(pair) && { pair: { a: pair.a, b: pair.b } }),
    ...(Number.isSafeInteger(device) && (device as number) >= 0 && { device: device as number }),
    ...(typeof whole === 'boolean' && { whole }),
    ...((axis === 'step' || axis === 'time' || axis === 'events') && { axis }),
    ...(Array.isArray(others) && { others: others.filter(isSeries).slice(0, MOST_SERIES - 2) }),
    ...(COMPARE_PANES.some((one) => one === pane) && { pane: pane as ComparePane }),
    ...(COMPARE_SORTS.some((one) => one === sort) && { sort: sort as CompareSort }),
    ...(COMPARE_WIDTHS.some((one) => one === width) && { width: width as CompareWidth }),
    ...(typeof folded === 'boolean' && { folded }),
    ...(typeof filter === 'string' && { filter }),
  };
}

function isPair(value: unknown): value is ComparePair {
  return isRecord(value) && typeof value['a'] === 'string' && typeof value['b'] === 'string';
}

function isSeries(value: unknown): value is SeriesRef {
  if (!isRecord(value) || typeof value['path'] !== 'string' || typeof value['whole'] !== 'boolean') return false;
  return Number.isSafeInteger(value['device']) && (value['device'] as number) >= 0;
}
