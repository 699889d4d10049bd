import { Action, type Snapshot } from '../../src/core/model/snapshot.js';
import type { Bytes } from '../../src/core/model/units.js';

/** A recording with one trace, which ends with a request that fails: the stack is that of the last allocation. */
export function withFailure(snapshot: Snapshot, size: Bytes, deviceFree: Bytes): Snapshot {
  const { events, traces, failures } = snapshot;
  const [trace] = traces;
  const end = trace.first + trace.count;
  if (traces.length > 1 || end !== events.count || failures.count > 0)
    throw new Error('The trace is not the only one.');
  const last = events.action.lastIndexOf(Action.Alloc);
  const withOne = <Column extends { slice(): ArrayLike<number> }>(column: Column, value: number): Column =>
    Reflect.construct((column as { constructor: unknown }).constructor as new (values: number[]) => Column, [
      [...Array.from(column.slice()), value],
    ]);
  return {
    ...snapshot,
    traces: [{ ...trace, count: trace.count + 1 }],
    events: {
      ...events,
      count: events.count + 1,
      action: withOne(events.action, Action.OutOfMemory),
      addrLow: withOne(events.addrLow, 0),
      addrHigh: withOne(events.addrHigh, 0),
      size: withOne(events.size, size),
      sinceUs: withOne(events.sinceUs, events.sinceUs[end - 1] + 1),
      stack: withOne(events.stack, events.stack[last]),
      forwardStack: events.forwardStack && withOne(events.forwardStack, 0),
      category: events.category && withOne(events.category, 0),
      metadata: events.metadata && withOne(events.metadata, 0),
      compileContext: events.compileContext && withOne(events.compileContext, 0),
    },
    failures: { count: 1, event: Uint32Array.of(end), deviceFree: Float64Array.of(deviceFree) },
  };
}
