import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { groupBy } from '../maps.js';
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
import { RunningCalls } from './chrome/runningCalls.js';
import { expectFewDevices } from './limits.js';
import type { ReadContext } from './format.js';
import { JsonMachine } from './json/jsonMachine.js';
import { runJson } from './json/runJson.js';
import { functionLines } from './profilerFrame.js';
import type { ReadResult } from './readResult.js';
import { countText } from '../text/numberText.js';
import { t } from '../text/translate.js';

/** Beside an accelerator's memory the host's is of no interest here. */
const HOST = 0;

/** Live memory at the end of the trace, at one address. */
interface Held {
  address: bigint;
  bytes: number;
  stack: number;
}

/**
 * A profiler's Chrome trace with `profile_memory=True`: each allocation and free, and the running functions
 * (`with_stack=True`) or operators. Older memory is a sum only.
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
  const calls = new RunningCalls(events, builder, source.name);
  const hasAccelerator = events.memory.some((memory) => memory.deviceType !== HOST);
  const shown = events.inOrder().filter(({ deviceType }) => !hasAccelerator || deviceType !== HOST);
  const byDevice = groupBy(shown, ({ device }) => Math.max(0, device));
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
    const known = held.reduce((sum, { bytes }) => sum + bytes, 0);
    const before = last.totalAllocated === null ? 0 : last.totalAllocated - known;
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
  const hasAddresses = events.memory.every(({ address }) => address !== null);
  if (!hasAddresses) warnings.push(noAddresses());
  if (events.memory.every(({ totalAllocated }) => totalAllocated === null)) warnings.push(noTotals());
  if (!calls.hasFunctions) warnings.push(noFunctions());
  else if (calls.namesFunctions) warnings.push(functionLines());
  const snapshot = builder.finish({
    format: 'chromeTrace',
    fileBytes: source.size,
    traces,
    order,
    settings: null,
    warnings,
    absent: [
      'requestedSizes',
      ...(anyReserved ? [] : (['reserved'] as const)),
      ...(hasAddresses ? [] : (['addresses'] as const)),
    ],
  });
  return { kind: 'snapshot', snapshot };
}

/** @returns live memory at the end */
function addEvents(
  builder: SnapshotBuilder,
  calls: RunningCalls,
  baseUs: number,
  list: readonly ChromeMemory[],
): Held[] {
  const held = new Map<bigint, Held>();
  const standIns = new StandInAddresses();
  for (const memory of list) {
    const stack = calls.stackAt(memory);
    const address = memory.address ?? standIns.of(memory.bytes);
    builder.addEvent(
      {
        action: memory.isFailure ? Action.OutOfMemory : memory.bytes > 0 ? Action.Alloc : Action.FreeCompleted,
        addrLow: Number(address & 0xffffffffn),
        addrHigh: Number(address >> 32n),
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
    if (memory.bytes > 0) held.set(address, { address, bytes: memory.bytes, stack });
    else held.delete(address);
  }
  return [...held.values()];
}

/** Addresses for a trace without any: each allocation has its own, and a free that of the latest one of its size. */
class StandInAddresses {
  private last = 0n;
  private readonly live = new Map<number, bigint[]>();

  of(bytes: number): bigint {
    const known = this.live.get(Math.abs(bytes)) ?? [];
    // A free of older memory has no allocation.
    if (bytes < 0) return known.pop() ?? ++this.last;
    known.push(++this.last);
    this.live.set(bytes, known);
    return this.last;
  }
}

/** The trace has no segments, so all live memory is one, of the reserved size. */
function addSegment(
  builder: SnapshotBuilder,
  device: number,
  held: readonly Held[],
  before: number,
  last: ChromeMemory,
): number {
  const sorted = [...held].sort((a, b) => (a.address < b.address ? -1 : 1));
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
  for (const { address, bytes, stack } of sorted) {
    add(bytes, address, stack);
    live += bytes;
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

function noAddresses(): SnapshotWarning {
  return {
    code: 'noAddresses',
    message: t(
      'The trace has no addresses, so each free is matched with the latest allocation of its size. Totals are exact, ' +
        'but lines that allocate equal sizes may be confused: profile with a newer PyTorch.',
    ),
  };
}

function noFunctions(): SnapshotWarning {
  return {
    code: 'noStacks',
    message: t('The trace has no Python functions, so no line can be named: profile with with_stack=True.'),
  };
}

function noTotals(): SnapshotWarning {
  return {
    code: 'noTotals',
    message: t(
      'The trace has no totals, so memory from before it is known only where the trace frees it: ' +
        'profile with a newer PyTorch.',
    ),
  };
}
