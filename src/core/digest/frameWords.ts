import type { Snapshot } from '../model/snapshot.js';
import type { StackId } from '../model/units.js';
import type { DigestFrame } from '../model/digestFrame.js';

/** Frames of the stacks in words, each once. */
export class FrameWords {
  readonly words: DigestFrame[] = [];
  private readonly index = new Map<number, number>();

  constructor(private readonly snapshot: Snapshot) {}

  /** Indices into `words`, innermost first. */
  ofStack(stack: StackId): number[] {
    const { stacks } = this.snapshot;
    const ids: number[] = [];
    for (let i = stacks.offset[stack]; i < stacks.offset[stack + 1]; i++) ids.push(this.word(stacks.frames[i]));
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
