/** Guards for what a webview sends: it is another world, and nothing of it is believed unseen. */
import { BAND_GROUPINGS, type BandDetailQuery, type BandsQuery } from '../../protocol/bandData.js';
import {
  COMPARE_WIDTHS,
  MOST_SERIES,
  type CompareFlameQuery,
  type ComparePair,
  type SeriesQuery,
  type SeriesRef,
} from '../../protocol/compareData.js';
import { MOST_FOCUS, type FlameQuery } from '../../protocol/flameData.js';
import type { MapQuery } from '../../protocol/mapData.js';
import type { RunCurveQuery } from '../../protocol/runData.js';
import { LARGEST_SAVED, SAVED_KINDS, type SavedFile } from '../../protocol/saveData.js';
import type { BornInQuery, LiveAtQuery, TimelineQuery } from '../../protocol/timelineData.js';

/** More pixels than any screen has. */
const MOST_PIXELS = 16_384;

const SERIES_AXES: readonly SeriesQuery['axis'][] = ['step', 'time', 'events', null];

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null ? (value as Fields) : null;
}

function isInteger(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

export function isReadyParams(value: unknown): value is { protocol: number } {
  return typeof fields(value)?.['protocol'] === 'number';
}

export function isTimelineQuery(value: unknown): value is TimelineQuery {
  const query = ofWindow(value);
  return query !== null && isSize(query['pixels']);
}

export function isBandsQuery(value: unknown): value is BandsQuery {
  const query = ofWindow(value);
  if (query === null || !isSize(query['pixels']) || !isSize(query['rows']) || !isGrouping(query['grouping']))
    return false;
  if (query['bytes'] !== null && !isRange(query['bytes'])) return false;
  return query['line'] === null || isLine(query['line']);
}

export function isBandDetailQuery(value: unknown): value is BandDetailQuery {
  const query = ofDevice(value);
  if (query === null || !isGrouping(query['grouping'])) return false;
  if (!isInteger(query['strand'], 0) || !isInteger(query['event'], -1)) return false;
  return query['row'] === null || isInteger(query['row'], 0);
}

export function isLiveAtQuery(value: unknown): value is LiveAtQuery {
  const query = ofDevice(value);
  return query !== null && isInteger(query['event'], -1) && isListedBy(query['by']);
}

export function isBornInQuery(value: unknown): value is BornInQuery {
  const query = ofWindow(value);
  return query !== null && isListedBy(query['by']);
}

export function isRunCurveQuery(value: unknown): value is RunCurveQuery {
  const query = ofDevice(value);
  return query !== null && isSize(query['pixels']);
}

export function isFlameQuery(value: unknown): value is FlameQuery {
  const query = ofDevice(value);
  if (query === null || !isInteger(query['event'], -1) || !isSize(query['pixels'])) return false;
  return typeof query['folded'] === 'boolean' && isFocus(query['focus']) && isStretch(query['over']);
}

export function isComparePair(value: unknown): value is ComparePair {
  const pair = fields(value);
  return pair !== null && typeof pair['a'] === 'string' && typeof pair['b'] === 'string';
}

export function isCompareFlameQuery(value: unknown): value is CompareFlameQuery {
  const query = fields(value);
  if (query === null || !isComparePair(value) || !isSize(query['pixels']) || !isFocus(query['focus'])) return false;
  return typeof query['folded'] === 'boolean' && COMPARE_WIDTHS.some((width) => width === query['width']);
}

export function isSeriesQuery(value: unknown): value is SeriesQuery {
  const query = fields(value);
  if (query === null || !isSize(query['pixels']) || !SERIES_AXES.some((axis) => axis === query['axis'])) return false;
  const series = query['series'];
  return Array.isArray(series) && series.length > 0 && series.length <= MOST_SERIES && series.every(isSeriesRef);
}

function isSeriesRef(value: unknown): value is SeriesRef {
  const series = ofDevice(value);
  return series !== null && typeof series['whole'] === 'boolean';
}

export function isMapQuery(value: unknown): value is MapQuery {
  const query = ofDevice(value);
  return query !== null && isInteger(query['event'], -1) && isSize(query['pixels']);
}

/** The fields of a question about a device of a file. */
function ofDevice(value: unknown): Fields | null {
  const query = fields(value);
  return query !== null && typeof query['path'] === 'string' && isInteger(query['device'], 0) ? query : null;
}

/** The same, about a window of its history. */
function ofWindow(value: unknown): Fields | null {
  const query = ofDevice(value);
  if (query === null || (query['axis'] !== 'time' && query['axis'] !== 'events')) return null;
  return query['window'] === null || isRange(query['window']) ? query : null;
}

function isRange(value: unknown): boolean {
  const stretch = fields(value);
  return stretch !== null && Number.isFinite(stretch['from']) && Number.isFinite(stretch['to']);
}

function isStretch(value: unknown): boolean {
  const over = fields(value);
  return value === null || (over !== null && ofWindow({ path: '', device: 0, ...over }) !== null);
}

function isFocus(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MOST_FOCUS && value.every((call) => isInteger(call, 0));
}

function isSize(value: unknown): boolean {
  return isInteger(value, 1) && value <= MOST_PIXELS;
}

function isGrouping(value: unknown): boolean {
  return BAND_GROUPINGS.some((grouping) => grouping === value);
}

function isListedBy(value: unknown): boolean {
  return value === 'line' || value === 'stack';
}

function isLine(value: unknown): boolean {
  const line = fields(value);
  return line !== null && typeof line['file'] === 'string' && isInteger(line['line'], 1);
}

export function isOpenSourceParams(value: unknown): value is { file: string; line: number; preserveFocus: boolean } {
  const params = fields(value);
  if (params === null || typeof params['file'] !== 'string' || !isInteger(params['line'], 1)) return false;
  return typeof params['preserveFocus'] === 'boolean';
}

export function isSavedFile(value: unknown): value is SavedFile {
  const file = fields(value);
  if (file === null || typeof file['name'] !== 'string' || !SAVED_KINDS.some((kind) => kind === file['kind']))
    return false;
  return file['content'] instanceof Uint8Array && file['content'].byteLength <= LARGEST_SAVED;
}

export function isCopiedText(value: unknown): value is { text: string } {
  const text = fields(value)?.['text'];
  return typeof text === 'string' && text.length <= LARGEST_SAVED;
}
