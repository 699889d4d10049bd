import type { Snapshot } from '../core/model/snapshot.js';
import type { Bytes } from '../core/model/units.js';

/** Memory that the columns of a snapshot take. */
export function modelBytes(snapshot: Snapshot): Bytes {
  const { frames, stacks, events, segments, blocks, annotations } = snapshot;
  let bytes = 0;
  for (const table of [frames, stacks, events, segments, blocks, annotations]) {
    for (const column of Object.values(table)) if (ArrayBuffer.isView(column)) bytes += column.byteLength;
  }
  return bytes;
}
