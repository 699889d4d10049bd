import { Action, type Snapshot } from '../model/snapshot.js';
import type { Bytes, Microseconds } from '../model/units.js';
import type { DeviceHistory } from '../model/history.js';

/** An allocation that failed. */
export interface Failure {
  /** Ordinal in the device's trace. */
  event: number;
  /** Since the start of the history; null where the file has no times. */
  time: Microseconds | null;
  /** As the allocator rounded it. */
  askedBytes: Bytes;
  /** What the driver could still give; null where the input does not say. */
  deviceFreeBytes: Bytes | null;
  /** Held by PyTorch at that moment. */
  liveBytes: Bytes;
  /** Null where the input does not say. */
  reservedBytes: Bytes | null;
  /** What the program had set as metadata, empty where nothing. */
  metadata: string;
}

/** The first failures of a device's trace. */
export function failuresOf(snapshot: Snapshot, history: DeviceHistory, most: number): Failure[] {
  const { first, count } = history.trace;
  const failures: Failure[] = [];
  const actions = snapshot.events.action.subarray(first, first + count);
  let event = actions.indexOf(Action.OutOfMemory);
  while (event !== -1 && failures.length < most) {
    failures.push(failureAt(snapshot, history, event));
    event = actions.indexOf(Action.OutOfMemory, event + 1);
  }
  return failures;
}

/** @param event ordinal of a failure in the device's trace */
export function failureAt({ events, failures, strings }: Snapshot, history: DeviceHistory, event: number): Failure {
  const row = history.trace.first + event;
  const known = failures.event.indexOf(row);
  return {
    event,
    time: history.timeAt(event),
    askedBytes: events.size[row],
    deviceFreeBytes: known === -1 ? null : failures.deviceFree[known],
    liveBytes: history.live[event + 1],
    reservedBytes: history.reservedAfter(event),
    metadata: events.metadata === null ? '' : strings.text(events.metadata[row]),
  };
}
