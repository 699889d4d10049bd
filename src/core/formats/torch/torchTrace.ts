import { Action, EMPTY_STACK, NO_INDEX, NO_STACK } from '../../model/snapshot.js';
import type { EventRow } from '../../model/eventColumns.js';
import type { SnapshotBuilder } from '../../model/snapshotBuilder.js';
import { Kind, makeRef, PAYLOAD_BITS, PAYLOAD_MASK, type Ref, type ValueStack } from '../../pickle/values.js';
import { EntryPlan } from './entryPlan.js';
import type { TorchFrames } from './torchFrames.js';
import type { TorchLabels } from './torchLabels.js';
import type { TorchTexts } from './torchTexts.js';
import { byteCount, checkedPayload, highWord, lowWord, tooManyObjects, Torch } from './torchValue.js';
import { actionOf, Word } from './torchWords.js';

const INT_REF = makeRef(Kind.Int, 0);
const EVENT_BITS = makeRef(Torch.Event, 0);
const TWO_32 = 4294967296;
/** Metadata and compiled region of nearly all entries: none. */
const NO_METADATA = makeRef(Kind.Text, Word.empty);
const NO_CONTEXT = makeRef(Kind.Text, Word.not_available);

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

  private readonly plan = new EntryPlan();
  private isPlanned = false;

  constructor(
    private readonly builder: SnapshotBuilder,
    private readonly frames: TorchFrames,
    private readonly labels: TorchLabels,
    private readonly texts: TorchTexts,
    private readonly name: string,
  ) {}

  /**
   * Like {@link entry}, without a look at each key: most entries have the keys of the previous one.
   * @param isSame true if the keys are those of the previous call
   * @returns null if it is something else, or has keys outside the plan
   */
  plannedEntry(stack: ValueStack, keys: number, isSame: boolean): Ref | null {
    const { ref, low, high } = stack;
    const { plan, builder } = this;
    if (!isSame) this.isPlanned = plan.make(ref, keys);
    if (!this.isPlanned) return null;
    const columns = builder.events;
    const event = columns.claim();
    if (event > PAYLOAD_MASK) throw tooManyObjects(this.name, PAYLOAD_MASK, event);
    const { addr, size, stream, timeUs, frames, metadata, compileContext } = plan;
    const action = actionOf(ref[plan.action] & PAYLOAD_MASK);
    columns.action[event] = action;
    // Nearly all numbers are integers below 2^63, whose words are available; the others take a call.
    if (addr !== 0) {
      const isInt = ref[addr] === INT_REF;
      columns.addrLow[event] = isInt ? low[addr] : lowWord(stack, addr);
      columns.addrHigh[event] = isInt ? high[addr] : highWord(stack, addr);
    }
    if (size !== 0) {
      const isCount = ref[size] === INT_REF && high[size] < 0x80000000;
      columns.size[event] = isCount ? high[size] * TWO_32 + low[size] : byteCount(stack, size);
    }
    if (timeUs !== 0) {
      const isTime = ref[timeUs] === INT_REF && high[timeUs] < 0x80000000;
      columns.timeUs[event] = isTime ? high[timeUs] * TWO_32 + low[timeUs] : byteCount(stack, timeUs);
    }
    if (stream !== 0) columns.stream[event] = this.labels.stream(stack, stream);
    const isTagged = metadata !== 0 && ref[metadata] !== NO_METADATA;
    if (isTagged || (compileContext !== 0 && ref[compileContext] !== NO_CONTEXT)) {
      builder.setTexts(
        event,
        metadata === 0 ? Word.empty : this.texts.metadata(stack, metadata),
        compileContext === 0 ? Word.empty : this.texts.compileContext(ref[compileContext]),
      );
    }
    if (frames !== 0) {
      const value = ref[frames];
      columns.stack[event] = this.frames.stackOf(value);
      if (action === Action.Alloc && value >>> PAYLOAD_BITS === Torch.Capture) {
        builder.captures.alloc[value & PAYLOAD_MASK] = event;
      }
    }
    return EVENT_BITS | event;
  }

  /** A dictionary with an `action`. Each key here has a place in {@link EntryPlan}, or excludes the entry from it. */
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
          row.metadata = this.texts.metadata(stack, value);
          break;
        case Word.compile_context:
          row.compileContext = this.texts.compileContext(ref[value]);
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
}
