/** Guards for what a webview sends: it is another world, and nothing of it is believed unseen. */
import type { LiveAtQuery, TimelineQuery } from '../../protocol/timelineData.js';

/** More pixels than any screen has. */
const MOST_PIXELS = 16_384;

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
  const query = fields(value);
  if (query === null || typeof query['path'] !== 'string' || !isInteger(query['device'], 0)) return false;
  if (query['axis'] !== 'time' && query['axis'] !== 'events') return false;
  if (!isInteger(query['pixels'], 1) || query['pixels'] > MOST_PIXELS) return false;
  if (query['window'] === null) return true;
  const window = fields(query['window']);
  return window !== null && Number.isFinite(window['from']) && Number.isFinite(window['to']);
}

export function isLiveAtQuery(value: unknown): value is LiveAtQuery {
  const query = fields(value);
  if (query === null || typeof query['path'] !== 'string') return false;
  return isInteger(query['device'], 0) && isInteger(query['event'], -1);
}

export function isOpenSourceParams(value: unknown): value is { file: string; line: number; preserveFocus: boolean } {
  const params = fields(value);
  if (params === null || typeof params['file'] !== 'string' || !isInteger(params['line'], 1)) return false;
  return typeof params['preserveFocus'] === 'boolean';
}
