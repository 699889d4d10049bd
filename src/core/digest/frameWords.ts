import type { Snapshot } from '../model/snapshot.js';
import type { StackId } from '../model/units.js';
import type { DigestFrame } from '../model/digestFrame.js';

/** Frames of all stacks of a digest. Beyond this, stacks are their innermost frames. */
const MOST_FRAMES = 1 << 22;
const INNERMOST = 16;

/** Frames of the stacks in words, each once. */
export class FrameWords {
  readonly words: DigestFrame[] = [];
  private readonly index = new Map<number, number>();
  private readonly stacks = new Map<StackId, readonly number[]>();
  private left = MOST_FRAMES;

  constructor(private readonly snapshot: Snapshot) {}

  /** Indices into `words`, innermost first. */
  ofStack(stack: StackId): readonly number[] {
    let ids = this.stacks.get(stack);
    if (ids === undefined) {
      const { offset, frames } = this.snapshot.stacks;
      const from = offset[stack];
      const whole = offset[stack + 1] - from;
      this.left -= whole;
      const to = from + (this.left >= 0 ? whole : Math.min(whole, INNERMOST));
      ids = Array.from(frames.subarray(from, to), (frame) => this.word(frame));
      this.stacks.set(stack, ids);
    }
    return ids;
  }

  private word(frame: number): number {
    let word = this.index.get(frame);
    if (word === undefined) {
      const { frames, strings } = this.snapshot;
      word = this.words.length;
      this.index.set(frame, word);
      this.words.push({
        file: strings.text(frames.file[frame]),
        line: frames.line[frame],
        function: strings.text(frames.name[frame]),
      });
    }
    return word;
  }
}
