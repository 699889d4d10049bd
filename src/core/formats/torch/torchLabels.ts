import type { StringPool } from '../../model/stringPool.js';
import { Kind, makeRef, OPAQUE_REF, type Ref, type ValueStack } from '../../pickle/values.js';
import { checkedPayload, integerText, isNumber } from './torchValue.js';

/** Streams and pools: opaque numbers of the process, stored as strings. There are few, and every event repeats one. */
export class TorchLabels {
  constructor(
    private readonly strings: StringPool,
    private readonly name: string,
  ) {}

  /** Pool ids are the only tuples of a snapshot: a text names them, such as `0,1`. */
  tuple(stack: ValueStack, from: number, to: number): Ref {
    const parts: string[] = [];
    for (let i = from; i < to; i++) {
      if (!isNumber(stack.kind(i))) return OPAQUE_REF;
      parts.push(integerText(stack, i));
    }
    return this.text(parts.join(','));
  }

  /** The identity of a pool, see {@link tuple}: a tuple of two small numbers. */
  pool(first: number, second: number): Ref {
    return this.text(`${first},${second}`);
  }

  /** @returns the id of the stream's decimal text; nearly all are 0 */
  stream(stack: ValueStack, at: number): number {
    return checkedPayload(this.strings.internText(integerText(stack, at)), this.name);
  }

  private text(text: string): Ref {
    return makeRef(Kind.Text, checkedPayload(this.strings.internText(text), this.name));
  }
}
