import { KnownRuns } from './knownRuns.js';
import { Op } from './opcodes.js';
import type { RecordSink } from './pickleSink.js';
import { Kind, makeRef, NONE_REF, PAYLOAD_BITS, type Ref, ValueStack } from './values.js';

/** Keys of the largest record; larger dictionaries are left to the machine. */
const MAX_KEYS = 32;
/** Slots that a record takes at most: its own, and one for each value. */
const MAX_SLOTS = MAX_KEYS + 1;
/** Bytes of the longest key and value together that hold no list, with room for a look at what follows. */
const MARGIN = 512;
/** Where a pair stands in the cells, and the items of lists: behind the keys and values. */
const PAIR = 2 * MAX_KEYS;
const FIRST_ITEM = PAIR + 2;
/** Bytes of records that are begun before the machine looks up. */
const MOST_AT_ONCE = 1 << 14;

const INT_REF = makeRef(Kind.Int, 0);
const EMPTY_LIST_REF = makeRef(Kind.EmptyList, 0);
const TEXT_BITS = makeRef(Kind.Text, 0);
const FALSE_REF = makeRef(Kind.Bool, 0);
const TRUE_REF = makeRef(Kind.Bool, 1);
const NO_SLOT = -1;

/** Argument bytes of the opcodes for whole numbers, 0 for all others. */
const WIDTH = new Uint8Array(256);
WIDTH[Op.BinInt1] = 1;
WIDTH[Op.BinInt2] = 2;
WIDTH[Op.BinInt] = 4;
WIDTH[Op.Long1] = 8;

/**
 * Reads records: dictionaries as CPython writes them a million times over, whose keys were met before and whose values
 * are numbers, texts, references to what was met before, pairs of small numbers, and lists of references. It does nothing
 * that the machine would not do, but in a fraction of its steps:
 * - Keys are compared with those of the record before. Where they are the same, they stand in the cells already.
 * - Values go into cells of their own, not over the machine's stack, and containers need no marks.
 * - A list is compared, by its bytes, with the one that the sink expects, and with one that begins alike.
 *
 * Whatever is not as described is left alone: until a record is known to be whole, only texts and pairs reach the sink,
 * which knows them by value and does not mind to meet them again.
 */
export class RecordReader {
  /** Slots of the memo that are filled, after the last record. */
  memoCount = 0;
  /** Of the stack, after the last record. */
  depth = 0;

  private isTrusting = true;
  private buffer: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(this.buffer.buffer);
  private readonly cells: ValueStack;
  /** Memo slots of the keys in the cells. */
  private readonly keySlots = new Uint32Array(MAX_KEYS).fill(0xffffffff);
  /** Keys of the record that the sink got last. */
  private keys = 0;
  /** True while the cells hold other keys than the sink got last. */
  private hasOtherKeys = true;
  /** At the place of a value: its text's length and bytes, if these are three; at the place before: the text's value. */
  private readonly shortTexts = new Int32Array(2 * MAX_KEYS);
  private lastPair = -1;
  private lastPairRef: Ref = NONE_REF;

  /**
   * The lists of the record: the cell of each, its memo slot, its items (a first one below 0: the list is
   * known, and this is its content, negated), and its bytes.
   */
  private lists = 0;
  private readonly listCell = new Int32Array(MAX_KEYS);
  private readonly listSlot = new Int32Array(MAX_KEYS);
  private readonly listItem = new Int32Array(MAX_KEYS);
  private readonly listEnd = new Int32Array(MAX_KEYS);
  private readonly listFrom = new Int32Array(MAX_KEYS);
  private readonly listTo = new Int32Array(MAX_KEYS);
  private readonly runs = new KnownRuns();
  /** The first free cell for items. */
  private free = FIRST_ITEM;

  /** @param stack where records are pushed */
  constructor(
    private readonly sink: RecordSink,
    private readonly stack: ValueStack,
  ) {
    this.cells = new ValueStack(stack);
  }

  /** Takes the piece of the input that the next records lie in. */
  use(buffer: Uint8Array): void {
    this.buffer = buffer;
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }

  /**
   * To be called when a memo slot gets another value, as no pickler of snapshots does it: keys and lists are known by
   * their slots, so from then on nothing is.
   */
  giveUp(): void {
    this.isTrusting = false;
  }

  /**
   * Reads records one after the other, from `from` to what is none, and pushes them.
   * @param end of what is there of the input
   * @param memo with the values of its first `memoCount` slots; records add their own
   * @param depth of the stack
   * @returns the place behind the last record, with `memoCount` and `depth` set; `from` if the machine has to go on
   */
  read(from: number, end: number, memo: Int32Array, memoCount: number, depth: number): number {
    const { ref, memoSlot } = this.stack;
    const until = this.isTrusting ? Math.min(end, from + MOST_AT_ONCE) : from;
    this.memoCount = memoCount;
    this.depth = depth;
    let p = from;
    while (p < until && this.depth < ref.length) {
      const slot = this.memoCount;
      const behind = this.record(p, end, memo, slot);
      if (behind === p) break;
      memoSlot[this.depth] = slot;
      ref[this.depth++] = memo[slot];
      p = behind;
    }
    return p;
  }

  /**
   * Reads the record that starts at `from`. One long function, for it is entered a million times a second; 512 bytes of
   * margin stand for a check in front of each opcode.
   * @returns the place behind it, `from` if there is none
   */
  private record(from: number, end: number, memo: Int32Array, memoCount: number): number {
    const { buffer, view, keySlots, shortTexts } = this;
    const last = end - MARGIN;
    if (from > last || memoCount + MAX_SLOTS > memo.length) return from;
    if (buffer[from] !== Op.EmptyDict || buffer[from + 1] !== Op.Memoize || buffer[from + 2] !== Op.Mark) return from;
    const { ref, low, high } = this.cells;
    let p = from + 3;
    let count = memoCount + 1;
    let key = 0;
    this.lists = 0;
    this.free = FIRST_ITEM;
    for (; ; key++) {
      if (p > last) return from;
      const get = buffer[p];
      if (get === Op.SetItems) break;
      if ((get !== Op.BinGet && get !== Op.LongBinGet) || key === MAX_KEYS) return from;
      // One load for both, and no branch: code that meets LONG_BINGET late need not be compiled again.
      const slot = (view.getUint32(p + 1, true) & (get === Op.BinGet ? 0xff : -1)) >>> 0;
      p += get === Op.BinGet ? 2 : 5;
      if (slot !== keySlots[key] && !this.learn(key, slot, memo, memoCount)) return from;

      const at = 2 * key + 1;
      const op = buffer[p];
      if (op === Op.BinGet || op === Op.LongBinGet) {
        const known = (view.getUint32(p + 1, true) & (op === Op.BinGet ? 0xff : -1)) >>> 0;
        if (known >= memoCount) return from;
        ref[at] = memo[known];
        p += op === Op.BinGet ? 2 : 5;
        continue;
      }
      const width = WIDTH[op];
      if (width !== 0) {
        if (op === Op.BinInt1 && buffer[p + 2] === Op.BinInt1 && buffer[p + 4] === Op.Tuple2) {
          ref[at] = this.pair(buffer[p + 1], buffer[p + 3]);
          p += 5;
          if (buffer[p] === Op.Memoize) {
            memo[count++] = ref[at];
            p++;
          }
          continue;
        }
        ref[at] = INT_REF;
        if (op === Op.Long1) {
          // Addresses and times: 5 to 8 bytes, not negative.
          const bytes = buffer[p + 1];
          if (bytes < 5 || bytes > 8 || buffer[p + 1 + bytes] >= 0x80) return from;
          low[at] = view.getInt32(p + 2, true);
          high[at] = view.getInt32(p + 6, true) & (0xffffffff >>> (8 * (8 - bytes)));
          p += 2 + bytes;
        } else {
          const word = view.getInt32(p + 1, true);
          low[at] = width === 4 ? word : word & (width === 1 ? 0xff : 0xffff);
          high[at] = width === 4 ? word >> 31 : 0;
          p += 1 + width;
        }
        continue;
      }
      switch (op) {
        case Op.ShortBinUnicode: {
          const start = p + 2;
          const bytes = buffer[p + 1];
          // The length and three bytes: the text that each entry has anew ("N/A") is as short.
          const word = bytes === 3 ? view.getInt32(p + 1, true) : 0;
          p = start + bytes;
          if (word === 0 || shortTexts[at] !== word) {
            shortTexts[at] = word;
            shortTexts[at - 1] = TEXT_BITS | this.sink.text(buffer, start, p);
          }
          ref[at] = shortTexts[at - 1];
          if (buffer[p] === Op.Memoize) {
            memo[count++] = ref[at];
            p++;
          }
          continue;
        }
        case Op.EmptyList: {
          ref[at] = EMPTY_LIST_REF;
          p++;
          let listSlot = NO_SLOT;
          if (buffer[p] === Op.Memoize) {
            listSlot = count;
            memo[count++] = EMPTY_LIST_REF;
            p++;
          }
          if (buffer[p] !== Op.Mark) continue;
          this.listCell[this.lists] = at;
          this.listSlot[this.lists] = listSlot;
          p = this.references(p + 1, last, memo, memoCount);
          if (p === 0) return from;
          continue;
        }
        case Op.None:
          ref[at] = NONE_REF;
          p++;
          continue;
        case Op.NewTrue:
        case Op.NewFalse:
          ref[at] = op === Op.NewTrue ? TRUE_REF : FALSE_REF;
          p++;
          continue;
        default:
          return from;
      }
    }
    this.memoCount = count;
    this.deliver(key, memo, memoCount);
    return p + 1;
  }

  /** Puts another key into the cells. @returns false if it is none that a record has */
  private learn(key: number, slot: number, memo: Int32Array, memoCount: number): boolean {
    if (slot >= memoCount || memo[slot] >>> PAYLOAD_BITS !== Kind.Text) return false;
    this.keySlots[key] = slot;
    this.cells.ref[2 * key] = memo[slot];
    this.hasOtherKeys = true;
    return true;
  }

  /**
   * Reads references up to APPENDS.
   * @returns the place behind it, 0 if something else is among them
   */
  private references(from: number, last: number, memo: Int32Array, memoCount: number): number {
    const { buffer, view } = this;
    const list = this.lists++;
    this.listFrom[list] = from;
    let content = this.sink.expectedContent;
    let behind = this.runs.behind(content, view, from, last);
    if (behind === 0) {
      content = this.runs.beginningAs(view, from);
      behind = this.runs.behind(content, view, from, last);
    }
    if (behind !== 0) {
      this.listItem[list] = -content;
      return behind;
    }
    const { ref } = this.cells;
    let item = this.free;
    let p = from;
    this.listItem[list] = item;
    while (p <= last && item < ref.length) {
      const get = buffer[p];
      if (get === Op.Appends) {
        this.free = this.listEnd[list] = item;
        this.listTo[list] = p + 1;
        return p + 1;
      }
      if (get !== Op.LongBinGet && get !== Op.BinGet) return 0;
      const slot = (view.getUint32(p + 1, true) & (get === Op.BinGet ? 0xff : -1)) >>> 0;
      if (slot >= memoCount) return 0;
      ref[item++] = memo[slot];
      p += get === Op.BinGet ? 2 : 5;
    }
    return 0;
  }

  private pair(first: number, second: number): Ref {
    const pair = (first << 8) | second;
    if (pair === this.lastPair) return this.lastPairRef;
    const { ref, low, high } = this.cells;
    ref[PAIR] = ref[PAIR + 1] = INT_REF;
    low[PAIR] = first;
    low[PAIR + 1] = second;
    high[PAIR] = high[PAIR + 1] = 0;
    this.lastPair = pair;
    this.lastPairRef = this.sink.tuple(this.cells, PAIR, PAIR + 2);
    return this.lastPairRef;
  }

  /** Hands the lists to the sink, then the record. */
  private deliver(keys: number, memo: Int32Array, memoSlot: number): void {
    const { sink, cells } = this;
    for (let list = 0; list < this.lists; list++) {
      const item = this.listItem[list];
      const value = item < 0 ? sink.knownList(-item) : this.decodedList(list);
      cells.ref[this.listCell[list]] = value;
      if (this.listSlot[list] !== NO_SLOT) memo[this.listSlot[list]] = value;
    }
    const isSame = keys === this.keys && !this.hasOtherKeys;
    this.keys = keys;
    this.hasOtherKeys = false;
    memo[memoSlot] = sink.record(cells, keys, isSame);
  }

  private decodedList(list: number): Ref {
    const { sink, listItem } = this;
    const value = sink.appendItems(EMPTY_LIST_REF, this.cells, listItem[list], this.listEnd[list]);
    const content = sink.listContent(value);
    if (content !== 0) this.runs.keep(content, this.buffer, this.view, this.listFrom[list], this.listTo[list]);
    return value;
  }
}
