import type { DigestFrame } from '../model/digestFrame.js';
import type { StacklessBucket } from '../attribution/owner.js';

/** A stack as a digest names it: indices into its frames. */
export interface StackWords {
  frames: readonly number[];
  forwardFrames: readonly number[];
  stackless: StacklessBucket;
}

/** Equal for equal stacks of different snapshots. */
export function stackKey(digest: { readonly frames: readonly DigestFrame[] }, stack: StackWords): string {
  const words = (indices: readonly number[]): string =>
    indices
      .map((index) => {
        const frame = digest.frames[index];
        return `${frame.file}\n${frame.line}\n${frame.function}`;
      })
      .join('\n');
  if (stack.frames.length + stack.forwardFrames.length === 0) return stack.stackless;
  return `${words(stack.frames)}\0${words(stack.forwardFrames)}`;
}
