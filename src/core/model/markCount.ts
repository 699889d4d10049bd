/** Marks on the events of a trace, and how many there are up to each, in two bits an event: there are millions. */
export class MarkCount {
  private readonly words: Int32Array;
  /** Marks before each word. */
  private readonly before: Uint32Array;

  constructor(events: number) {
    this.words = new Int32Array((events >>> 5) + 1);
    this.before = new Uint32Array(this.words.length);
  }

  mark(ordinal: number): void {
    this.words[ordinal >>> 5] |= 1 << ordinal;
  }

  /** Counts the marks. Call it after the last mark. */
  count(): this {
    const { words, before } = this;
    for (let i = 1; i < words.length; i++) before[i] = before[i - 1] + bitsIn(words[i - 1]);
    return this;
  }

  /** Marks up to and with an event; none before the first. */
  upTo(ordinal: number): number {
    if (ordinal < 0) return 0;
    const at = ordinal >>> 5;
    return this.before[at] + bitsIn(this.words[at] & (-1 >>> ~ordinal));
  }
}

/** The sums of pairs, fours and bytes of bits, side by side in one word. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
