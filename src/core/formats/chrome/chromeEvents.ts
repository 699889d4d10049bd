import { getOrAdd } from '../../maps.js';
import { Growable } from '../../model/growable.js';
import type { StringPool } from '../../model/stringPool.js';
import { isJsonObject, JsonElements, type JsonObject, type JsonValue } from '../json/jsonValues.js';

/** A `[memory]` event, or an `[OutOfMemory]`. */
export interface ChromeMemory {
  /** Microseconds since the base of the trace. */
  readonly ts: number;
  /** Index into the trace's threads. */
  readonly thread: number;
  /** Negative for a free; the requested size for a failure. */
  readonly bytes: number;
  readonly isFailure: boolean;
  /** Null in traces of 2021, which have no addresses. */
  readonly address: bigint | null;
  /** Ordinal, -1 for the host. */
  readonly device: number;
  /** PyTorch's number of the kind of device, 0 for the host. */
  readonly deviceType: number;
  /** Null if unknown. */
  readonly totalAllocated: number | null;
  readonly totalReserved: number;
}

export const enum CallKind {
  Python = 0,
  /** An operator of PyTorch, such as `aten::conv2d`. */
  Operator = 1,
  /** A scope of the user, from `record_function`. */
  Scope = 2,
}

/** Calls on one thread, in the order of the file. */
export interface ThreadCalls {
  readonly start: Growable<Float64Array>;
  readonly end: Growable<Float64Array>;
  readonly name: Growable<Uint32Array>;
  readonly kind: Growable<Uint8Array>;
}

const PROFILER_STEP = 'ProfilerStep#';

const WANTED = new Set([
  'ph',
  'cat',
  'name',
  'ts',
  'dur',
  'pid',
  'tid',
  'args',
  'Total Reserved',
  'Total Allocated',
  'Bytes',
  'Device Id',
  'Device Type',
  'Addr',
]);

/** Selects memory events, the calls around them, and the user's scopes from a Chrome trace. */
export class ChromeEvents {
  readonly memory: ChromeMemory[] = [];
  readonly threads: ThreadCalls[] = [];
  /** Microseconds of the epoch at `ts` 0. */
  baseUs = 0;
  readonly handler: JsonElements;

  private readonly threadIndex = new Map<string, number>();
  private readonly scopes: { name: number; start: number; end: number }[] = [];

  /** @param isList events are the items of the top list, not of the list `traceEvents` in a top object */
  constructor(
    private readonly strings: StringPool,
    isList: boolean,
  ) {
    this.handler = new JsonElements(
      isList ? 1 : 2,
      (value, list) => {
        if (isList || list === 'traceEvents') this.event(value);
        else if (list === 'baseTimeNanoseconds') this.baseUs = Number(value) / 1000;
      },
      (key) => WANTED.has(key),
    );
  }

  /** Memory events by time; events of one time stay in the order of the file. */
  inOrder(): ChromeMemory[] {
    return [...this.memory].sort((a, b) => a.ts - b.ts);
  }

  /** Starts and ends of the user's scopes by time. */
  annotations(): { name: number; isStart: boolean; ts: number }[] {
    return this.scopes
      .flatMap(({ name, start, end }) => [
        { name, isStart: true, ts: start },
        { name, isStart: false, ts: end },
      ])
      .sort((a, b) => a.ts - b.ts);
  }

  private event(value: JsonValue): void {
    if (!isJsonObject(value)) return;
    const ts = numberOf(value['ts']);
    if (value['name'] === '[memory]') this.memoryEvent(value, ts, false);
    else if (value['name'] === '[OutOfMemory]') this.memoryEvent(value, ts, true);
    else if (value['ph'] === 'X' && typeof value['name'] === 'string') {
      const end = ts + numberOf(value['dur']);
      switch (scalarText(value['cat'])) {
        case 'python_function':
          this.call(value, CallKind.Python, value['name'], ts, end);
          break;
        // Traces of 2021 have `Operator`, and scopes among the operators.
        case 'cpu_op':
        case 'Operator':
          if (value['name'].startsWith(PROFILER_STEP)) this.scope(value['name'], ts, end);
          else this.call(value, CallKind.Operator, value['name'], ts, end);
          break;
        case 'user_annotation':
          this.scope(value['name'], ts, end);
          // Each step has its own name, which would make a stack per step.
          if (!value['name'].startsWith(PROFILER_STEP)) this.call(value, CallKind.Scope, value['name'], ts, end);
          break;
      }
    }
  }

  private call(event: JsonObject, kind: CallKind, name: string, start: number, end: number): void {
    const calls = this.threads[this.thread(event)];
    calls.start.push(start);
    calls.end.push(end);
    calls.name.push(this.strings.internText(name));
    calls.kind.push(kind);
  }

  private scope(name: string, start: number, end: number): void {
    this.scopes.push({ name: this.strings.internText(name), start, end });
  }

  private memoryEvent(event: JsonObject, ts: number, isFailure: boolean): void {
    const args = event['args'];
    if (!isJsonObject(args)) return;
    // A failed allocation has no address.
    const address = isFailure ? 0 : args['Addr'];
    const bytes = numberOf(args['Bytes']);
    const isAddress = typeof address === 'bigint' || (typeof address === 'number' && Number.isInteger(address));
    if (bytes === 0 || (!isAddress && 'Addr' in args)) return;
    this.memory.push({
      ts,
      thread: this.thread(event),
      bytes,
      isFailure,
      address: isAddress ? BigInt.asUintN(64, BigInt(address)) : null,
      device: numberOf(args['Device Id']),
      deviceType: numberOf(args['Device Type']),
      totalAllocated: 'Total Allocated' in args ? numberOf(args['Total Allocated']) : null,
      totalReserved: numberOf(args['Total Reserved']),
    });
  }

  private thread(event: JsonObject): number {
    const key = `${scalarText(event['pid'])}/${scalarText(event['tid'])}`;
    return getOrAdd(this.threadIndex, key, () => {
      const [start, end] = [new Growable(Float64Array), new Growable(Float64Array)];
      return this.threads.push({ start, end, name: new Growable(Uint32Array), kind: new Growable(Uint8Array) }) - 1;
    });
  }
}

/** Zero for other values than numbers. */
function numberOf(value: JsonValue | undefined): number {
  const number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}

/** Processes and threads are numbers or names. */
function scalarText(value: JsonValue | undefined): string {
  return typeof value === 'object' || value === undefined ? '' : String(value);
}
