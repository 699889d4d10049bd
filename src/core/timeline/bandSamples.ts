import type { DeviceHistory } from '../model/history.js';
import type { HistoryAxis, Stretch } from '../model/historyAxis.js';

/** The state of each pixel column of a window: `event[i]` from `column[i]` to `column[i + 1]`. */
export interface BandSamples {
  /** Ascending; the first is 0. */
  readonly column: Uint16Array;
  /** The state after this event; -1 is the state before the first. Ascending. */
  readonly event: Int32Array;
}

/**
 * One state per pixel column: the one of most live bytes, so that a spike has its exact height. A column without events
 * has the last state of the previous one.
 * @param pixels 1 to 65,535
 */
export function bandSamples(history: DeviceHistory, axis: HistoryAxis, window: Stretch, pixels: number): BandSamples {
  const { live } = history;
  const { first, end } = axis.eventsIn(window);
  const width = (window.to - window.from) / pixels;
  const columns: number[] = [0];
  const events: number[] = [first - 1];
  const add = (column: number, event: number): void => {
    const last = events.length - 1;
    if (columns[last] === column) events[last] = event;
    else if (events[last] !== event) {
      columns.push(column);
      events.push(event);
    }
  };
  let held = first - 1;
  let ordinal = first;
  let next = 0;
  while (ordinal < end) {
    // Rounding may put an event back into the column that the previous one closed.
    const column = Math.min(pixels - 1, Math.max(next, Math.floor((axis.xOf(ordinal) - window.from) / width)));
    next = column + 1;
    const edge = window.from + (column + 1) * width;
    // The state before belongs to the column too: it held until the first event in it.
    let highest = held;
    do {
      if (live[ordinal + 1] > live[highest + 1]) highest = ordinal;
      held = ordinal++;
    } while (ordinal < end && (column === pixels - 1 || axis.xOf(ordinal) < edge));
    add(column, highest);
    if (next < pixels) add(next, held);
  }
  return { column: Uint16Array.from(columns), event: Int32Array.from(events) };
}
