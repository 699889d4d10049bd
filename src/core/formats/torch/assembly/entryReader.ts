/**
 * Reads trace entries, and other dictionaries whose values are numbers, texts, references, pairs of small numbers and lists
 * of references, as CPython (any protocol) and PyTorch's C++ writer write them. The result is that of the pickle machine, in
 * a fraction of its steps:
 * - Keys are compared with those of the previous dictionary. Where they are equal, they are already in the cells.
 * - Values go into cells, not onto the machine's stack, and containers need no marks.
 * - The bytes of a list are compared with the list that followed the last one before, and with one of equal hash.
 * - Trace entries become rows. The caller takes a thousand rows at a time.
 * - Most memo slots stay empty, since nothing refers to them: those of rows, and of texts and pairs that were there before.
 *   The slots of lists are in a table. So the memo takes a third of the memory.
 *
 * Other input is left to the machine. Before a dictionary is complete, the caller gets only its texts, pairs, frames and
 * stacks. The caller stores equal ones once, so the machine may pass them again.
 *
 * This is AssemblyScript. `npm run entries` compiles it to WebAssembly. Its memory holds the regions below. The caller reads
 * their places from the exports.
 */

declare function text(from: usize, to: usize): i32;
declare function pair(first: i32, second: i32): i32;
/** @returns the stack of the frames in the cells `[from, to)`, 0 if they are no frames */
declare function stackOf(from: i32, to: i32): u32;
/** @returns the frame with the keys and values in the cells `[from, to)`; `NONE_REF` if they are something else */
declare function frame(from: i32, to: i32): i32;
/** @returns the label of the stream in a cell */
declare function streamLabel(cell: i32): u32;
/** Examines other keys than those of the previous call, and sets the places of an entry's values. @returns 1 for an entry */
declare function plan(keys: i32): i32;

// How values are held: `pickle/values.ts`.
const PAYLOAD_BITS: i32 = 28;
const PAYLOAD_MASK: i32 = 0x0fffffff;
const KIND_TEXT: i32 = 5;
const NONE_REF: i32 = 0;
const FALSE_REF: i32 = 1 << PAYLOAD_BITS;
const TRUE_REF: i32 = (1 << PAYLOAD_BITS) | 1;
const INT_REF: i32 = 2 << PAYLOAD_BITS;
const TEXT_BITS: i32 = KIND_TEXT << PAYLOAD_BITS;
const EMPTY_LIST_REF: i32 = 7 << PAYLOAD_BITS;
const NO_SLOT: i32 = -1;

// What entries hold: `torchValue.ts`, `model/snapshot.ts`.
const CAPTURE: i32 = 11;
const CAPTURE_BITS: i32 = CAPTURE << PAYLOAD_BITS;
const ALLOC: i32 = 0;
const NO_STACK: u32 = 0;
const EMPTY_STACK: u32 = 1;
const NO_EVENT: u32 = 0xffffffff;

// Opcodes: `pickle/opcodes.ts`.
const MARK: i32 = 0x28;
const BIN_INT: i32 = 0x4a;
const BIN_INT1: i32 = 0x4b;
const BIN_INT2: i32 = 0x4d;
const NONE: i32 = 0x4e;
const BIN_UNICODE: i32 = 0x58;
const EMPTY_LIST: i32 = 0x5d;
const APPEND: i32 = 0x61;
const APPENDS: i32 = 0x65;
const BIN_GET: i32 = 0x68;
const LONG_BIN_GET: i32 = 0x6a;
const BIN_PUT: i32 = 0x71;
const LONG_BIN_PUT: i32 = 0x72;
const SET_ITEMS: i32 = 0x75;
const EMPTY_DICT: i32 = 0x7d;
const TUPLE2: i32 = 0x86;
const NEW_TRUE: i32 = 0x88;
const NEW_FALSE: i32 = 0x89;
const LONG1: i32 = 0x8a;
const SHORT_BIN_UNICODE: i32 = 0x8c;
const MEMOIZE: i32 = 0x94;
const FRAME: i32 = 0x95;

/** Keys of the largest record; larger dictionaries are left to the machine. */
const MAX_KEYS: i32 = 32;
/** Slots that a record takes at most beside those of new frames: its own, and one for each value. */
const MAX_SLOTS: i32 = MAX_KEYS + 1;
/** Slots that a new frame takes at most: its own, and one for each key and value. */
const FRAME_SLOTS: i32 = 2 * MAX_KEYS + 1;
/** Bytes of the longest key and value together that hold no list, with room for a look at what follows. */
const MARGIN: i32 = 512;
/** Longer texts are left to the machine. */
const MAX_TEXT: i32 = 255;
/** The opcode and the length of a writer's buffer. */
const FRAME_BYTES: i32 = 9;
/** Keys come early in a file: their slots have three bytes of four. */
const MAX_KEY_SLOT: i32 = 0xffffff;
/** No key begins like this: the end of a record, which is checked before. */
const NO_KEY: i32 = SET_ITEMS;
/** The opcode names another slot than the next. */
const OTHER_SLOT: i32 = -1;
/** Labels of streams, and pairs, below these numbers are kept here. */
const LABELS: u32 = 256;
const POOLS: i32 = 32;
/** Runs that are found by a hash of their items. */
const GUESSES: u32 = 1 << 16;

/** Values in cells: the keys and values of a record, then the items of its lists. */
export const CELLS: i32 = 2048;
const FIRST_ITEM: i32 = 2 * MAX_KEYS;
/** The cells of a new frame's keys and values. */
const FIRST_PART: i32 = CELLS - 2 * MAX_KEYS;
/** Rows and captures that are kept until the caller takes them. */
export const ROWS: i32 = 1024;
const CAPTURES: i32 = 2 * ROWS;

export const REF: usize = 1024;
export const LOW: usize = REF + 4 * CELLS;
export const HIGH: usize = LOW + 4 * CELLS;
export const ROW_SIZE: usize = HIGH + 4 * CELLS;
export const ROW_TIME: usize = ROW_SIZE + 8 * ROWS;
export const ROW_LOW: usize = ROW_TIME + 8 * ROWS;
export const ROW_HIGH: usize = ROW_LOW + 4 * ROWS;
export const ROW_STREAM: usize = ROW_HIGH + 4 * ROWS;
/** The value under `frames`. */
export const ROW_FRAMES: usize = ROW_STREAM + 4 * ROWS;
export const ROW_STACK: usize = ROW_FRAMES + 4 * ROWS;
export const ROW_SLOT: usize = ROW_STACK + 4 * ROWS;
export const ROW_METADATA: usize = ROW_SLOT + 4 * ROWS;
export const ROW_CONTEXT: usize = ROW_METADATA + 4 * ROWS;
export const ROW_ACTION: usize = ROW_CONTEXT + 4 * ROWS;
export const CAPTURE_STACK: usize = ROW_ACTION + ROWS;
export const CAPTURE_EVENT: usize = CAPTURE_STACK + 4 * CAPTURES;
/** The action of each word, by its text. */
export const ACTIONS: usize = CAPTURE_EVENT + 4 * CAPTURES;
const LABEL: usize = ACTIONS + 256;
const POOL: usize = LABEL + 4 * LABELS;
/** The bytes that refer to each key: the first four of LONG_BINGET (the fifth is zero), and the two of BINGET. */
const LONG_KEY: usize = POOL + 4 * POOLS * POOLS;
const SHORT_KEY: usize = LONG_KEY + 4 * (MAX_KEYS + 1);
/** At the place of a value: its text's length and bytes, if these are three; at the place before: the text's value. */
const SHORT_TEXT: usize = SHORT_KEY + 4 * (MAX_KEYS + 1);
/** The lists of a record: the cell of each, the place of its memoized value and its stack. */
const LIST_CELL: usize = SHORT_TEXT + 8 * MAX_KEYS;
const LIST_PLACE: usize = LIST_CELL + 4 * MAX_KEYS;
const LIST_STACK: usize = LIST_PLACE + 4 * MAX_KEYS;
/** The last run of each hash. Its bytes are compared, so two runs of one hash only cost time. */
const GUESS: usize = LIST_STACK + 4 * MAX_KEYS;
/** Here begin the regions whose places and lengths the caller sets before `begin`. */
export const REST: usize = GUESS + 4 * GUESSES;
/** Runs, from number 1 on: the bytes of a list. Of each: its place, its length and its stack. */
export let runsAt: usize = 0;
/** Lists beyond these are decoded each time. */
export let mostRuns: u32 = 0;
const RUN: u32 = 16;
const RUN_LENGTH: u32 = 4;
const RUN_STACK: u32 = 8;
/** The run that followed it the last time; at number 0, the run after a list without one. */
const SUCCESSOR: u32 = 12;
/** The bytes of all runs. */
export let runBytesAt: usize = 0;
/** Lists beyond these bytes are decoded each time. */
export let mostRunBytes: i32 = 0;
/** The memo slots of lists, ascending, each with its value. They are not in the memo, unless the table is full. */
export let keptAt: usize = 0;
export let mostKept: u32 = 0;
const KEPT: u32 = 8;
const KEPT_VALUE: u32 = 4;
/** The memo, to the end of the memory. Empty slots are zero. */
export let memoAt: usize = 0;

/** The results of a call: see `finish`. */
export const STATE: usize = 128;

let memoCount: i32 = 0;
let rows: i32 = 0;
let captures: i32 = 0;
let keys: i32 = -1;
let slot: i32 = NO_SLOT;
let isTagged: i32 = 0;
let isOpen: i32 = 0;

/** The places of an entry's values, 0 if missing. */
export let action: i32 = 0;
export let addr: i32 = 0;
export let size: i32 = 0;
export let stream: i32 = 0;
export let timeUs: i32 = 0;
export let frames: i32 = 0;
export let metadata: i32 = 0;
export let compileContext: i32 = 0;
/** The text of entries without a compiled region; those without metadata have the empty text. */
export let noContext: i32 = 0;

let memoSlots: i32 = 0;
let firstEvent: i32 = 0;
let firstCapture: i32 = 0;
/** Slots of the memo that are filled, within a record. */
let count: i32 = 0;
let lists: i32 = 0;
/** The first free cell for items. */
let free: i32 = FIRST_ITEM;
let plannedKeys: i32 = -1;
let hasOtherKeys: bool = true;
let isEntry: bool = false;
let runBytes: i32 = 0;
let runs: u32 = 1;
let lastRun: u32 = 0;
let kept: u32 = 0;
/** The first slot of the memo that is empty. Reading an empty slot would take a page of memory. */
let emptyFrom: i32 = 0;
/** True if the last text or pair was there before. */
let isRepeated: bool = false;

/** Forgets the previous file. Call it after the settings. */
export function begin(): void {
  memory.fill(LABEL, 0, REST - LABEL);
  store<u32>(runsAt, 0, SUCCESSOR);
  for (let key = 0; key <= MAX_KEYS; key++) {
    store<i32>(LONG_KEY + 4 * key, NO_KEY);
    store<i32>(SHORT_KEY + 4 * key, NO_KEY);
  }
  plannedKeys = -1;
  hasOtherKeys = true;
  runBytes = 0;
  runs = 1;
  lastRun = 0;
  kept = 0;
  memoCount = emptyFrom = 0;
}

/**
 * Reads records up to `most` rows, or to a dictionary that is no row.
 * @param from place of the first one
 * @param end of the available input
 * @param filled slots of the memo
 * @param slots that the memory has room for
 * @param event number of the first row
 * @param capture number of the next capture
 * @returns the place behind the last record; `from` if the machine has to go on
 */
export function read(from: usize, end: usize, filled: i32, slots: i32, most: i32, event: i32, capture: i32): usize {
  // The machine has filled slots.
  if (filled !== memoCount) emptyFrom = filled;
  memoCount = filled;
  memoSlots = slots;
  firstEvent = event;
  firstCapture = capture;
  rows = captures = isTagged = isOpen = 0;
  keys = -1;
  const last = end - MARGIN;
  let p = from;
  while (rows < most && captures <= ROWS) {
    const behind = record(p, last);
    if (behind === 0) break;
    p = behind;
    if (keys >= 0) break;
  }
  finish();
  return p;
}

function finish(): void {
  // Filled slots of the memo.
  store<i32>(STATE, memoCount);
  // Complete rows and captures.
  store<i32>(STATE + 4, rows);
  store<i32>(STATE + 8, captures);
  // The keys of the dictionary in the cells that is no row, -1 for none; and its memo slot.
  store<i32>(STATE + 12, keys);
  store<i32>(STATE + 16, slot);
  // 1 if a row has a text of the program or the compiler.
  store<i32>(STATE + 20, isTagged);
  // 1 if a row refers to the capture of an earlier call, so that its stack is not known here.
  store<i32>(STATE + 24, isOpen);
}

/** Reads the record that starts at `from`. @returns the place behind it, 0 if there is none */
function record(from: usize, last: usize): usize {
  if (from > last || memoCount + MAX_SLOTS > memoSlots) return 0;
  if (load<u8>(from) !== EMPTY_DICT) return 0;
  const known = memoCount;
  const keptBefore = kept;
  const behind = content(from + 1, last, known);
  if (behind !== 0) return behind;
  // The machine reads it.
  if (emptyFrom > known) memory.fill(memoAt + 4 * known, 0, 4 * (emptyFrom - known));
  kept = keptBefore;
  // What is read again was not there before.
  memory.fill(POOL, 0, LONG_KEY - POOL);
  memory.fill(SHORT_TEXT, 0, LIST_CELL - SHORT_TEXT);
  return 0;
}

/** Reads a record from after its first opcode: see `record`. */
function content(from: usize, last: usize, known: i32): usize {
  let p = from;
  count = known;
  let put = putBytes(p, count);
  // The C++ writer memoizes after the content. The machine does that.
  const ownSlot = put === 0 ? NO_SLOT : count++;
  if (put === OTHER_SLOT) return 0;
  p += put;
  if (load<u8>(p) !== MARK) return 0;
  p++;
  let key = 0;
  lists = 0;
  free = FIRST_ITEM;
  for (;;) {
    if (p > last) return 0;
    const get = load<i32>(p);
    if ((get & 0xff) === SET_ITEMS) break;
    // Nearly always it is the key of the record before.
    if (get === load<i32>(LONG_KEY + 4 * key) && load<u8>(p, 4) === 0) p += 5;
    else if ((get & 0xffff) === load<i32>(SHORT_KEY + 4 * key)) p += 2;
    else if ((get & 0xff) === FRAME) {
      // A writer's buffer may begin before any key and value.
      p += FRAME_BYTES;
      continue;
    } else {
      if (!otherKey(p, key, known)) return 0;
      continue;
    }
    const at = 2 * key++ + 1;
    if (load<u8>(p) === FRAME) p += FRAME_BYTES;
    p = load<u8>(p) === EMPTY_LIST ? list(p + 1, last, at, known) : plain(p, at, known);
    if (p === 0) return 0;
  }
  memoCount = count;
  deliver(key, ownSlot);
  return p + 1;
}

/** Reads a reference, text, whole number or pair into a cell. @returns the place behind it, 0 if it is something else */
function plain(p: usize, at: i32, known: i32): usize {
  const op: i32 = load<u8>(p);
  switch (op) {
    case BIN_GET:
    case LONG_BIN_GET: {
      const named = slotAt(p, op);
      if (named >= <u32>known) return 0;
      let value = named < <u32>emptyFrom ? load<i32>(memoAt + 4 * named) : 0;
      if (value === 0) value = keptValue(named);
      if (value === 0) return 0;
      setRef(at, value);
      return p + (op === BIN_GET ? 2 : 5);
    }
    case BIN_INT1:
      if (load<u8>(p, 2) === BIN_INT1 && load<u8>(p, 4) === TUPLE2) {
        setRef(at, pairOf(load<u8>(p, 1), load<u8>(p, 3)));
        return memoized(p + 5, at);
      }
      setInt(at, load<u8>(p, 1), 0);
      return p + 2;
    case BIN_INT2:
      setInt(at, load<u16>(p, 1), 0);
      return p + 3;
    case BIN_INT: {
      const word = load<i32>(p, 1);
      setInt(at, word, word >> 31);
      return p + 5;
    }
    case LONG1: {
      // Addresses and times: 5 to 8 bytes, not negative.
      const bytes: i32 = load<u8>(p, 1);
      if (bytes < 5 || bytes > 8 || load<u8>(p + 1 + bytes) >= 0x80) return 0;
      setInt(at, load<i32>(p, 2), load<i32>(p, 6) & (-1 >>> (8 * (8 - bytes))));
      return p + 2 + bytes;
    }
    case SHORT_BIN_UNICODE:
    case BIN_UNICODE: {
      const start = op === SHORT_BIN_UNICODE ? p + 2 : p + 5;
      const bytes: u32 = op === SHORT_BIN_UNICODE ? load<u8>(p, 1) : load<u32>(p, 1);
      if (bytes > <u32>MAX_TEXT) return 0;
      setRef(at, textOf(at, start, bytes));
      return memoized(start + bytes, at);
    }
    case NONE:
      setRef(at, NONE_REF);
      return p + 1;
    case NEW_TRUE:
    case NEW_FALSE:
      setRef(at, op === NEW_TRUE ? TRUE_REF : FALSE_REF);
      return p + 1;
    default:
      return 0;
  }
}

/** The slot that BINGET or LONG_BINGET names. */
function slotAt(p: usize, op: i32): u32 {
  return op === BIN_GET ? load<u8>(p, 1) : load<u32>(p, 1);
}

/**
 * Looks for the opcode that memoizes what stands before `p`.
 * @returns its bytes, 0 if there is none, `OTHER_SLOT` if it names another slot than `expected`
 */
function putBytes(p: usize, expected: i32): i32 {
  const op: i32 = load<u8>(p);
  if (op === MEMOIZE) return 1;
  if (op === BIN_PUT) return load<u8>(p, 1) === expected ? 2 : OTHER_SLOT;
  if (op === LONG_BIN_PUT) return load<i32>(p, 1) === expected ? 5 : OTHER_SLOT;
  return 0;
}

/**
 * Memoizes the text or pair in a cell if the input says so. One that was there before stays out: a writer that shares it
 * names its first slot.
 * @returns the place behind, 0 if it names another slot than the next
 */
function memoized(p: usize, cell: i32): usize {
  const put = putBytes(p, count);
  if (put === OTHER_SLOT) return 0;
  if (put !== 0) {
    if (isRepeated) count++;
    else memoize(load<i32>(REF + 4 * cell));
  }
  return p + put;
}

/** The place of the value in the next slot, which is a list's. */
function listPlace(): usize {
  const next = count++;
  if (kept === mostKept) {
    emptyFrom = count;
    return memoAt + 4 * <usize>next;
  }
  const place = keptAt + KEPT * kept++;
  store<i32>(place, next);
  return place + KEPT_VALUE;
}

/** The value of a list's slot, 0 if it is not in the table. */
export function keptValue(slot: u32): i32 {
  // Lists are named soon after: the search begins at the end.
  let to = kept;
  let step: u32 = 1;
  while (to > step && load<u32>(keptAt + KEPT * (to - step)) > slot) {
    to -= step;
    step *= 2;
  }
  let from = to > step ? to - step : 0;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const place = keptAt + KEPT * middle;
    const found = load<u32>(place);
    if (found === slot) return load<i32>(place + KEPT_VALUE);
    if (found < slot) from = middle + 1;
    else to = middle;
  }
  return 0;
}

function memoize(value: i32): void {
  store<i32>(memoAt + 4 * <usize>count, value);
  count++;
  emptyFrom = count;
}

function setRef(cell: i32, value: i32): void {
  store<i32>(REF + 4 * cell, value);
}

function setInt(cell: i32, low: i32, high: i32): void {
  store<i32>(REF + 4 * cell, INT_REF);
  store<i32>(LOW + 4 * cell, low);
  store<i32>(HIGH + 4 * cell, high);
}

/** Takes another key into the cells. @returns false if there is none */
function otherKey(p: usize, key: i32, known: i32): bool {
  const op: i32 = load<u8>(p);
  if ((op !== BIN_GET && op !== LONG_BIN_GET) || key === MAX_KEYS) return false;
  const named = slotAt(p, op);
  if (named >= <u32>known || named > <u32>MAX_KEY_SLOT) return false;
  const value = load<i32>(memoAt + 4 * named);
  if (value >>> PAYLOAD_BITS !== KIND_TEXT) return false;
  store<i32>(LONG_KEY + 4 * key, LONG_BIN_GET | (named << 8));
  store<i32>(SHORT_KEY + 4 * key, named <= 0xff ? BIN_GET | (named << 8) : NO_KEY);
  setRef(2 * key, value);
  hasOtherKeys = true;
  return true;
}

/** The text that most entries repeat ("N/A") has three bytes: they are compared together with its length. */
function textOf(cell: i32, start: usize, bytes: i32): i32 {
  isRepeated = false;
  if (bytes !== 3 || cell >= FIRST_ITEM) return TEXT_BITS | text(start, start + bytes);
  const word = (load<i32>(start - 1) & ~0xff) | 3;
  const known = SHORT_TEXT + 4 * cell;
  if (load<i32>(known) !== word) {
    store<i32>(known, word);
    store<i32>(known - 4, TEXT_BITS | text(start, start + bytes));
  } else isRepeated = true;
  return load<i32>(known - 4);
}

function pairOf(first: i32, second: i32): i32 {
  isRepeated = false;
  if (first >= POOLS || second >= POOLS) return pair(first, second);
  const place = POOL + 4 * (first * POOLS + second);
  if (load<i32>(place) === 0) store<i32>(place, pair(first, second));
  else isRepeated = true;
  return load<i32>(place);
}

/** Reads a list from after its first opcode. @returns the place behind it, 0 if it has other items than references */
function list(from: usize, last: usize, at: i32, known: i32): usize {
  setRef(at, EMPTY_LIST_REF);
  let p = from;
  let put = putBytes(p, count);
  if (put === OTHER_SLOT) return 0;
  let place: usize = 0;
  if (put !== 0) {
    place = listPlace();
    store<i32>(place, EMPTY_LIST_REF);
    p += put;
  }
  let until = APPENDS;
  if (load<u8>(p) === MARK) {
    p++;
    // The C++ writer's empty list.
    if (load<u8>(p) === APPENDS) {
      isRepeated = false;
      return memoized(p + 1, at);
    }
  } else {
    const get: i32 = load<u8>(p);
    const isOne = (get === BIN_GET && load<u8>(p, 2) === APPEND) || (get === LONG_BIN_GET && load<u8>(p, 5) === APPEND);
    if (!isOne) return p;
    until = APPEND;
  }
  const index = lists++;
  p = items(p, last, until, known, index);
  if (p === 0) return 0;
  if (place === 0) {
    // The C++ writer memoizes after the content.
    put = putBytes(p, count);
    if (put === OTHER_SLOT) return 0;
    if (put !== 0) place = listPlace();
    p += put;
  }
  store<i32>(LIST_CELL + 4 * index, at);
  store<usize>(LIST_PLACE + 4 * index, place);
  return p;
}

/** Reads references up to the opcode that appends them. @returns the place behind it, 0 if something else is among them */
function items(from: usize, last: usize, until: i32, known: i32, index: i32): usize {
  // Training repeats: the run that followed the last one before is probably the next.
  let run = load<u32>(runsAt + RUN * lastRun, SUCCESSOR);
  let behind = behindRun(run, from, last);
  if (behind === 0) {
    run = 0;
    let item = free;
    let p = from;
    let isPlain = true;
    let hash: u32 = 0;
    for (;;) {
      if (p > last || item === FIRST_PART) return 0;
      const get: i32 = load<u8>(p);
      if (get === until) break;
      if (get === FRAME) {
        p += FRAME_BYTES;
        isPlain = false;
        continue;
      }
      if (get === EMPTY_DICT) {
        p = newFrame(p + 1, last, known, item++);
        if (p === 0) return 0;
        isPlain = false;
        continue;
      }
      if (get !== LONG_BIN_GET && get !== BIN_GET) return 0;
      const named = slotAt(p, get);
      if (named >= <u32>known) return 0;
      hash = (hash ^ named) * 0x9e3779b1;
      hash ^= hash >>> 15;
      setRef(item++, load<i32>(memoAt + 4 * named));
      p += get === BIN_GET ? 2 : 5;
    }
    behind = p + 1;
    const guess = GUESS + 4 * (hash & (GUESSES - 1));
    if (isPlain) run = load<u32>(guess);
    if (behindRun(run, from, last) !== behind) {
      const stack = stackOf(free, item);
      if (stack === NO_STACK) return 0;
      free = item;
      store<u32>(LIST_STACK + 4 * index, stack);
      run = isPlain ? newRun(stack, from, behind) : 0;
      if (run !== 0) store<u32>(guess, run);
    }
  }
  if (run !== 0) {
    store<u32>(LIST_STACK + 4 * index, load<u32>(runsAt + RUN * run, RUN_STACK));
    store<u32>(runsAt + RUN * lastRun, run, SUCCESSOR);
  }
  lastRun = run;
  return behind;
}

/**
 * Reads a new frame into a cell, from after its first opcode: a dictionary of plain keys and values.
 * @returns the place behind it, 0 if it is something else
 */
function newFrame(from: usize, last: usize, known: i32, item: i32): usize {
  if (count + FRAME_SLOTS + MAX_SLOTS > memoSlots) return 0;
  let p = from;
  let put = putBytes(p, count);
  if (put === OTHER_SLOT) return 0;
  const ownSlot = put === 0 ? NO_SLOT : count++;
  p += put;
  if (load<u8>(p) !== MARK) return 0;
  p++;
  let at = FIRST_PART;
  for (; ; at++) {
    if (load<u8>(p) === FRAME) p += FRAME_BYTES;
    if (p > last) return 0;
    if (load<u8>(p) === SET_ITEMS) break;
    if (at === CELLS) return 0;
    p = plain(p, at, known);
    if (p === 0) return 0;
  }
  if ((at & 1) !== 0) return 0;
  const value = frame(FIRST_PART, at);
  if (value === NONE_REF) return 0;
  if (ownSlot !== NO_SLOT) {
    store<i32>(memoAt + 4 * <usize>ownSlot, value);
    emptyFrom = max(emptyFrom, ownSlot + 1);
  }
  setRef(item, value);
  p++;
  put = putBytes(p, count);
  if (put === OTHER_SLOT || (put !== 0 && ownSlot !== NO_SLOT)) return 0;
  if (put !== 0) memoize(value);
  return p + put;
}

/** Compares the bytes of a run with those at `from`. @returns the place behind the run, 0 if something else is there */
function behindRun(run: u32, from: usize, last: usize): usize {
  if (run === 0) return 0;
  const length = load<u32>(runsAt + RUN * run, RUN_LENGTH);
  if (from + length > last) return 0;
  const known = runBytesAt + load<u32>(runsAt + RUN * run);
  let at: u32 = 0;
  for (; at + 8 <= length; at += 8) if (load<u64>(known + at) !== load<u64>(from + at)) return 0;
  const rest: u64 = 8 * (length - at);
  const difference = load<u64>(known + at) ^ load<u64>(from + at);
  return (difference & (((<u64>1) << rest) - 1)) === 0 ? from + length : 0;
}

/** Keeps the bytes of a list. @returns the number of the run, 0 if there is no room */
function newRun(stack: u32, from: usize, to: usize): u32 {
  const length = <i32>(to - from);
  if (runs === mostRuns || runBytes + length > mostRunBytes) return 0;
  const run = runs++;
  store<u32>(runsAt + RUN * run, runBytes);
  store<u32>(runsAt + RUN * run, length, RUN_LENGTH);
  store<u32>(runsAt + RUN * run, stack, RUN_STACK);
  store<u32>(runsAt + RUN * run, 0, SUCCESSOR);
  memory.copy(runBytesAt + runBytes, from, length);
  runBytes += length;
  return run;
}

/** Makes captures of the lists, then a row of the record if it is a plain entry. */
function deliver(recordKeys: i32, ownSlot: i32): void {
  for (let index = 0; index < lists; index++) {
    const value = CAPTURE_BITS | (firstCapture + captures);
    store<u32>(CAPTURE_STACK + 4 * captures, load<u32>(LIST_STACK + 4 * index));
    store<u32>(CAPTURE_EVENT + 4 * captures, NO_EVENT);
    captures++;
    setRef(load<i32>(LIST_CELL + 4 * index), value);
    const place = load<usize>(LIST_PLACE + 4 * index);
    if (place !== 0) store<i32>(place, value);
  }
  if (hasOtherKeys || recordKeys !== plannedKeys) {
    plannedKeys = recordKeys;
    hasOtherKeys = false;
    isEntry = plan(recordKeys) !== 0;
  }
  if (isEntry && row(ownSlot)) return;
  keys = recordKeys;
  slot = ownSlot;
  emptyFrom = max(emptyFrom, ownSlot + 1);
}

function refOf(cell: i32): i32 {
  return load<i32>(REF + 4 * cell);
}

/** True for a number below 2^63, in its cell's words. */
function isCount(cell: i32): bool {
  return refOf(cell) === INT_REF && load<i32>(HIGH + 4 * cell) >= 0;
}

function countOf(cell: i32): f64 {
  return <f64>load<u32>(HIGH + 4 * cell) * 4294967296.0 + <f64>load<u32>(LOW + 4 * cell);
}

/** Makes a row of the entry in the cells. @returns false if a value is of another kind than in nearly all entries */
function row(ownSlot: i32): bool {
  if (addr !== 0 && refOf(addr) !== INT_REF) return false;
  if (size !== 0 && !isCount(size)) return false;
  if (timeUs !== 0 && !isCount(timeUs)) return false;
  const metadataRef = metadata === 0 ? TEXT_BITS : refOf(metadata);
  const contextRef = compileContext === 0 ? noContext : refOf(compileContext);
  if (metadataRef >>> PAYLOAD_BITS !== KIND_TEXT || contextRef >>> PAYLOAD_BITS !== KIND_TEXT) return false;
  if (metadataRef !== TEXT_BITS || contextRef !== noContext) isTagged = 1;
  const i = rows++;
  const word = refOf(action) & PAYLOAD_MASK;
  const done: i32 = word < 256 ? load<u8>(ACTIONS + word) : load<u8>(ACTIONS);
  store<u8>(ROW_ACTION + i, done);
  store<i32>(ROW_LOW + 4 * i, addr === 0 ? 0 : load<i32>(LOW + 4 * addr));
  store<i32>(ROW_HIGH + 4 * i, addr === 0 ? 0 : load<i32>(HIGH + 4 * addr));
  store<f64>(ROW_SIZE + 8 * i, size === 0 ? 0 : countOf(size));
  store<f64>(ROW_TIME + 8 * i, timeUs === 0 ? 0 : countOf(timeUs));
  store<u32>(ROW_STREAM + 4 * i, stream === 0 ? 0 : labelOf(stream));
  store<i32>(ROW_METADATA + 4 * i, metadataRef & PAYLOAD_MASK);
  store<i32>(ROW_CONTEXT + 4 * i, contextRef === noContext ? 0 : contextRef & PAYLOAD_MASK);
  store<i32>(ROW_SLOT + 4 * i, ownSlot);
  const value = frames === 0 ? NONE_REF : refOf(frames);
  store<i32>(ROW_FRAMES + 4 * i, value);
  let stack = value === EMPTY_LIST_REF ? EMPTY_STACK : NO_STACK;
  if (value >>> PAYLOAD_BITS === CAPTURE) {
    const capture = (value & PAYLOAD_MASK) - firstCapture;
    if (capture < 0) isOpen = 1;
    else {
      stack = load<u32>(CAPTURE_STACK + 4 * capture);
      if (done === ALLOC) store<u32>(CAPTURE_EVENT + 4 * capture, firstEvent + i);
    }
  }
  store<u32>(ROW_STACK + 4 * i, stack);
  return true;
}

function labelOf(cell: i32): u32 {
  const low = load<u32>(LOW + 4 * cell);
  if (refOf(cell) !== INT_REF || load<i32>(HIGH + 4 * cell) !== 0 || low >= LABELS) return streamLabel(cell);
  const place = LABEL + 4 * low;
  if (load<u32>(place) === 0) store<u32>(place, streamLabel(cell));
  return load<u32>(place);
}
