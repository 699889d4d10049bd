import { NO_INDEX, type Snapshot } from '../../src/core/model/snapshot.js';

/** The snapshot as it had been with a ring of so many entries per device: older events are gone. */
export function ringed(snapshot: Snapshot, entries: number): Snapshot {
  const traces = snapshot.traces.map(({ device, first, count }) => {
    const size = Math.min(count, entries);
    return { device, first: first + count - size, count: size };
  });
  const isInRing = (event: number): boolean =>
    traces.some(({ first, count }) => event >= first && event < first + count);
  const allocEvent = snapshot.blocks.allocEvent.map((event) => (isInRing(event) ? event : NO_INDEX));
  return { ...snapshot, traces, blocks: { ...snapshot.blocks, allocEvent } };
}
