import type { StringTable } from './snapshot.js';
import type { StringId } from './units.js';

/** Texts over columns filled elsewhere, decoded when read. */
export class StringColumns implements StringTable {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private readonly texts = new Map<StringId, string>();

  /** @param ends where each text ends in `bytes`, never falling */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly ends: Uint32Array,
  ) {}

  get count(): number {
    return this.ends.length;
  }

  text(id: StringId): string {
    if (id >= this.ends.length) throw new RangeError(`no text ${id}`);
    let text = this.texts.get(id);
    if (text === undefined) {
      text = this.decoder.decode(this.bytes.subarray(id === 0 ? 0 : this.ends[id - 1], this.ends[id]));
      this.texts.set(id, text);
    }
    return text;
  }

  utf8(): { bytes: Uint8Array; ends: Uint32Array } {
    return { bytes: this.bytes, ends: this.ends };
  }
}
