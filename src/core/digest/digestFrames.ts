import type { Snapshot } from '../model/snapshot.js';
import type { StackId } from '../model/units.js';
import type { DigestFrame } from '../model/digestFrame.js';

/** Frames of all stacks of a digest. Beyond this, stacks are their innermost frames. */
const MAX_FRAMES = 1 << 22;
const INNERMOST = 16;

/** The frames of all stacks of a digest, each once. */
export class DigestFrames {
  readonly frames: DigestFrame[] = [];
  private readonly index = new Map<number, number>();
  private readonly stacks = new Map<StackId, readonly number[]>();
  private left = MAX_FRAMES;

  constructor(private readonly snapshot: Snapshot) {}

  /** Indices into `frames`, innermost first. */
  ofStack(stack: StackId): readonly number[] {
    let ids = this.stacks.get(stack);
    if (ids === undefined) {
      const { offset, frames } = this.snapshot.stacks;
      const from = offset[stack];
      const whole = offset[stack + 1] - from;
      this.left -= whole;
      const to = from + (this.left >= 0 ? whole : Math.min(whole, INNERMOST));
      ids = Array.from(frames.subarray(from, to), (frame) => this.indexOf(frame));
      this.stacks.set(stack, ids);
    }
    return ids;
  }

  private indexOf(frame: number): number {
    let at = this.index.get(frame);
    if (at === undefined) {
      const { frames, strings } = this.snapshot;
      at = this.frames.length;
      this.index.set(frame, at);
      this.frames.push({
        file: strings.text(frames.file[frame]),
        line: frames.line[frame],
        function: strings.text(frames.name[frame]),
      });
    }
    return at;
  }
}
