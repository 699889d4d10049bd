import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import {
  Action,
  BlockState,
  EMPTY_STACK,
  NO_INDEX,
  NO_STACK,
  type DeviceTrace,
  type SnapshotWarning,
} from '../model/snapshot.js';
import { SnapshotBuilder } from '../model/snapshotBuilder.js';
import { ChromeEvents, type ChromeMemory } from './chrome/chromeEvents.js';
import { PythonCalls } from './chrome/pythonCalls.js';
import { expectFewDevices } from './deviceCount.js';
import type { ReadContext } from './format.js';
import { JsonMachine } from './json/jsonMachine.js';
import { runJson } from './json/runJson.js';
import type { ReadResult } from './readResult.js';
import { countText } from '../text/numberText.js';
import { t } from '../text/translate.js';

/** Beside an accelerator's memory the host's is of no interest here. */
const HOST = 0;

/** Live memory at the end of the trace, at one address. */
interface Held {
  event: number;
  memory: ChromeMemory;
  stack: number;
}

/**
 * A profiler's Chrome trace with `profile_memory=True`: each allocation and free, and with `with_stack=True` the
 * running functions. Older memory is a sum only.
 * @param isList the events are the top value, without facts around them
 * @throws SnapshotError
 */
export async function readChromeTrace(source: ByteSource, context: ReadContext, isList: boolean): Promise<ReadResult> {
  const builder = new SnapshotBuilder();
  const events = new ChromeEvents(builder.strings, isList);
  await runJson(source, new JsonMachine(events.handler, source.name), context.chunkSize);
  if (events.memory.length === 0) {
    throw new SnapshotError(
      'unsupported',
      t(
        "{0} is a profiler's trace without memory events. Profile with profile_memory=True and with_stack=True.",
        source.name,
      ),
    );
  }
  const calls = new PythonCalls(events, builder, source.name);
  const hasAccelerator = events.memory.some((memory) => memory.deviceType !== HOST);
  const byDevice = new Map<number, ChromeMemory[]>();
  for (const memory of events.inOrder()) {
    if (hasAccelerator && memory.deviceType === HOST) continue;
    const device = Math.max(0, memory.device);
    const list = byDevice.get(device) ?? [];
    list.push(memory);
    byDevice.set(device, list);
  }
  expectFewDevices(source.name, byDevice.keys());
  const traces: DeviceTrace[] = [];
  const order: number[] = [];
  const warnings: SnapshotWarning[] = [];
  let anyReserved = false;
  for (const [device, list] of [...byDevice].sort((a, b) => a[0] - b[0])) {
    const first = builder.eventCount;
    const held = addEvents(builder, calls, events.baseUs, list);
    traces.push({ device, first, count: builder.eventCount - first });
    const last = list[list.length - 1];
    const known = held.reduce((sum, { memory }) => sum + memory.bytes, 0);
    const before = last.totalAllocated - known;
    if (before > 0) warnings.push(beforeTrace(device, before));
    anyReserved ||= last.totalReserved > 0;
    order.push(addSegment(builder, device, held, Math.max(0, before), last));
  }
  for (const { name, isStart, ts } of events.annotations()) {
    builder.addAnnotation(name, isStart, 0, events.baseUs + ts);
  }
  if (!hasAccelerator) {
    warnings.push({
      code: 'hostMemory',
      message: t('The trace holds memory of the host only, shown as device 0: profile on the GPU to see its memory.'),
    });
  }
  const snapshot = builder.finish({
    format: 'chromeTrace',
    fileBytes: source.size,
    traces,
    order,
    settings: null,
    warnings,
    absent: anyReserved ? ['requestedSizes'] : ['requestedSizes', 'reserved'],
  });
  return { kind: 'snapshot', snapshot };
}

/** @returns live memory at the end */
function addEvents(
  builder: SnapshotBuilder,
  calls: PythonCalls,
  baseUs: number,
  list: readonly ChromeMemory[],
): Held[] {
  const held = new Map<bigint, Held>();
  for (const memory of list) {
    const stack = calls.stackAt(memory);
    const event = builder.addEvent(
      {
        action: memory.isFailure ? Action.OutOfMemory : memory.bytes > 0 ? Action.Alloc : Action.FreeCompleted,
        addrLow: Number(memory.address & 0xffffffffn),
        addrHigh: Number(memory.address >> 32n),
        size: Math.abs(memory.bytes),
        timeUs: baseUs + memory.ts,
        stack,
        forwardStack: NO_STACK,
        stream: 0,
        category: 0,
        metadata: 0,
        compileContext: 0,
      },
      NO_INDEX,
    );
    if (memory.isFailure) continue;
    if (memory.bytes > 0) held.set(memory.address, { event, memory, stack });
    else held.delete(memory.address);
  }
  return [...held.values()];
}

/** The trace has no segments, so all live memory is one, of the reserved size. */
function addSegment(
  builder: SnapshotBuilder,
  device: number,
  held: readonly Held[],
  before: number,
  last: ChromeMemory,
): number {
  const sorted = [...held].sort((a, b) => (a.memory.address < b.memory.address ? -1 : 1));
  const firstBlock = builder.blockCount;
  const add = (size: number, address: bigint, stack: number): number =>
    builder.addBlock({
      addrLow: Number(address & 0xffffffffn),
      addrHigh: Number(address >> 32n),
      size,
      requestedSize: 0,
      state: BlockState.Allocated,
      stack,
      capture: NO_INDEX,
    });
  let live = before;
  if (before > 0) add(before, 0n, EMPTY_STACK);
  for (const { memory, stack } of sorted) {
    add(memory.bytes, memory.address, stack);
    live += memory.bytes;
  }
  return builder.addStandInSegment(device, firstBlock, last.totalReserved > 0 ? last.totalReserved : live);
}

function beforeTrace(device: number, bytes: number): SnapshotWarning {
  return {
    code: 'startedLate',
    message: t(
      '{0} bytes on device {1} were allocated before the trace began; only their sum is known: ' +
        'start the profiler before the model is built.',
      countText(bytes),
      device,
    ),
  };
}
