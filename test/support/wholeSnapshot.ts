import type { Snapshot } from '../../src/core/model/snapshot.js';

/** Everything of a snapshot, its texts in full: equal if and only if the snapshots are. */
export function wholeSnapshot({ strings, ...rest }: Snapshot): unknown {
  return { ...rest, texts: Array.from({ length: strings.count }, (_, id) => strings.text(id)) };
}
