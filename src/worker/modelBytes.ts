import type { DeviceHistory } from '../core/model/history.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Bytes } from '../core/model/units.js';

/** Memory that the columns of a snapshot take. */
export function modelBytes(snapshot: Snapshot): Bytes {
  const { frames, stacks, events, segmentEvents, failures, segments, blocks, annotations } = snapshot;
  return columnBytes([frames, stacks, events, segmentEvents, failures, segments, blocks, annotations]);
}

/** Memory that a reconstructed history takes. */
export function historyBytes({ allocations, live, reserved, time }: DeviceHistory): Bytes {
  return columnBytes([allocations, allocations.atEnd, { live, reserved, time }]);
}

function columnBytes(tables: readonly object[]): Bytes {
  let bytes = 0;
  for (const table of tables) {
    for (const column of Object.values(table)) if (ArrayBuffer.isView(column)) bytes += column.byteLength;
  }
  return bytes;
}
