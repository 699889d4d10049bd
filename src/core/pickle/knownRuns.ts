/** Bytes of all runs together; what comes beyond is decoded each time. */
const MOST_BYTES = 1 << 26;
/** Runs are identified by numbers that count from 1: more are not kept. */
const MOST_RUNS = 1 << 22;
/** Bytes of the beginnings by which runs are looked for: five references. Each piece of input goes on for longer. */
const BEGINNING = 26;

/**
 * The bytes of lists that were read before, by a number of each. Where a list is expected again, eight bytes of it are
 * compared at once instead of one mention being looked up.
 */
export class KnownRuns {
  // Small at first: code that has seen its table grow before it is compiled need not be compiled again.
  private bytes = new Uint8Array(64);
  private view = new DataView(this.bytes.buffer);
  private used = 0;
  private from = new Int32Array(4);
  private to = new Int32Array(4);
  /** The run kept last for each beginning, by a hash: a mere guess, so that two with one hash do no harm. */
  private readonly guesses = new Int32Array(1 << 12);

  /** Keeps `buffer[from .. to)` as the bytes of a run; what was kept for the number before is given up. */
  keep(run: number, buffer: Uint8Array, view: DataView, from: number, to: number): void {
    if (to - from >= BEGINNING) this.guesses[beginning(view, from)] = run;
    if (this.behind(run, view, from, to) !== 0) return;
    const length = to - from;
    if (run >= this.from.length) {
      if (run >= MOST_RUNS) return;
      this.from = longer(this.from, run);
      this.to = longer(this.to, run);
    }
    // The same list may be written otherwise the next time: then it takes the same place, if it fits.
    let at = this.from[run];
    if (this.to[run] - at !== length) {
      at = this.used;
      if (at + length > MOST_BYTES) return;
      if (at + length > this.bytes.length) {
        const next = new Uint8Array(Math.max(at + length, this.bytes.length * 2));
        next.set(this.bytes);
        this.bytes = next;
        this.view = new DataView(next.buffer);
      }
      this.used += length;
      this.from[run] = at;
      this.to[run] = at + length;
    }
    this.bytes.set(buffer.subarray(from, to), at);
  }

  /** @returns a run that may be the one at `from`, where as many bytes as a beginning has are readable */
  beginningAs(view: DataView, from: number): number {
    return this.guesses[beginning(view, from)];
  }

  /**
   * Compares the bytes of a run with those at `from`.
   * @param last place that has to be readable
   * @returns the place behind the run, 0 if something else is there
   */
  behind(run: number, view: DataView, from: number, last: number): number {
    if (run >= this.from.length) return 0;
    const known = this.view;
    let at = this.from[run];
    const to = this.to[run];
    const end = from + to - at;
    if (to === at || end > last) return 0;
    let p = from;
    // As doubles: equal doubles are equal bytes, but for zeros, and there is an opcode in any eight bytes of a list;
    // and bytes that make no number are equal to nothing, so that such a list is decoded.
    for (; at + 8 <= to; at += 8, p += 8) {
      if (known.getFloat64(at, true) !== view.getFloat64(p, true)) return 0;
    }
    for (; at < to; at++, p++) if (known.getUint8(at) !== view.getUint8(p)) return 0;
    return end;
  }
}

/** The references to what is seldom met first are five bytes each: their numbers, mixed. */
function beginning(view: DataView, from: number): number {
  let hash = view.getInt32(from + 1, true);
  for (let at = from + 6; at < from + BEGINNING - 4; at += 5) hash = Math.imul(hash, 31) + view.getInt32(at, true);
  return Math.imul(hash, 0x9e3779b1) >>> 20;
}

function longer(from: Int32Array<ArrayBuffer>, index: number): Int32Array<ArrayBuffer> {
  const next = new Int32Array(Math.max(index + 1, from.length * 2));
  next.set(from);
  return next;
}
