import { eventTime } from '../../src/core/model/eventTime.js';
import type { EventTable } from '../../src/core/model/snapshot.js';

/** The time of every event in microseconds since the epoch. */
export function eventTimes(events: EventTable): Float64Array {
  return Float64Array.from({ length: events.count }, (_, event) => eventTime(events, event));
}
