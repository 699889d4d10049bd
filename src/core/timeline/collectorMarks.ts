import type { Tally } from '../attribution/ownerTally.js';
import type { Collection } from '../model/recording.js';
import type { Microseconds } from '../model/units.js';
import type { DeviceHistory } from '../model/history.js';
import { HistoryAxis, type Stretch } from '../model/historyAxis.js';

/** Where the collector freed memory of a device. */
interface CollectorMark {
  x: number;
  kind: 'collector';
  label: string;
  collected: Tally;
}

/** Marks closer together than this on average would be a wall; those that freed least make way. */
const PIXELS_PER_MARK = 24;

/** A run of the collector that freed memory of a device. */
export interface FreeingCollection {
  /** Ordinal of the first event that freed. */
  event: number;
  /** Since the history's start. */
  time: Microseconds;
  /** Memory that was freed while the collector ran: in a reference cycle, or held by one. */
  collected: Tally;
}

/** The collections during which memory was freed, in order. */
export function freeingCollections(collections: readonly Collection[], history: DeviceHistory): FreeingCollection[] {
  if (collections.length === 0) return [];
  const { startUs, time, live } = history;
  if (startUs === null || time === null) return [];
  const times = new HistoryAxis(history, 'time');
  const freeing: FreeingCollection[] = [];
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
    if (begin !== -1) freeing.push({ event: begin, time: time[begin], collected });
  }
  return freeing;
}

/** The collections of a window during which memory was freed. @param window in units of the axis */
export function collectorMarks(
  collections: readonly Collection[],
  history: DeviceHistory,
  axis: HistoryAxis,
  window: Stretch,
  pixels: number,
): CollectorMark[] {
  const marks = freeingCollections(collections, history).map(({ event, collected }): CollectorMark => ({
    x: axis.xOf(event),
    kind: 'collector',
    label: '',
    collected,
  }));
  return largestOf(
    marks.filter(({ x }) => x >= window.from && x <= window.to),
    pixels,
  );
}

/** The marks that freed most bytes, as many as there is room for, in their order. */
export function largestOf<Mark extends { collected: Tally }>(marks: readonly Mark[], pixels: number): Mark[] {
  const room = Math.max(1, Math.floor(pixels / PIXELS_PER_MARK));
  if (marks.length <= room) return [...marks];
  const largest = new Set([...marks].sort((a, b) => b.collected.bytes - a.collected.bytes).slice(0, room));
  return marks.filter((mark) => largest.has(mark));
}
