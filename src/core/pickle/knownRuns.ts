/** Bytes of all runs together; what comes beyond is decoded each time. */
const MOST_BYTES = 1 << 26;
/** Runs are told by numbers that count from 1: more are not kept. */
const MOST_RUNS = 1 << 22;

/**
 * The bytes of lists that were read before, by a number of each. Where a list is expected again, eight bytes of it are
 * compared at once instead of one mention being looked up.
 */
export class KnownRuns {
  private bytes = new Uint8Array(1 << 16);
  private view = new DataView(this.bytes.buffer);
  private used = 0;
  private from = new Int32Array(1024);
  private to = new Int32Array(1024);

  /** Keeps `buffer[from .. to)` as the bytes of a run; what was kept for the number before is given up. */
  keep(run: number, buffer: Uint8Array, from: number, to: number): void {
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

function longer(from: Int32Array<ArrayBuffer>, index: number): Int32Array<ArrayBuffer> {
  const next = new Int32Array(Math.max(index + 1, from.length * 2));
  next.set(from);
  return next;
}
