import type { Collection } from '../model/recording.js';
import type { Bytes } from '../model/units.js';
import type { DeviceHistory } from './history.js';
import { HistoryAxis, type Stretch } from './historyAxis.js';

/** What was freed while Python's garbage collector ran: it was in a reference cycle, or hung on one. */
export interface Collected {
  bytes: Bytes;
  blocks: number;
}

/** Where the collector freed memory of a device. */
export interface CollectorMark {
  x: number;
  kind: 'collector';
  label: string;
  collected: Collected;
}

/** Marks closer together than this on average would be a wall; those that freed least make way. */
const PIXELS_PER_MARK = 24;

/** The collections of a window during which memory was freed. @param window in units of the axis */
export function collectorMarks(
  collections: readonly Collection[],
  history: DeviceHistory,
  axis: HistoryAxis,
  window: Stretch,
  pixels: number,
): CollectorMark[] {
  const { startUs, time, live } = history;
  if (startUs === null || time === null) return [];
  const times = new HistoryAxis(history, 'time');
  const marks: CollectorMark[] = [];
  for (const { fromUs, toUs } of collections) {
    const { first, end } = times.eventsIn({ from: fromUs - startUs, to: toUs - startUs });
    const collected = { bytes: 0, blocks: 0 };
    let begin = -1;
    for (let event = first; event < end; event++) {
      const freed = live[event] - live[event + 1];
      if (freed <= 0) continue;
      if (begin === -1) begin = event;
      collected.bytes += freed;
      collected.blocks++;
    }
    if (begin === -1) continue;
    const x = axis.xOf(begin);
    if (x >= window.from && x <= window.to) marks.push({ x, kind: 'collector', label: '', collected });
  }
  const room = Math.max(1, Math.floor(pixels / PIXELS_PER_MARK));
  const largest = [...marks].sort((a, b) => b.collected.bytes - a.collected.bytes).slice(0, room);
  return largest.sort((a, b) => a.x - b.x);
}
