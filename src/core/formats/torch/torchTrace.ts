import { getOrAdd } from '../../maps.js';
import { Action, EMPTY_STACK, NO_INDEX, NO_STACK } from '../../model/snapshot.js';
import type { EventRow } from '../../model/eventColumns.js';
import type { SnapshotBuilder } from '../../model/snapshotBuilder.js';
import type { StringId } from '../../model/units.js';
import { Kind, makeRef, PAYLOAD_BITS, PAYLOAD_MASK, type Ref, type ValueStack } from '../../pickle/values.js';
import type { TorchFrames } from './torchFrames.js';
import type { TorchLabels } from './torchLabels.js';
import type { TorchObject, TorchObjects } from './torchObjects.js';
import { byteCount, checkedPayload, highWord, integerText, isNumber, lowWord, Torch } from './torchValue.js';
import { actionOf, Word } from './torchWords.js';

/** Trace entries and annotations. */
export class TorchTrace {
  private readonly event: EventRow = {
    action: Action.Other,
    addrLow: 0,
    addrHigh: 0,
    size: 0,
    timeUs: 0,
    stack: NO_STACK,
    forwardStack: NO_STACK,
    stream: 0,
    category: 0,
    metadata: 0,
    compileContext: 0,
  };

  /** Texts of dictionaries that were set as metadata: many entries may mention one. */
  private readonly ofDict = new Map<TorchObject, StringId>();

  constructor(
    private readonly builder: SnapshotBuilder,
    private readonly frames: TorchFrames,
    private readonly labels: TorchLabels,
    private readonly objects: TorchObjects,
    private readonly name: string,
  ) {}

  /** A dictionary with an `action`. Each key here has a place in `EntryReader`, or excludes the entry from it. */
  entry(stack: ValueStack, from: number, to: number): Ref {
    const { ref } = stack;
    const row = this.event;
    row.action = Action.Other;
    row.addrLow = row.addrHigh = 0;
    row.size = row.timeUs = 0;
    row.stack = row.forwardStack = NO_STACK;
    row.stream = row.category = row.metadata = row.compileContext = 0;
    let deviceFree = -1;
    let capture = NO_INDEX;
    let native = NO_STACK;
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      switch (ref[i] & PAYLOAD_MASK) {
        case Word.action:
          row.action = actionOf(ref[value] & PAYLOAD_MASK);
          break;
        case Word.addr:
          row.addrLow = lowWord(stack, value);
          row.addrHigh = highWord(stack, value);
          break;
        case Word.size:
          row.size = byteCount(stack, value);
          break;
        case Word.stream:
          row.stream = this.labels.stream(stack, value);
          break;
        case Word.time_us:
          row.timeUs = byteCount(stack, value);
          break;
        case Word.frames:
          if (ref[value] >>> PAYLOAD_BITS === Torch.Capture) {
            capture = ref[value] & PAYLOAD_MASK;
            row.stack = this.builder.captures.stack[capture];
          } else if (ref[value] >>> PAYLOAD_BITS === Kind.EmptyList) row.stack = EMPTY_STACK;
          break;
        case Word.forward_frames:
          row.forwardStack = this.frames.tracebackStack(ref[value]);
          break;
        case Word.category:
          if (ref[value] >>> PAYLOAD_BITS === Kind.Text) row.category = ref[value] & PAYLOAD_MASK;
          break;
        case Word.cpp_frames:
          native = this.frames.nativeStack(ref[value]);
          break;
        case Word.user_metadata:
          row.metadata = this.metadata(stack, value);
          break;
        case Word.compile_context:
          row.compileContext = this.compileContext(ref[value]);
          break;
        case Word.device_free:
          deviceFree = byteCount(stack, value);
          break;
      }
    }
    if (native !== NO_STACK) row.stack = this.frames.joinedStack(native, row.stack);
    const event = this.builder.addEvent(row, capture);
    if (row.action === Action.OutOfMemory && deviceFree >= 0) this.builder.addFailure(event, deviceFree);
    return makeRef(Torch.Event, checkedPayload(event, this.name));
  }

  /** A dictionary with a `stage`. */
  annotation(stack: ValueStack, from: number, to: number): void {
    const { ref } = stack;
    let name = 0;
    let isStart = false;
    let device = 0;
    let timeUs = 0;
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      const payload = ref[value] & PAYLOAD_MASK;
      switch (ref[i] & PAYLOAD_MASK) {
        case Word.name:
          if (ref[value] >>> PAYLOAD_BITS === Kind.Text) name = payload;
          break;
        case Word.stage:
          isStart = payload === Word.START;
          break;
        case Word.device:
          device = Math.trunc(byteCount(stack, value));
          break;
        case Word.time_us:
          timeUs = byteCount(stack, value);
          break;
      }
    }
    this.builder.addAnnotation(name, isStart, device, timeUs);
  }

  /** Metadata is text by convention; other values are written as JSON. */
  private metadata(stack: ValueStack, at: number): StringId {
    const ref = stack.ref[at];
    if (ref >>> PAYLOAD_BITS === Kind.Text) return ref & PAYLOAD_MASK;
    if (isNumber(ref >>> PAYLOAD_BITS)) return this.intern(integerText(stack, at));
    const object = this.objects.get(ref);
    if (object?.type !== 'dict') return Word.empty;
    return getOrAdd(this.ofDict, object, () => this.intern(JSON.stringify(this.objects.settings(object))));
  }

  /** `N/A` means that no compiled region ran. */
  private compileContext(ref: Ref): StringId {
    const text = ref & PAYLOAD_MASK;
    return ref >>> PAYLOAD_BITS === Kind.Text && text !== Word.not_available ? text : Word.empty;
  }

  private intern(text: string): StringId {
    return checkedPayload(this.builder.strings.internText(text), this.name);
  }
}
