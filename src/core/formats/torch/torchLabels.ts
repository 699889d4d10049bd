import type { StringPool } from '../../model/stringPool.js';
import { Kind, makeRef, OPAQUE_REF, type Ref, type ValueStack } from '../../pickle/values.js';
import { checkedPayload, integerText, isNumber } from './torchValue.js';

const POOL_CACHE = 32;
const INT_REF = makeRef(Kind.Int, 0);

/** Streams and pools: opaque numbers of the process, stored as strings. There are few, and every event repeats one. */
export class TorchLabels {
  /** Labels of the streams 0 to 255, 0 where not met yet. */
  private readonly smallStreams = new Uint32Array(256);
  /** Refs of the pool ids `(i, j)` with both below `POOL_CACHE`, at `i * POOL_CACHE + j`. */
  private readonly pools = new Int32Array(POOL_CACHE * POOL_CACHE);

  constructor(
    private readonly strings: StringPool,
    private readonly name: string,
  ) {}

  /** Pool ids are the only tuples of a snapshot: a text names them, such as `0,1`. */
  tuple(stack: ValueStack, from: number, to: number): Ref {
    const { ref, low, high } = stack;
    const isPool = to - from === 2 && ref[from] === INT_REF && ref[from + 1] === INT_REF;
    const isSmall = isPool && (high[from] | high[from + 1]) === 0 && (low[from] | low[from + 1]) >>> 0 < POOL_CACHE;
    const place = isSmall ? low[from] * POOL_CACHE + low[from + 1] : -1;
    if (isSmall && this.pools[place] !== 0) return this.pools[place];
    const name = this.tupleText(stack, from, to);
    if (isSmall) this.pools[place] = name;
    return name;
  }

  /** @returns the id of the stream's decimal text; nearly all are 0 */
  stream(stack: ValueStack, at: number): number {
    const low = stack.low[at];
    const isSmall = stack.ref[at] === INT_REF && stack.high[at] === 0 && low < this.smallStreams.length;
    if (isSmall && this.smallStreams[low] !== 0) return this.smallStreams[low];
    const label = checkedPayload(this.strings.internText(integerText(stack, at)), this.name);
    if (isSmall) this.smallStreams[low] = label;
    return label;
  }

  private tupleText(stack: ValueStack, from: number, to: number): Ref {
    const parts: string[] = [];
    for (let i = from; i < to; i++) {
      if (!isNumber(stack.kind(i))) return OPAQUE_REF;
      parts.push(integerText(stack, i));
    }
    return makeRef(Kind.Text, checkedPayload(this.strings.internText(parts.join(',')), this.name));
  }
}
