import { Action, type Snapshot } from '../model/snapshot.js';
import type { Bytes, Microseconds } from '../model/units.js';
import type { DeviceHistory } from '../model/history.js';

/** An allocation that failed. */
export interface Failure {
  /** Ordinal in the device's trace. */
  event: number;
  /** Since the start of the history; null if unknown. */
  time: Microseconds | null;
  /** The request, as the allocator rounded it. */
  askedBytes: Bytes;
  /** Free memory of the device; null if unknown. */
  deviceFreeBytes: Bytes | null;
  /** Held by PyTorch at that moment. */
  liveBytes: Bytes;
  /** Null if unknown. */
  reservedBytes: Bytes | null;
  /** The metadata that the program set, or empty. */
  metadata: string;
}

/** The first failures of a device's trace. */
export function failuresOf(snapshot: Snapshot, history: DeviceHistory, max: number): Failure[] {
  const { first, count } = history.trace;
  const failures: Failure[] = [];
  const actions = snapshot.events.action.subarray(first, first + count);
  let event = actions.indexOf(Action.OutOfMemory);
  while (event !== -1 && failures.length < max) {
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
    liveBytes: history.liveAfter(event),
    reservedBytes: history.reservedAfter(event),
    metadata: events.metadata === null ? '' : strings.text(events.metadata[row]),
  };
}
