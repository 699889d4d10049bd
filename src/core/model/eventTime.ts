import type { EventTable } from './snapshot.js';
import type { EventIndex, Microseconds } from './units.js';

/** The time of an event in microseconds since the epoch; 0 where the file carries no times. */
export function eventTime(
  { originUs, sinceUs }: Pick<EventTable, 'originUs' | 'sinceUs'>,
  event: EventIndex,
): Microseconds {
  return originUs + sinceUs[event];
}
