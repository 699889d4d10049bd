import { Growable } from './growable.js';
import { PROCESS_KEY, textHash } from './hashing.js';
import { SMALLER_STACKS } from './recordedFile.js';
import type { StringTable } from './snapshot.js';
import type { StringId } from './units.js';

/** Maximum length of a text in bytes: paths have at most 4096, names of C++ templates some thousands. */
export const MAX_TEXT = 1 << 14;
/** Maximum number of texts. Real snapshots have some thousands, and each has frames and stacks that take memory, too. */
const MAX_TEXTS = 1 << 18;
/** The text in place of all that are met later. */
const MORE_TEXTS = new TextEncoder().encode(SMALLER_STACKS);
/** Marks the gap of a shortened text. */
const GAP = new TextEncoder().encode('…');

/**
 * Texts interned by value, stored as UTF-8 and decoded when read: most names are never shown. Id 0 is the empty text.
 */
export class StringPool implements StringTable {
  // Small at first: code that has seen its table grow before it is compiled need not be compiled again.
  private bytes = new Uint8Array(64);
  private used = 0;
  private readonly ends = new Growable(Uint32Array);
  private readonly hashes = new Growable(Uint32Array);
  /** Open addressing; holds id + 1, 0 is a free place. */
  private table = new Uint32Array(16);
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private readonly texts = new Map<StringId, string>();

  constructor() {
    this.intern(this.bytes, 0, 0);
  }

  get count(): number {
    return this.ends.length;
  }

  /** Interns `source[from .. to)`, which is UTF-8. */
  intern(source: Uint8Array, from: number, to: number): StringId {
    // A file of longer texts could fill any memory.
    if (to - from > MAX_TEXT) return this.findShortened(source, from, to, MAX_TEXT);
    const hash = textHash(source, from, to, PROCESS_KEY);
    const mask = this.table.length - 1;
    let place = hash & mask;
    for (;;) {
      const entry = this.table[place];
      if (entry === 0) break;
      const id = entry - 1;
      if (this.hashes.data[id] === hash >>> 0 && this.equals(id, source, from, to)) return id;
      place = (place + 1) & mask;
    }
    return this.add(source, from, to, hash, place);
  }

  /** The text itself, or its beginning and its end in so many bytes. */
  shortened(id: StringId, max: number): StringId {
    return this.lengthOf(id) <= max ? id : this.findShortened(this.bytes, this.start(id), this.ends.data[id], max);
  }

  /** The length of a text, in bytes. */
  lengthOf(id: StringId): number {
    return this.ends.data[id] - this.start(id);
  }

  private findShortened(source: Uint8Array, from: number, to: number, max: number): StringId {
    const half = max >> 1;
    let end = from + half - GAP.length;
    let start = to - half;
    while (isInside(source[end])) end--;
    while (isInside(source[start])) start++;
    const short = new Uint8Array(end - from + GAP.length + to - start);
    short.set(source.subarray(from, end));
    short.set(GAP, end - from);
    short.set(source.subarray(start, to), end - from + GAP.length);
    return this.intern(short, 0, short.length);
  }

  internText(text: string): StringId {
    const encoded = new TextEncoder().encode(text);
    return this.intern(encoded, 0, encoded.length);
  }

  text(id: StringId): string {
    if (id >= this.ends.length) throw new RangeError(`no text ${id}`);
    let text = this.texts.get(id);
    if (text === undefined) {
      text = this.decoder.decode(this.bytes.subarray(this.start(id), this.ends.data[id]));
      this.texts.set(id, text);
    }
    return text;
  }

  utf8(): { bytes: Uint8Array; ends: Uint32Array } {
    return {
      bytes: this.bytes.subarray(0, this.used),
      ends: this.ends.data.subarray(0, this.ends.length),
    };
  }

  private start(id: StringId): number {
    return id === 0 ? 0 : this.ends.data[id - 1];
  }

  private equals(id: StringId, source: Uint8Array, from: number, to: number): boolean {
    const start = this.start(id);
    if (this.lengthOf(id) !== to - from) return false;
    for (let i = from, j = start; i < to; i++, j++) if (source[i] !== this.bytes[j]) return false;
    return true;
  }

  private add(source: Uint8Array, from: number, to: number, hash: number, place: number): StringId {
    if (this.count >= MAX_TEXTS - 1 && source !== MORE_TEXTS) return this.intern(MORE_TEXTS, 0, MORE_TEXTS.length);
    const needed = this.used + to - from;
    if (needed > this.bytes.length) {
      const next = new Uint8Array(Math.max(needed, this.bytes.length * 2));
      next.set(this.bytes.subarray(0, this.used));
      this.bytes = next;
    }
    this.bytes.set(source.subarray(from, to), this.used);
    this.used = needed;
    const id = this.ends.length;
    this.ends.push(needed);
    this.hashes.push(hash >>> 0);
    this.table[place] = id + 1;
    if (id * 2 > this.table.length) this.rehash();
    return id;
  }

  private rehash(): void {
    const table = new Uint32Array(this.table.length * 4);
    const mask = table.length - 1;
    for (let id = 0; id < this.ends.length; id++) {
      let place = this.hashes.data[id] & mask;
      while (table[place] !== 0) place = (place + 1) & mask;
      table[place] = id + 1;
    }
    this.table = table;
  }
}

/** True for a byte that is not the first of its character. */
function isInside(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
