import type { Snapshot } from '../model/snapshot.js';
import type { StackId } from '../model/units.js';
import { getOrAdd } from '../maps.js';
import { frameOf, type DigestFrame } from '../model/digestFrame.js';

/** Maximum number of frames of all stacks of a digest. Beyond this, stacks are their innermost frames. */
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
    return getOrAdd(this.stacks, stack, () => {
      const { offset, frames } = this.snapshot.stacks;
      const from = offset[stack];
      const whole = offset[stack + 1] - from;
      this.left -= whole;
      const to = from + (this.left >= 0 ? whole : Math.min(whole, INNERMOST));
      return Array.from(frames.subarray(from, to), (frame) => this.indexOf(frame));
    });
  }

  private indexOf(frame: number): number {
    return getOrAdd(this.index, frame, () => this.frames.push(frameOf(this.snapshot, frame)) - 1);
  }
}
