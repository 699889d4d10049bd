import { Action } from '../../model/snapshot.js';
import { Forgotten, type RecordReader } from '../../pickle/recordReader.js';
import {
  EMPTY_DICT_REF,
  Kind,
  makeRef,
  NO_SLOT,
  NONE_REF,
  PAYLOAD_BITS,
  PAYLOAD_MASK,
  type Ref,
  ValueStack,
} from '../../pickle/values.js';
import { EntryCode, State } from './entryCode.js';
import type { TorchSink } from './torchSink.js';
import { Torch } from './torchValue.js';
import { actionOf, Word, WORDS } from './torchWords.js';

const EVENT_BITS = makeRef(Torch.Event, 0);
const NO_CONTEXT = makeRef(Kind.Text, Word.not_available);
/** Keys of dictionaries that are more than their value. */
const COUNTED: ReadonlySet<number> = new Set([Word.action, Word.state, Word.blocks, Word.stage, Word.real_size]);
/** A longer record is left to the machine where a window ends in it. */
const LONG_RECORD = 1 << 14;
/** Words that the code looks up, and the place of all others. */
const ACTION_WORDS = 256;
/** Settings of the code for the places of an entry's values, by the words of their keys. */
const PLACES: ReadonlyMap<number, string> = new Map([
  [Word.action, 'action'],
  [Word.addr, 'addr'],
  [Word.size, 'size'],
  [Word.stream, 'stream'],
  [Word.time_us, 'timeUs'],
  [Word.frames, 'frames'],
  [Word.user_metadata, 'metadata'],
  [Word.compile_context, 'compileContext'],
]);
/** Keys of entries whose values have no place: other keys mean nothing to an entry. */
const UNPLACED: ReadonlySet<number> = new Set([Word.forward_frames, Word.cpp_frames, Word.category, Word.device_free]);

/** Reads trace entries at many times the machine's speed, in WebAssembly: see `assembly/entryReader.ts`. */
export class EntryReader implements RecordReader {
  memoCount = 0;
  depth = 0;
  private readonly code: EntryCode;
  private readonly cells: ValueStack;
  private readonly maxRows: number;
  private views: ReturnType<EntryReader['viewsOf']>;
  private buffer: Uint8Array = new Uint8Array(0);
  private end = 0;
  /** The part of the buffer that is in the code's memory. */
  private windowFrom = 0;
  private windowTo = 0;

  /**
   * @param stack where records are pushed
   * @param slots of the memo
   * @param fileBytes infinite where unknown
   * @throws Error if there is no WebAssembly, or no memory for it
   */
  constructor(
    private readonly sink: TorchSink,
    private readonly stack: ValueStack,
    slots: number,
    fileBytes: number,
  ) {
    this.cells = new ValueStack(stack);
    this.code = EntryCode.take(
      {
        text: (from, to) => sink.text(this.views.bytes, from, to),
        pair: (first, second) => sink.labels.pool(first, second),
        stackOf: (from, to) => this.stackOf(from, to),
        frame: (from, to) => this.frame(from, to),
        streamLabel: (cell) => sink.labels.stream(this.cells, cell),
        plan: (keys) => this.planned(keys),
      },
      fileBytes,
      slots,
    );
    const { code } = this;
    this.maxRows = code.get('ROWS');
    code.set('noContext', NO_CONTEXT);
    const actions = code.column(Uint8Array, 'ACTIONS', ACTION_WORDS).fill(Action.Other);
    for (let word = 0; word < WORDS.length; word++) actions[word] = actionOf(word);
    this.views = this.viewsOf(slots);
  }

  get memo(): Int32Array {
    return this.views.memo;
  }

  growMemo(slots: number): Int32Array {
    this.code.reserve(slots);
    this.views = this.viewsOf(slots);
    return this.views.memo;
  }

  close(filled: number): void {
    this.code.release(filled);
  }

  giveUp(): never {
    throw new Forgotten();
  }

  recall(slot: number): Ref {
    const value = this.code.keptValue(slot);
    if (value === NONE_REF) throw new Forgotten();
    return value;
  }

  use(buffer: Uint8Array, end: number): void {
    this.buffer = buffer;
    this.end = end;
    this.windowFrom = this.windowTo = 0;
  }

  read(from: number, memoCount: number, depth: number): number {
    const { code, stack } = this;
    const { events, captures } = this.sink.builder;
    this.memoCount = memoCount;
    this.depth = depth;
    let p = from;
    for (;;) {
      // A record that is no row ends the call, and takes the place of a row on the stack.
      const room = Math.min(this.maxRows, stack.ref.length - this.depth, PAYLOAD_MASK - events.length);
      if (room <= 0 || captures.length > PAYLOAD_MASK - 2 * this.maxRows) break;
      if (p >= this.windowTo || (this.windowTo - p < LONG_RECORD && this.windowTo < this.end)) this.moveWindow(p);
      const shift = code.inputAt - this.windowFrom;
      const behind =
        code.read(
          p + shift,
          this.windowTo + shift,
          this.memoCount,
          this.memo.length,
          room,
          events.length,
          captures.length,
        ) - shift;
      if (behind === p) break;
      p = behind;
      const { state } = this.views;
      this.memoCount = state[State.MemoCount];
      this.takeCaptures(state[State.Captures]);
      this.takeRows(state[State.Rows]);
      if (state[State.Keys] >= 0) this.takeRecord(state[State.Keys]);
    }
    return p;
  }

  private moveWindow(from: number): void {
    this.windowFrom = from;
    this.windowTo = Math.min(this.end, from + this.code.inputBytes);
    this.views.bytes.set(this.buffer.subarray(from, this.windowTo), this.code.inputAt);
  }

  private takeCaptures(count: number): void {
    const { captureStack, captureEvent } = this.views;
    const { captures } = this.sink.builder;
    for (let i = 0; i < count; i++) captures.alloc[captures.add(captureStack[i])] = captureEvent[i];
  }

  private takeRows(count: number): void {
    if (count === 0) return;
    const { views, stack, depth } = this;
    const { builder } = this.sink;
    const columns = builder.events;
    const first = columns.claim(count);
    if (views.state[State.IsOpen] !== 0) this.linkRows(first, count);
    columns.action.set(views.action.subarray(0, count), first);
    columns.addrLow.set(views.low.subarray(0, count), first);
    columns.addrHigh.set(views.high.subarray(0, count), first);
    for (let i = 0; i < count; i++) columns.setSize(first + i, views.size[i]);
    for (let i = 0; i < count; i++) columns.setTime(first + i, views.time[i]);
    columns.stack.set(views.stack.subarray(0, count), first);
    for (let i = 0; i < count; i++) builder.noteStream(first + i, views.stream[i]);
    if (views.state[State.IsTagged] !== 0) {
      for (let i = 0; i < count; i++) builder.setTexts(first + i, views.metadata[i], views.context[i]);
    }
    stack.memoSlot.set(views.slot.subarray(0, count), depth);
    for (let i = 0; i < count; i++) stack.ref[depth + i] = EVENT_BITS | (first + i);
    this.depth += count;
  }

  /** Rows that refer to captures of earlier calls. */
  private linkRows(first: number, count: number): void {
    const { frames, stack, action } = this.views;
    const { captures } = this.sink.builder;
    for (let i = 0; i < count; i++) {
      if (frames[i] >>> PAYLOAD_BITS !== Torch.Capture) continue;
      const capture = frames[i] & PAYLOAD_MASK;
      stack[i] = captures.stack[capture];
      if (action[i] === Action.Alloc) captures.alloc[capture] = first + i;
    }
  }

  /** A dictionary that is no plain entry, in the cells. */
  private takeRecord(keys: number): void {
    const { stack, views } = this;
    const value = this.sink.setItems(EMPTY_DICT_REF, this.cells, 0, 2 * keys);
    const slot = views.state[State.Slot];
    if (slot !== NO_SLOT) views.memo[slot] = value;
    stack.memoSlot[this.depth] = slot;
    stack.ref[this.depth++] = value;
  }

  private stackOf(from: number, to: number): number {
    const { ref } = this.cells;
    for (let i = from; i < to; i++) if (ref[i] >>> PAYLOAD_BITS !== Torch.Frame) return 0;
    return this.sink.builder.stacks.intern(ref, from, to, PAYLOAD_MASK);
  }

  /** A dictionary in the cells `[from, to)`, if its value says all about it: it may be read again by the machine. */
  private frame(from: number, to: number): Ref {
    const { ref } = this.cells;
    let isFrame = false;
    for (let i = from; i < to; i += 2) {
      if (ref[i] >>> PAYLOAD_BITS !== Kind.Text) continue;
      const word = ref[i] & PAYLOAD_MASK;
      if (word === Word.filename) isFrame = true;
      // A dictionary that also has these keys can be counted, once.
      else if (COUNTED.has(word)) return NONE_REF;
    }
    return isFrame ? this.sink.frames.frame(this.cells, from, to) : NONE_REF;
  }

  /**
   * Sets the places of the values in trace entries with these keys, which are in the even cells; 0 for missing ones.
   * @returns 0 for keys to be read one by one: another kind of entry, a repeated key, or several kinds of stacks
   */
  private planned(keys: number): number {
    const { ref } = this.cells;
    const found = new Map<number, number>();
    for (let i = 0; i < 2 * keys; i += 2) {
      const word = ref[i] & PAYLOAD_MASK;
      if (ref[i] >>> PAYLOAD_BITS !== Kind.Text || UNPLACED.has(word)) return 0;
      if (!PLACES.has(word)) continue;
      if (found.has(word)) return 0;
      found.set(word, i + 1);
    }
    if (found.get(Word.action) !== 1) return 0;
    for (const [word, place] of PLACES) this.code.set(place, found.get(word) ?? 0);
    return 1;
  }

  private viewsOf(slots: number) {
    const { code, cells, maxRows } = this;
    const captures = 2 * maxRows;
    const count = code.get('CELLS');
    cells.ref = code.column(Int32Array, 'REF', count);
    cells.low = code.column(Uint32Array, 'LOW', count);
    cells.high = code.column(Uint32Array, 'HIGH', count);
    return {
      bytes: code.memoryBytes(),
      memo: code.memo(slots),
      state: code.column(Int32Array, 'STATE', State.Count),
      action: code.column(Uint8Array, 'ROW_ACTION', maxRows),
      low: code.column(Uint32Array, 'ROW_LOW', maxRows),
      high: code.column(Uint32Array, 'ROW_HIGH', maxRows),
      size: code.column(Float64Array, 'ROW_SIZE', maxRows),
      time: code.column(Float64Array, 'ROW_TIME', maxRows),
      stream: code.column(Uint32Array, 'ROW_STREAM', maxRows),
      frames: code.column(Int32Array, 'ROW_FRAMES', maxRows),
      stack: code.column(Uint32Array, 'ROW_STACK', maxRows),
      slot: code.column(Int32Array, 'ROW_SLOT', maxRows),
      metadata: code.column(Uint32Array, 'ROW_METADATA', maxRows),
      context: code.column(Uint32Array, 'ROW_CONTEXT', maxRows),
      captureStack: code.column(Uint32Array, 'CAPTURE_STACK', captures),
      captureEvent: code.column(Uint32Array, 'CAPTURE_EVENT', captures),
    };
  }
}
