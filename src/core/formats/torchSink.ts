import { SnapshotError } from '../bytes/snapshotError.js';
import { Growable } from '../model/growable.js';
import {
  Action,
  BlockState,
  EMPTY_STACK,
  NO_INDEX,
  NO_STACK,
  UNKNOWN_LINE,
  type DeviceTrace,
  type SettingValue,
} from '../model/snapshot.js';
import type { BlockRow, EventRow, SnapshotBuilder } from '../model/snapshotBuilder.js';
import type { StackId } from '../model/units.js';
import type { PickleSink } from '../pickle/pickleMachine.js';
import {
  Kind,
  makeRef,
  NONE_REF,
  OPAQUE_REF,
  PAYLOAD_BITS,
  PAYLOAD_MASK,
  type Ref,
  type ValueStack,
} from '../pickle/values.js';
import { parseForwardFrames } from './forwardFrames.js';

/** The sink's own kinds of value. */
const enum Torch {
  /** Payload: frame id. */
  Frame = 10,
  /** A list of frames; payload: capture number. */
  Capture = 11,
  /** Payload: event index. */
  Event = 12,
  /** Payload: block index. */
  Block = 13,
  /** Anything else; payload: index into `objects`. */
  Object = 14,
}

/** Texts with a meaning, interned first so that their ids are these positions (id 0 is the empty text). */
const WORDS = [
  '',
  'action',
  'addr',
  'size',
  'stream',
  'time_us',
  'frames',
  'forward_frames',
  'device_free',
  'name',
  'filename',
  'line',
  'address',
  'requested_size',
  'state',
  'device',
  'total_size',
  'segment_type',
  'segment_pool_id',
  'is_expandable',
  'blocks',
  'segments',
  'device_traces',
  'allocator_settings',
  'external_annotations',
  'stage',
  'alloc',
  'free_requested',
  'free_completed',
  'segment_alloc',
  'segment_free',
  'segment_map',
  'segment_unmap',
  'snapshot',
  'oom',
  'active_allocated',
  'active_pending_free',
  'inactive',
  'small',
  'START',
  'fx_node_op',
] as const;
type Word = (typeof WORDS)[number];

const wordId = Object.fromEntries(WORDS.map((word, id) => [word, id])) as Record<Word, number>;

const ACTIONS = new Map<number, Action>([
  [wordId.alloc, Action.Alloc],
  [wordId.free_requested, Action.FreeRequested],
  [wordId.free_completed, Action.FreeCompleted],
  [wordId.segment_alloc, Action.SegmentAlloc],
  [wordId.segment_free, Action.SegmentFree],
  [wordId.segment_map, Action.SegmentMap],
  [wordId.segment_unmap, Action.SegmentUnmap],
  [wordId.snapshot, Action.Snapshot],
  [wordId.oom, Action.OutOfMemory],
]);

/** A dictionary or list that is neither frame, event, block nor list of frames. */
type TorchObject =
  | { type: 'events'; first: number; count: number }
  | { type: 'blocks'; first: number; count: number }
  | { type: 'segment'; segment: number }
  | { type: 'list'; items: Ref[] }
  | { type: 'dict'; entries: Map<string, SettingValue | TorchObject> };

/** Objects that are kept as such: settings, segments, traces. Traces and blocks never count. */
const MAX_OBJECTS = 1 << 22;

const POOL_CACHE = 32;
const INT_REF = makeRef(Kind.Int, 0);

/** What the top of a snapshot says. */
export interface TorchTop {
  order: readonly number[];
  traces: readonly DeviceTrace[];
  settings: { readonly [key: string]: SettingValue } | null;
}

/**
 * Turns the containers of a PyTorch allocator snapshot into columns while they are read. Dictionaries are told apart by
 * their keys, and unknown keys are passed over, as later releases add them.
 */
export class TorchSink implements PickleSink {
  private readonly objects: TorchObject[] = [];
  private readonly event: EventRow = {
    action: Action.Other,
    addrLow: 0,
    addrHigh: 0,
    size: 0,
    timeUs: 0,
    stack: NO_STACK,
    forwardStack: NO_STACK,
    stream: 0,
  };
  private readonly block: BlockRow = {
    addrLow: 0,
    addrHigh: 0,
    size: 0,
    requestedSize: 0,
    state: BlockState.Inactive,
    stack: NO_STACK,
    capture: NO_INDEX,
  };
  private readonly joined = new Growable(Uint32Array);
  /** Labels of the streams 0 to 255, 0 where not met yet. */
  private readonly smallStreams = new Uint32Array(256);
  /** Refs of the pool ids `(i, j)` with both below `POOL_CACHE`, at `i * POOL_CACHE + j`. */
  private readonly pools = new Uint32Array(POOL_CACHE * POOL_CACHE);

  constructor(
    private readonly builder: SnapshotBuilder,
    private readonly name: string,
  ) {
    for (const word of WORDS) builder.strings.internText(word);
  }

  text(bytes: Uint8Array, from: number, to: number): number {
    return this.checked(this.builder.strings.intern(bytes, from, to));
  }

  tuple(stack: ValueStack, from: number, to: number): Ref {
    // Pool ids are the only tuples of a snapshot: a text names them. There are few, and every event repeats one.
    const { ref, low, high } = stack;
    const isPool = to - from === 2 && ref[from] === INT_REF && ref[from + 1] === INT_REF;
    const isSmall = isPool && (high[from] | high[from + 1]) === 0 && (low[from] | low[from + 1]) >>> 0 < POOL_CACHE;
    const place = isSmall ? low[from] * POOL_CACHE + low[from + 1] : -1;
    if (isSmall && this.pools[place] !== 0) return this.pools[place];
    const name = this.tupleText(stack, from, to);
    if (isSmall) this.pools[place] = name;
    return name;
  }

  private tupleText(stack: ValueStack, from: number, to: number): Ref {
    const parts: string[] = [];
    for (let i = from; i < to; i++) {
      if (!isNumber(stack.kind(i))) return OPAQUE_REF;
      parts.push(integerText(stack, i));
    }
    return makeRef(Kind.Text, this.checked(this.builder.strings.internText(parts.join(','))));
  }

  setItems(dict: Ref, stack: ValueStack, from: number, to: number): Ref {
    const ref = stack.ref;
    // One look at the keys tells what the dictionary is.
    let isEvent = false;
    let isFrame = false;
    let isBlock = false;
    for (let i = from; i < to; i += 2) {
      if (ref[i] >>> PAYLOAD_BITS !== Kind.Text) continue;
      switch (ref[i] & PAYLOAD_MASK) {
        case wordId.action:
          isEvent = true;
          break;
        case wordId.filename:
          isFrame = true;
          break;
        case wordId.state:
          isBlock = true;
          break;
        case wordId.blocks:
          return this.segment(stack, from, to);
        case wordId.stage:
          return this.annotation(stack, from, to);
      }
    }
    if (isEvent) return this.traceEntry(stack, from, to);
    if (isFrame) return this.frame(stack, from, to);
    if (isBlock) return this.blockEntry(stack, from, to);
    return this.dictionary(dict, stack, from, to);
  }

  appendItems(list: Ref, stack: ValueStack, from: number, to: number): Ref {
    if (from === to) return list;
    const { ref } = stack;
    const kind = ref[from] >>> PAYLOAD_BITS;
    for (let i = from + 1; i < to; i++)
      if (ref[i] >>> PAYLOAD_BITS !== kind) return this.mixedList(list, ref, from, to);
    const listKind = list >>> PAYLOAD_BITS;
    switch (kind) {
      case Torch.Frame:
        if (listKind === Kind.EmptyList) {
          return this.newCapture(this.builder.stacks.intern(ref, from, to, PAYLOAD_MASK));
        }
        if (listKind === Torch.Capture) return this.longerCapture(list, ref, from, to);
        return this.mixedList(list, ref, from, to);
      case Torch.Event:
        return this.range('events', list, ref, from, to);
      case Torch.Block:
        return this.range('blocks', list, ref, from, to);
      default:
        return this.mixedList(list, ref, from, to);
    }
  }

  /**
   * What the finished pickle is.
   * @throws SnapshotError `notASnapshot` if it is something else
   */
  top(result: Ref): TorchTop {
    const top = this.object(result);
    const segments = top?.type === 'dict' ? top.entries.get('segments') : undefined;
    const traces = top?.type === 'dict' ? top.entries.get('device_traces') : undefined;
    if (top?.type !== 'dict' || segments === undefined || traces === undefined) {
      throw new SnapshotError(
        'notASnapshot',
        `${this.name} is a pickle, but no memory snapshot (it has no segments and device traces). ` +
          'Choose a file made by torch.cuda.memory._dump_snapshot.',
      );
    }
    const settings = top.entries.get('allocator_settings');
    return {
      order: this.segmentOrder(segments),
      traces: this.deviceTraces(traces),
      settings: isTorchObject(settings) && settings.type === 'dict' ? plainSettings(settings) : null,
    };
  }

  private segmentOrder(value: SettingValue | TorchObject): number[] {
    if (!isTorchObject(value) || value.type !== 'list') return [];
    const order: number[] = [];
    for (const item of value.items) {
      const entry = this.object(item);
      if (entry?.type === 'segment') order.push(entry.segment);
    }
    return order;
  }

  private deviceTraces(value: SettingValue | TorchObject): DeviceTrace[] {
    if (!isTorchObject(value) || value.type !== 'list') return [];
    const seen = new Set<TorchObject>();
    return value.items.map((item, device) => {
      const trace = this.object(item);
      if (trace?.type !== 'events' || seen.has(trace)) return { device, first: 0, count: 0 };
      seen.add(trace);
      return { device, first: trace.first, count: trace.count };
    });
  }

  private traceEntry(stack: ValueStack, from: number, to: number): Ref {
    const { ref, low, high } = stack;
    const row = this.event;
    row.action = Action.Other;
    row.addrLow = row.addrHigh = 0;
    row.size = row.timeUs = 0;
    row.stack = row.forwardStack = NO_STACK;
    row.stream = 0;
    let capture = NO_INDEX;
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      switch (ref[i] & PAYLOAD_MASK) {
        case wordId.action:
          row.action = ACTIONS.get(ref[value] & PAYLOAD_MASK) ?? Action.Other;
          break;
        case wordId.addr:
          if (isNumber(ref[value] >>> PAYLOAD_BITS)) {
            row.addrLow = low[value];
            row.addrHigh = high[value];
          }
          break;
        case wordId.size:
          row.size = byteCount(stack, value);
          break;
        case wordId.stream:
          row.stream = this.streamLabel(stack, value);
          break;
        case wordId.time_us:
          row.timeUs = byteCount(stack, value);
          break;
        case wordId.frames:
          if (ref[value] >>> PAYLOAD_BITS === Torch.Capture) {
            capture = ref[value] & PAYLOAD_MASK;
            row.stack = this.builder.stackOfCapture(capture);
          } else if (ref[value] >>> PAYLOAD_BITS === Kind.EmptyList) row.stack = EMPTY_STACK;
          break;
        case wordId.forward_frames:
          row.forwardStack = this.forwardStack(ref[value]);
          break;
      }
    }
    return makeRef(Torch.Event, this.checked(this.builder.addEvent(row, capture)));
  }

  private frame(stack: ValueStack, from: number, to: number): Ref {
    const { ref } = stack;
    let name = 0;
    let file = 0;
    let line = UNKNOWN_LINE;
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      const isText = ref[value] >>> PAYLOAD_BITS === Kind.Text;
      switch (ref[i] & PAYLOAD_MASK) {
        case wordId.name:
          if (isText) name = ref[value] & PAYLOAD_MASK;
          break;
        case wordId.filename:
          if (isText) file = ref[value] & PAYLOAD_MASK;
          break;
        case wordId.line:
          line = stack.number(value);
          break;
      }
    }
    return makeRef(Torch.Frame, this.checked(this.builder.frames.intern(name, file, line)));
  }

  private blockEntry(stack: ValueStack, from: number, to: number): Ref {
    const { ref, low, high } = stack;
    const row = this.block;
    row.addrLow = row.addrHigh = 0;
    row.size = row.requestedSize = 0;
    row.state = BlockState.Inactive;
    row.stack = NO_STACK;
    row.capture = NO_INDEX;
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      switch (ref[i] & PAYLOAD_MASK) {
        case wordId.address:
          row.addrLow = low[value];
          row.addrHigh = high[value];
          break;
        case wordId.size:
          row.size = byteCount(stack, value);
          break;
        case wordId.requested_size:
          row.requestedSize = byteCount(stack, value);
          break;
        case wordId.state: {
          const state = ref[value] & PAYLOAD_MASK;
          if (state === wordId.active_allocated) row.state = BlockState.Allocated;
          else if (state === wordId.active_pending_free) row.state = BlockState.PendingFree;
          break;
        }
        case wordId.frames:
          if (ref[value] >>> PAYLOAD_BITS === Torch.Capture) {
            row.capture = ref[value] & PAYLOAD_MASK;
            row.stack = this.builder.stackOfCapture(row.capture);
          } else if (ref[value] >>> PAYLOAD_BITS === Kind.EmptyList) row.stack = EMPTY_STACK;
          break;
      }
    }
    return makeRef(Torch.Block, this.checked(this.builder.addBlock(row)));
  }

  private segment(stack: ValueStack, from: number, to: number): Ref {
    const { ref, low, high } = stack;
    let device = 0;
    let addrLow = 0;
    let addrHigh = 0;
    let totalSize = 0;
    let stream = 0;
    let isSmall = false;
    let isExpandable = false;
    let pool = 0;
    let frames: StackId = NO_STACK;
    let firstBlock = 0;
    let blockCount = 0;
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      const kind = ref[value] >>> PAYLOAD_BITS;
      const payload = ref[value] & PAYLOAD_MASK;
      switch (ref[i] & PAYLOAD_MASK) {
        case wordId.device:
          device = Math.trunc(byteCount(stack, value));
          break;
        case wordId.address:
          addrLow = low[value];
          addrHigh = high[value];
          break;
        case wordId.total_size:
          totalSize = byteCount(stack, value);
          break;
        case wordId.stream:
          stream = this.streamLabel(stack, value);
          break;
        case wordId.segment_type:
          isSmall = payload === wordId.small;
          break;
        case wordId.segment_pool_id:
          if (kind === Kind.Text) pool = payload;
          break;
        case wordId.is_expandable:
          isExpandable = kind === Kind.Bool && payload === 1;
          break;
        case wordId.frames:
          if (kind === Torch.Capture) frames = this.builder.stackOfCapture(payload);
          else if (kind === Kind.EmptyList) frames = EMPTY_STACK;
          break;
        case wordId.blocks: {
          const list = this.object(ref[value]);
          if (list?.type === 'blocks') {
            firstBlock = list.first;
            blockCount = list.count;
          }
          break;
        }
      }
    }
    const segment = this.builder.addSegment({
      device,
      addrLow,
      addrHigh,
      totalSize,
      stream,
      isSmall,
      isExpandable,
      pool,
      stack: frames,
      firstBlock,
      blockCount,
    });
    return this.newObject({ type: 'segment', segment });
  }

  private annotation(stack: ValueStack, from: number, to: number): Ref {
    const { ref } = stack;
    let name = 0;
    let isStart = false;
    let device = 0;
    let timeUs = 0;
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      const payload = ref[value] & PAYLOAD_MASK;
      switch (ref[i] & PAYLOAD_MASK) {
        case wordId.name:
          if (ref[value] >>> PAYLOAD_BITS === Kind.Text) name = payload;
          break;
        case wordId.stage:
          isStart = payload === wordId.START;
          break;
        case wordId.device:
          device = Math.trunc(byteCount(stack, value));
          break;
        case wordId.time_us:
          timeUs = byteCount(stack, value);
          break;
      }
    }
    this.builder.addAnnotation(name, isStart, device, timeUs);
    return NONE_REF;
  }

  private dictionary(dict: Ref, stack: ValueStack, from: number, to: number): Ref {
    const { ref } = stack;
    const known = this.object(dict);
    const entries = known?.type === 'dict' ? known.entries : new Map<string, SettingValue | TorchObject>();
    for (let i = from; i < to; i += 2) {
      if (ref[i] >>> PAYLOAD_BITS !== Kind.Text) continue;
      entries.set(this.builder.strings.text(ref[i] & PAYLOAD_MASK), this.plain(stack, i + 1));
    }
    if (entries.size > MAX_OBJECTS) throw this.tooMany();
    return known?.type === 'dict' ? dict : this.newObject({ type: 'dict', entries });
  }

  private plain(stack: ValueStack, at: number): SettingValue | TorchObject {
    const payload = stack.payload(at);
    switch (stack.kind(at)) {
      case Kind.Bool:
        return payload === 1;
      case Kind.Int:
      case Kind.Uint:
      case Kind.Float:
      case Kind.BoxedNumber:
        return stack.number(at);
      case Kind.Text:
        return this.builder.strings.text(payload);
      case Kind.EmptyList:
        return { type: 'list', items: [] };
      case Torch.Object:
        return this.objects[payload];
      default:
        return null;
    }
  }

  private newCapture(stack: StackId): Ref {
    return makeRef(Torch.Capture, this.checked(this.builder.capture(stack)));
  }

  /** A stack of more than 1,000 frames comes in parts. */
  private longerCapture(list: Ref, ref: Uint32Array, from: number, to: number): Ref {
    const capture = list & PAYLOAD_MASK;
    const { stacks } = this.builder;
    this.joined.length = 0;
    stacks.appendTo(this.joined, this.builder.stackOfCapture(capture));
    for (let i = from; i < to; i++) this.joined.push(ref[i] & PAYLOAD_MASK);
    this.builder.setStackOfCapture(capture, stacks.intern(this.joined.data, 0, this.joined.length, PAYLOAD_MASK));
    return list;
  }

  /** A list of consecutive events or blocks is a range of their columns. */
  private range(type: 'events' | 'blocks', list: Ref, ref: Uint32Array, from: number, to: number): Ref {
    const known = this.object(list);
    const first = ref[from] & PAYLOAD_MASK;
    const start = known?.type === type ? known.first + known.count : first;
    for (let i = from; i < to; i++) {
      if ((ref[i] & PAYLOAD_MASK) !== start + i - from) return this.mixedList(list, ref, from, to);
    }
    if (known?.type === type) {
      known.count += to - from;
      return list;
    }
    if (list >>> PAYLOAD_BITS !== Kind.EmptyList) return this.mixedList(list, ref, from, to);
    return this.newObject({ type, first, count: to - from });
  }

  private mixedList(list: Ref, ref: Uint32Array, from: number, to: number): Ref {
    const known = this.object(list);
    const kept = known?.type === 'list' ? known : null;
    if (kept === null && list >>> PAYLOAD_BITS !== Kind.EmptyList) {
      throw new SnapshotError(
        'notASnapshot',
        `${this.name} mixes different things in one list of its traces or blocks. Dump the snapshot again.`,
      );
    }
    const items = kept?.items ?? [];
    if (items.length + to - from > MAX_OBJECTS) throw this.tooMany();
    for (let i = from; i < to; i++) items.push(ref[i]);
    return kept === null ? this.newObject({ type: 'list', items }) : list;
  }

  /** The forward pass's stack of a backward allocation, innermost first. */
  private forwardStack(value: Ref): StackId {
    const list = this.object(value);
    if (list?.type !== 'list') return NO_STACK;
    const pieces = list.items
      .filter((item) => item >>> PAYLOAD_BITS === Kind.Text)
      .map((item) => this.builder.strings.text(item & PAYLOAD_MASK));
    const { strings, frames, stacks } = this.builder;
    const ids = parseForwardFrames(pieces).map((frame) =>
      frames.intern(strings.internText(frame.name), strings.internText(frame.file), frame.line),
    );
    return ids.length === 0 ? NO_STACK : stacks.intern(Uint32Array.from(ids), 0, ids.length, PAYLOAD_MASK);
  }

  /** Streams are opaque labels; nearly all are 0. */
  private streamLabel(stack: ValueStack, at: number): number {
    const low = stack.low[at];
    const isSmall = stack.ref[at] === INT_REF && stack.high[at] === 0 && low < this.smallStreams.length;
    if (isSmall && this.smallStreams[low] !== 0) return this.smallStreams[low];
    const label = this.checked(this.builder.strings.internText(integerText(stack, at)));
    if (isSmall) this.smallStreams[low] = label;
    return label;
  }

  private object(ref: Ref): TorchObject | undefined {
    return ref >>> PAYLOAD_BITS === Torch.Object ? this.objects[ref & PAYLOAD_MASK] : undefined;
  }

  private newObject(object: TorchObject): Ref {
    if (this.objects.length >= MAX_OBJECTS) throw this.tooMany();
    this.objects.push(object);
    return makeRef(Torch.Object, this.objects.length - 1);
  }

  private checked(payload: number): number {
    if (payload > PAYLOAD_MASK) throw this.tooMany();
    return payload;
  }

  private tooMany(): SnapshotError {
    return new SnapshotError(
      'limit',
      `${this.name} holds more objects than Leakline allows. Record with a smaller max_entries.`,
    );
  }
}

function isNumber(kind: number): boolean {
  return kind === Kind.Int || kind === Kind.Uint || kind === Kind.BoxedNumber;
}

/** A count or time: never negative, never NaN. */
function byteCount(stack: ValueStack, at: number): number {
  // The common case without a call: a non-negative integer in its words.
  if (stack.ref[at] >>> PAYLOAD_BITS === Kind.Int && stack.high[at] < 0x80000000) {
    return stack.high[at] * 4294967296 + stack.low[at];
  }
  const value = stack.number(at);
  return value > 0 ? value : 0;
}

/** The exact decimal text of a 64-bit integer. */
function integerText(stack: ValueStack, at: number): string {
  const { kind, low, high } = stack.words(at);
  if (high === 0) return String(low);
  const value = (BigInt(high) << 32n) | BigInt(low);
  return (kind === Kind.Int ? BigInt.asIntN(64, value) : value).toString();
}

function isTorchObject(value: SettingValue | TorchObject | undefined): value is TorchObject {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Allocator settings without anything that is no setting. */
function plainSettings(dict: TorchObject & { type: 'dict' }): { readonly [key: string]: SettingValue } {
  const settings: [string, SettingValue][] = [];
  for (const [key, value] of dict.entries) {
    if (!isTorchObject(value)) settings.push([key, value]);
    else if (value.type === 'dict') settings.push([key, plainSettings(value)]);
  }
  return Object.fromEntries(settings);
}
