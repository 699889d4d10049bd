import { SnapshotError } from '../../bytes/snapshotError.js';
import type { DeviceTrace, SettingValue } from '../../model/snapshot.js';
import type { SnapshotBuilder } from '../../model/snapshotBuilder.js';
import { PINNED_HOST } from '../../model/units.js';
import type { PickleSink } from '../../pickle/pickleSink.js';
import { Kind, makeRef, NONE_REF, PAYLOAD_BITS, PAYLOAD_MASK, type Ref, type ValueStack } from '../../pickle/values.js';
import { TorchFrames } from './torchFrames.js';
import { TorchLabels } from './torchLabels.js';
import { isTorchObject, TorchObjects, type TorchObject } from './torchObjects.js';
import { TorchSegments } from './torchSegments.js';
import { TorchTrace } from './torchTrace.js';
import { checkedPayload, Torch } from './torchValue.js';
import { Word, WORDS } from './torchWords.js';
import { t } from '../../text/translate.js';

const ACTION_KEY = makeRef(Kind.Text, Word.action);

/** The top of a snapshot. */
export interface TorchTop {
  order: readonly number[];
  traces: readonly DeviceTrace[];
  settings: { readonly [key: string]: SettingValue } | null;
}

/** Turns the containers of a PyTorch snapshot into columns. Keys identify a dictionary; unknown keys are skipped. */
export class TorchSink implements PickleSink {
  readonly frames: TorchFrames;
  readonly segments: TorchSegments;
  private readonly trace: TorchTrace;
  private readonly objects: TorchObjects;
  readonly labels: TorchLabels;

  constructor(
    readonly builder: SnapshotBuilder,
    readonly name: string,
  ) {
    for (const word of WORDS) builder.strings.internText(word);
    this.objects = new TorchObjects(builder.strings, name);
    this.labels = new TorchLabels(builder.strings, name);
    this.frames = new TorchFrames(builder, this.objects, name);
    this.trace = new TorchTrace(builder, this.frames, this.labels, this.objects, name);
    this.segments = new TorchSegments(builder, this.frames, this.labels, this.objects, name);
  }

  text(bytes: Uint8Array, from: number, to: number): number {
    return checkedPayload(this.builder.strings.intern(bytes, from, to), this.name);
  }

  tuple(stack: ValueStack, from: number, to: number): Ref {
    return this.labels.tuple(stack, from, to);
  }

  setItems(dict: Ref, stack: ValueStack, from: number, to: number): Ref {
    const ref = stack.ref;
    // Nine in ten dictionaries are trace entries, and most writers put the action first.
    if (from < to && ref[from] === ACTION_KEY) return this.trace.entry(stack, from, to);
    // The keys show the kind of a dictionary.
    let isEvent = false;
    let isFrame = false;
    let isBlock = false;
    for (let i = from; i < to; i += 2) {
      if (ref[i] >>> PAYLOAD_BITS !== Kind.Text) continue;
      switch (ref[i] & PAYLOAD_MASK) {
        case Word.action:
          isEvent = true;
          break;
        case Word.filename:
          isFrame = true;
          break;
        case Word.state:
          isBlock = true;
          break;
        case Word.blocks:
          return this.segments.segment(stack, from, to);
        case Word.stage:
          this.trace.annotation(stack, from, to);
          return NONE_REF;
        case Word.real_size:
          return this.segments.life(stack, from, to);
      }
    }
    if (isEvent) return this.trace.entry(stack, from, to);
    if (isFrame) return this.frames.frame(stack, from, to);
    if (isBlock) return this.segments.blockEntry(stack, from, to);
    return this.objects.setEntries(dict, stack, from, to);
  }

  appendItems(list: Ref, stack: ValueStack, from: number, to: number): Ref {
    if (from === to) return list;
    const { ref } = stack;
    const kind = ref[from] >>> PAYLOAD_BITS;
    for (let i = from + 1; i < to; i++)
      if (ref[i] >>> PAYLOAD_BITS !== kind) return this.objects.append(list, ref, from, to);
    switch (kind) {
      case Torch.Frame:
        return this.frames.capture(list, ref, from, to);
      case Torch.Event:
        return this.objects.appendRange('events', list, ref, from, to);
      case Torch.Block:
        return this.objects.appendRange('blocks', list, ref, from, to);
      default:
        return this.objects.append(list, ref, from, to);
    }
  }

  /** Adds rows that the columns already have, without their streams, to the trace that ends with the last event. */
  addKnownEvents(count: number): void {
    const { events } = this.builder;
    this.objects.extendEvents(events.length, count);
    const first = events.claim(count);
    for (let event = first; event < first + count; event++) this.builder.noteStream(event, 0);
  }

  /**
   * The finished input: a dictionary with segments, or only the list of segments, as from `memory_snapshot()`.
   * @throws SnapshotError `notASnapshot` if it is something else
   */
  top(result: Ref): TorchTop {
    const top = this.objects.get(result);
    if (top?.type === 'dict') {
      const segments = top.entries.get('segments');
      if (isTorchObject(segments) && segments.type === 'list') {
        const devices = this.deviceTraces(top.entries.get('device_traces') ?? null);
        const host = this.pinnedHost(top.entries.get('host_segments') ?? null, top.entries.get('host_traces') ?? null);
        return {
          order: [...this.segmentOrder(segments), ...host.order],
          traces: [...devices, ...host.traces],
          settings: this.settings(top),
        };
      }
    }
    if (top?.type === 'list') {
      const order = this.segmentOrder(top);
      if (order.length === top.items.length) return { order, traces: [], settings: null };
    }
    throw new SnapshotError(
      'notASnapshot',
      t(
        '{0} is not a memory snapshot: it has no segments. ' +
          'Choose a file made by torch.cuda.memory._dump_snapshot.',
        this.name,
      ),
    );
  }

  private settings(top: TorchObject & { type: 'dict' }): { readonly [key: string]: SettingValue } | null {
    const settings = top.entries.get('allocator_settings');
    const facts = RING_FACTS.flatMap((key): [string, SettingValue][] => {
      const value = top.entries.get(key);
      return typeof value === 'number' || typeof value === 'boolean' ? [[key, value]] : [];
    });
    const plain = isTorchObject(settings) && settings.type === 'dict' ? this.objects.settings(settings) : null;
    return facts.length === 0 ? plain : { ...plain, ...Object.fromEntries(facts) };
  }

  /** Pinned host memory, from 2.14 on: segments of one block each, and one trace for all. */
  private pinnedHost(
    segments: SettingValue | TorchObject,
    trace: SettingValue | TorchObject,
  ): Pick<TorchTop, 'order' | 'traces'> {
    const order = this.segmentOrder(segments);
    this.builder.moveSegments(order, PINNED_HOST);
    const isEvents = isTorchObject(trace) && trace.type === 'events';
    const { first, count } = isEvents ? trace : { first: 0, count: 0 };
    return { order, traces: order.length + count > 0 ? [{ device: PINNED_HOST, first, count }] : [] };
  }

  private segmentOrder(value: SettingValue | TorchObject): number[] {
    if (!isTorchObject(value) || value.type !== 'list') return [];
    const order: number[] = [];
    for (const item of value.items) {
      const entry = this.objects.get(item);
      if (entry?.type === 'segment') order.push(entry.segment);
    }
    return order;
  }

  private deviceTraces(value: SettingValue | TorchObject): DeviceTrace[] {
    if (!isTorchObject(value) || value.type !== 'list') return [];
    const seen = new Set<TorchObject>();
    return value.items.map((item, device) => {
      const trace = this.objects.get(item);
      if (trace?.type !== 'events' || seen.has(trace)) return { device, first: 0, count: 0 };
      seen.add(trace);
      return { device, first: trace.first, count: trace.count };
    });
  }
}

/** Where releases after 2.14 say that the trace lost events; some beside the settings, some among them. */
const RING_FACTS = ['trace_alloc_overflowed', 'trace_alloc_max_entries'];
