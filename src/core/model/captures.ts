import type { EventIndex, StackId } from './units.js';
import { resized } from './growable.js';
import { NO_INDEX } from './snapshot.js';

/**
 * Captured stacks. The allocator shares one between a block and its trace entries, which links the two exactly. Both
 * columns grow together, for speed.
 */
export class Captures {
  length = 0;
  stack: Uint32Array<ArrayBuffer>;
  /** The allocation in the trace that a capture is of, `NO_INDEX` where none is known. */
  alloc: Uint32Array<ArrayBuffer>;

  /** @param expected a guess: memory that is not written to costs nothing */
  constructor(expected: number) {
    const capacity = Math.max(64, Math.ceil(expected));
    this.stack = new Uint32Array(capacity);
    this.alloc = new Uint32Array(capacity);
  }

  /** @returns the number of the capture */
  add(stack: StackId): number {
    if (this.length === this.stack.length) this.grow();
    const capture = this.length++;
    this.stack[capture] = stack;
    this.alloc[capture] = NO_INDEX;
    return capture;
  }

  /** The allocation of a capture, `NO_INDEX` where there is none. */
  allocOf(capture: number): EventIndex {
    return capture === NO_INDEX ? NO_INDEX : this.alloc[capture];
  }

  private grow(): void {
    this.stack = resized(this.stack, new Uint32Array(this.length * 2));
    this.alloc = resized(this.alloc, new Uint32Array(this.length * 2));
  }
}
