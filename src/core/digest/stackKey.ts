import type { DigestFrame } from '../model/digestFrame.js';
import type { StacklessBucket } from '../attribution/owner.js';

/** A stack as a digest names it: indices into its frames. */
export interface StackWords {
  frames: readonly number[];
  forwardFrames: readonly number[];
  stackless: StacklessBucket;
}

/** Equal for equal stacks of different snapshots, in one thread. */
export type StackKey = number & { readonly __stack: never };

/** Numbers of texts, the same for the same text as long as the thread lives: a file's words are compared once. */
class Numbers {
  private readonly known = new Map<string, number>();

  of(text: string): number {
    let number = this.known.get(text);
    if (number === undefined) {
      number = this.known.size;
      this.known.set(text, number);
    }
    return number;
  }
}

const frameNumbers = new Numbers();
const stackNumbers = new Numbers();
/** Of each digest's frames. */
const framesOf = new WeakMap<readonly DigestFrame[], Uint32Array>();
const keyOf = new WeakMap<StackWords, StackKey>();

/** The key of a stack: short, whatever its frames are called. */
export function stackKey(digest: { readonly frames: readonly DigestFrame[] }, stack: StackWords): StackKey {
  let key = keyOf.get(stack);
  if (key === undefined) {
    const { frames, forwardFrames, stackless } = stack;
    const numbers = numbersOf(digest.frames);
    const words = (indices: readonly number[]): string => indices.map((index) => numbers[index]).join();
    const isEmpty = frames.length + forwardFrames.length === 0;
    key = stackNumbers.of(isEmpty ? stackless : `${words(frames)}/${words(forwardFrames)}`) as StackKey;
    keyOf.set(stack, key);
  }
  return key;
}

function numbersOf(frames: readonly DigestFrame[]): Uint32Array {
  let numbers = framesOf.get(frames);
  if (numbers === undefined) {
    numbers = Uint32Array.from(frames, ({ file, line, function: name }) =>
      frameNumbers.of(`${file}\n${line}\n${name}`),
    );
    framesOf.set(frames, numbers);
  }
  return numbers;
}
