import { getOrAdd } from '../maps.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { StacklessBucket } from '../attribution/owner.js';
import { factOf } from '../factOf.js';

/** A stack as a digest names it: indices into its frames. */
export interface DigestStack {
  frames: readonly number[];
  forwardFrames: readonly number[];
  stackless: StacklessBucket;
}

/** Equal for equal stacks of different snapshots, in one thread. */
export type StackKey = number & { readonly __stack: never };

/** A stack of a digest, innermost frame first. */
export interface KnownStack {
  readonly frames: readonly DigestFrame[];
  readonly forward: readonly DigestFrame[];
  /** Where it belongs without frames. */
  readonly stackless: StacklessBucket;
}

/** Table of texts, the same for the same text as long as the thread lives, with what each stands for: kept once. */
class Numbers<Value> {
  private readonly known = new Map<string, number>();
  private readonly values: Value[] = [];

  of(text: string, value: () => Value): number {
    return getOrAdd(this.known, text, () => this.values.push(value()) - 1);
  }

  at(number: number): Value {
    return this.values[number];
  }
}

const frames = new Numbers<DigestFrame>();
const stacks = new Numbers<KnownStack>();
const keyOf = new WeakMap<DigestStack, StackKey>();

/** The key of a stack: short, whatever its frames are called. */
export function stackKey(digest: { readonly frames: readonly DigestFrame[] }, stack: DigestStack): StackKey {
  return getOrAdd(keyOf, stack, () => {
    const numbers = numbersOf(digest.frames);
    const own = stack.frames.map((index) => numbers[index]);
    const forward = stack.forwardFrames.map((index) => numbers[index]);
    const isEmpty = own.length + forward.length === 0;
    return stacks.of(isEmpty ? stack.stackless : `${own.join()}/${forward.join()}`, () => ({
      frames: own.map((number) => frames.at(number)),
      forward: forward.map((number) => frames.at(number)),
      stackless: stack.stackless,
    })) as StackKey;
  });
}

/** The stack that a key stands for. */
export function stackOfKey(key: StackKey): KnownStack {
  return stacks.at(key);
}

const numbersOf = factOf((stack: readonly DigestFrame[]): readonly number[] =>
  stack.map((frame) => frames.of(`${frame.file}\n${frame.line}\n${frame.function}`, () => frame)),
);
