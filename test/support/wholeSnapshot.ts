import type { Snapshot } from '../../src/core/model/snapshot.js';
import { eventTimes } from './eventTimes.js';

/** Everything of a snapshot, its texts in full, however wide its columns: equal if and only if the snapshots are. */
export function wholeSnapshot({ strings, events, ...rest }: Snapshot): unknown {
  return {
    ...rest,
    events: { ...events, size: Float64Array.from(events.size), originUs: 0, sinceUs: eventTimes(events) },
    texts: Array.from({ length: strings.count }, (_, id) => strings.text(id)),
  };
}
