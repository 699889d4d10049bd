import { KnownRuns } from './knownRuns.js';
import { Op } from './opcodes.js';
import type { RecordSink } from './pickleSink.js';
import {
  EMPTY_LIST_REF,
  INT_REF,
  Kind,
  makeRef,
  NO_SLOT,
  NONE_REF,
  PAYLOAD_BITS,
  type Ref,
  TEXT_BITS,
  ValueStack,
} from './values.js';

/** Keys of the largest record; larger dictionaries are left to the machine. */
const MAX_KEYS = 32;
/** Slots that a record takes at most: its own, and one for each value. */
const MAX_SLOTS = MAX_KEYS + 1;
/** Bytes of the longest key and value together that hold no list, with room for a look at what follows. */
const MARGIN = 512;
/** Longer ones are left to the machine. */
const LONGEST_TEXT = 255;
/** The opcode and the length of a writer's buffer. */
const FRAME_BYTES = 9;
/** Where a pair stands in the cells, and the items of lists: behind the keys and values. */
const PAIR = 2 * MAX_KEYS;
const FIRST_ITEM = PAIR + 2;
/** Bytes of records that are begun before the machine looks up. */
const MOST_AT_ONCE = 1 << 14;

const FALSE_REF = makeRef(Kind.Bool, 0);
const TRUE_REF = makeRef(Kind.Bool, 1);
/** Keys are among the first things that a file mentions: in three bytes of the four that a slot may have. */
const MOST_KEY_SLOT = 0xffffff;
/** What no key begins with: the end of a record, which is looked for before. */
const NO_KEY: number = Op.SetItems;
/** Where the bytes of a list begin that will not come again. */
const NOT_KEPT = -1;
/** What is memoized there is not what comes next. */
const OTHER_SLOT = -1;

/** Argument bytes of the opcodes for whole numbers, 0 for all others. */
const WIDTH = new Uint8Array(256);
WIDTH[Op.BinInt1] = 1;
WIDTH[Op.BinInt2] = 2;
WIDTH[Op.BinInt] = 4;
WIDTH[Op.Long1] = 8;

/**
 * Reads records: dictionaries as CPython, of any protocol, and PyTorch's C++ writer write them a million times over, whose
 * keys were met before and whose values are numbers, texts, references to what was met before, pairs of small numbers,
 * and lists of references. It does nothing that the machine would not do, but in a fraction of its steps:
 * - Keys are compared with those of the record before. Where they are the same, they stand in the cells already.
 * - Values go into cells of their own, not over the machine's stack, and containers need no marks.
 * - A list is compared, by its bytes, with the one that the sink expects, and with one that begins alike.
 * - Dictionaries of plain values inside a list, as frames are where they are mentioned first, need no machine either.
 *
 * Whatever is not as described is left alone: until a record is known to be whole, only texts, pairs and such items
 * reach the sink, which knows them by value and does not mind to meet them again.
 */
export class RecordReader {
  /** Slots of the memo that are filled, after the last record. */
  memoCount = 0;
  /** Of the stack, after the last record. */
  depth = 0;

  private isTrusting = true;
  /** The last record, and its memo slot. */
  private value: Ref = NONE_REF;
  private slot = NO_SLOT;
  private buffer: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(this.buffer.buffer);
  private readonly cells: ValueStack;
  /** Keys and values of an item, and what became of it. */
  private readonly itemCells: ValueStack;
  private itemRef: Ref = NONE_REF;
  /** Slots of the memo that are filled, within a record. */
  private count = 0;
  /**
   * The keys in the cells by what mentions them: the first four bytes of LONG_BINGET, the last being zero, and the two of
   * BINGET. One place more than there are keys, so that no key is there.
   */
  private readonly longKeys = new Int32Array(MAX_KEYS + 1).fill(NO_KEY);
  private readonly shortKeys = new Int32Array(MAX_KEYS + 1).fill(NO_KEY);
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
    this.itemCells = new ValueStack(stack);
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
      const behind = this.record(p, end, memo, this.memoCount);
      if (behind === p) break;
      memoSlot[this.depth] = this.slot;
      ref[this.depth++] = this.value;
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
    const { buffer, view, longKeys, shortKeys, shortTexts } = this;
    const last = end - MARGIN;
    if (from > last || memoCount + MAX_SLOTS > memo.length) return from;
    if (buffer[from] !== Op.EmptyDict) return from;
    const { ref, low, high } = this.cells;
    let p = from + 1;
    let count = memoCount;
    let put = buffer[p] === Op.Memoize ? 1 : this.putBytes(p, count);
    // The C++ writer memoizes behind the content, which the machine does as well as anybody.
    const slot = put === 0 ? NO_SLOT : count++;
    p += put;
    if (put === OTHER_SLOT || buffer[p] !== Op.Mark) return from;
    p++;
    let key = 0;
    this.lists = 0;
    this.free = FIRST_ITEM;
    for (;;) {
      if (p > last) return from;
      // One look at the opcode and its slot, for nearly always it is the key of the record before; without a branch for
      // each opcode, so that code which meets one of them late need not be compiled again.
      const get = view.getInt32(p, true);
      if ((get & 0xff) === Op.SetItems) break;
      const isLong = ((get ^ longKeys[key]) | buffer[p + 4]) === 0;
      if (!isLong && (get & 0xffff) !== shortKeys[key]) {
        p = this.otherKey(p, key, memo, memoCount);
        if (p === 0) return from;
        continue;
      }
      p += isLong ? 5 : 2;
      const at = 2 * key++ + 1;
      // A writer's buffer may begin in front of any value, which says nothing. Added in any case, for the same reason.
      p += buffer[p] === Op.Frame ? FRAME_BYTES : 0;
      const op = buffer[p];
      if (op === Op.BinGet || op === Op.LongBinGet) {
        // One load for both, and no branch, for the same reason.
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
          put = buffer[p] === Op.Memoize ? 1 : this.putBytes(p, count);
          if (put === OTHER_SLOT) return from;
          if (put !== 0) memo[count++] = ref[at];
          p += put;
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
        case Op.ShortBinUnicode:
        case Op.BinUnicode: {
          const start = op === Op.ShortBinUnicode ? p + 2 : p + 5;
          const bytes = op === Op.ShortBinUnicode ? buffer[p + 1] : view.getInt32(p + 1, true);
          if (bytes > LONGEST_TEXT || bytes < 0) return from;
          // The length and three bytes: the text that each entry has again ("N/A") is as short.
          const short = (view.getInt32(start - 1, true) & ~0xff) | 3;
          const word = bytes === 3 ? short : 0;
          p = start + bytes;
          const isOther = shortTexts[at] !== word;
          if (isOther || word === 0) {
            shortTexts[at] = word;
            shortTexts[at - 1] = TEXT_BITS | this.sink.text(buffer, start, p);
          }
          ref[at] = shortTexts[at - 1];
          put = buffer[p] === Op.Memoize ? 1 : this.putBytes(p, count);
          if (put === OTHER_SLOT) return from;
          if (put !== 0) memo[count++] = ref[at];
          p += put;
          continue;
        }
        case Op.EmptyList: {
          ref[at] = EMPTY_LIST_REF;
          p++;
          put = buffer[p] === Op.Memoize ? 1 : this.putBytes(p, count);
          if (put === OTHER_SLOT) return from;
          let listSlot = NO_SLOT;
          if (put !== 0) {
            listSlot = count;
            memo[count++] = EMPTY_LIST_REF;
            p += put;
          }
          let isOne = false;
          if (buffer[p] === Op.Mark) {
            if (buffer[p + 1] === Op.Appends) {
              // The C++ writer's empty list.
              p += 2;
              put = buffer[p] === Op.Memoize ? 1 : this.putBytes(p, count);
              if (put === OTHER_SLOT) return from;
              if (put !== 0) memo[count++] = EMPTY_LIST_REF;
              p += put;
              continue;
            }
            p++;
          } else {
            isOne = this.isReferenceAndAppend(p);
            if (!isOne) continue;
          }
          const list = this.lists;
          this.listCell[list] = at;
          this.count = count;
          p = this.items(p, last, isOne ? Op.Append : Op.Appends, memo, memoCount);
          if (p === 0) return from;
          count = this.count;
          if (listSlot === NO_SLOT) {
            // The C++ writer memoizes behind the content.
            put = buffer[p] === Op.Memoize ? 1 : this.putBytes(p, count);
            if (put === OTHER_SLOT) return from;
            if (put !== 0) listSlot = count++;
            p += put;
          }
          this.listSlot[list] = listSlot;
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
    this.slot = slot;
    this.deliver(key, memo);
    return p + 1;
  }

  /**
   * Looks for the opcode that memoizes what stands before `p`.
   * @returns its bytes, 0 if there is none, `OTHER_SLOT` if it names another slot than `slot`
   */
  private putBytes(p: number, slot: number): number {
    const op = this.buffer[p];
    if (op === Op.Memoize) return 1;
    if (op === Op.BinPut) return this.buffer[p + 1] === slot ? 2 : OTHER_SLOT;
    if (op === Op.LongBinPut) return this.view.getUint32(p + 1, true) === slot ? 5 : OTHER_SLOT;
    return 0;
  }

  /** True at the one item of a list of one. */
  private isReferenceAndAppend(p: number): boolean {
    const { buffer } = this;
    return (
      (buffer[p] === Op.BinGet && buffer[p + 2] === Op.Append) ||
      (buffer[p] === Op.LongBinGet && buffer[p + 5] === Op.Append)
    );
  }

  /**
   * Passes over the start of a writer's buffer, which may be in front of any key and says nothing, or takes another key
   * into the cells.
   * @returns where the key or the end of the record is now to be looked for, 0 if there is no such key
   */
  private otherKey(p: number, key: number, memo: Int32Array, memoCount: number): number {
    const { buffer, view } = this;
    const op = buffer[p];
    // Without branches to where this was not before it was compiled: see above.
    const behind = p + (op === Op.Frame ? FRAME_BYTES : 0);
    const slot = (view.getUint32(p + 1, true) & (op === Op.BinGet ? 0xff : -1)) >>> 0;
    if (op === Op.Frame) return behind;
    if ((op !== Op.BinGet && op !== Op.LongBinGet) || key === MAX_KEYS) return 0;
    if (slot >= memoCount || slot > MOST_KEY_SLOT || memo[slot] >>> PAYLOAD_BITS !== Kind.Text) return 0;
    this.longKeys[key] = Op.LongBinGet | (slot << 8);
    this.shortKeys[key] = slot <= 0xff ? Op.BinGet | (slot << 8) : NO_KEY;
    this.cells.ref[2 * key] = memo[slot];
    this.hasOtherKeys = true;
    return p;
  }

  /**
   * Reads references, and items that are mentioned first, up to the opcode that appends them, APPENDS or APPEND.
   * @returns the place behind it, 0 if something else is among them
   */
  private items(from: number, last: number, until: Op, memo: Int32Array, memoCount: number): number {
    const { buffer, view } = this;
    const list = this.lists++;
    this.listFrom[list] = from;
    let content = this.sink.forecast.next;
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
      if (get === until) {
        this.free = this.listEnd[list] = item;
        this.listTo[list] = p + 1;
        return p + 1;
      }
      if (get === Op.EmptyDict || get === Op.Frame) {
        this.listFrom[list] = NOT_KEPT;
        if (get === Op.Frame) p += FRAME_BYTES;
        else {
          p = this.item(p, last, memo, memoCount);
          if (p === 0) return 0;
          ref[item++] = this.itemRef;
        }
        continue;
      }
      if (get !== Op.LongBinGet && get !== Op.BinGet) return 0;
      const slot = (view.getUint32(p + 1, true) & (get === Op.BinGet ? 0xff : -1)) >>> 0;
      if (slot >= memoCount) return 0;
      ref[item++] = memo[slot];
      p += get === Op.BinGet ? 2 : 5;
    }
    return 0;
  }

  /**
   * Reads a dictionary inside a list, whose keys and values are references, texts and whole numbers.
   * @returns the place behind it, with `itemRef` set; 0 if it is something else
   */
  private item(from: number, last: number, memo: Int32Array, memoCount: number): number {
    const { buffer, view, itemCells } = this;
    const { ref, low, high } = itemCells;
    if (this.count + MAX_SLOTS > memo.length) return 0;
    let p = from + 1;
    let put = this.putBytes(p, this.count);
    const slot = put === 0 ? NO_SLOT : this.count++;
    p += put;
    if (put === OTHER_SLOT || buffer[p] !== Op.Mark) return 0;
    p++;
    let at = 0;
    for (; ; at++) {
      p += buffer[p] === Op.Frame ? FRAME_BYTES : 0;
      if (p > last) return 0;
      const op = buffer[p];
      if (op === Op.SetItems) break;
      if (at === 2 * MAX_KEYS) return 0;
      const width = WIDTH[op];
      if (op === Op.BinGet || op === Op.LongBinGet) {
        const known = (view.getUint32(p + 1, true) & (op === Op.BinGet ? 0xff : -1)) >>> 0;
        if (known >= memoCount) return 0;
        ref[at] = memo[known];
        p += op === Op.BinGet ? 2 : 5;
      } else if (op === Op.ShortBinUnicode || op === Op.BinUnicode) {
        const start = op === Op.ShortBinUnicode ? p + 2 : p + 5;
        const bytes = op === Op.ShortBinUnicode ? buffer[p + 1] : view.getInt32(p + 1, true);
        if (bytes > LONGEST_TEXT || bytes < 0) return 0;
        p = start + bytes;
        ref[at] = TEXT_BITS | this.sink.text(buffer, start, p);
        put = this.putBytes(p, this.count);
        if (put === OTHER_SLOT) return 0;
        if (put !== 0) memo[this.count++] = ref[at];
        p += put;
      } else if (width !== 0 && op !== Op.Long1) {
        const word = view.getInt32(p + 1, true);
        ref[at] = INT_REF;
        low[at] = width === 4 ? word : word & (width === 1 ? 0xff : 0xffff);
        high[at] = width === 4 ? word >> 31 : 0;
        p += 1 + width;
      } else return 0;
    }
    const value = at % 2 === 0 ? this.sink.item(itemCells, at / 2) : NONE_REF;
    if (value === NONE_REF) return 0;
    if (slot !== NO_SLOT) memo[slot] = value;
    p++;
    put = this.putBytes(p, this.count);
    if (put === OTHER_SLOT || (put !== 0 && slot !== NO_SLOT)) return 0;
    if (put !== 0) memo[this.count++] = value;
    this.itemRef = value;
    return p + put;
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
  private deliver(keys: number, memo: Int32Array): void {
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
    this.value = sink.record(cells, keys, isSame);
    if (this.slot !== NO_SLOT) memo[this.slot] = this.value;
  }

  private decodedList(list: number): Ref {
    const { sink, listItem } = this;
    const value = sink.appendItems(EMPTY_LIST_REF, this.cells, listItem[list], this.listEnd[list]);
    const content = sink.listContent(value);
    if (content !== 0 && this.listFrom[list] !== NOT_KEPT) {
      this.runs.keep(content, this.buffer, this.view, this.listFrom[list], this.listTo[list]);
    }
    return value;
  }
}
