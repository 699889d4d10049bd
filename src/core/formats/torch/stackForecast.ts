import { Growable } from '../../model/growable.js';
import { NO_STACK } from '../../model/snapshot.js';
import type { StackId } from '../../model/units.js';

/** Training repeats itself: the stack that came after this one is the one that comes again. */
export class StackForecast {
  private last: StackId = NO_STACK;
  /** The stack that is expected next, `NO_STACK` where nothing is. */
  next: StackId = NO_STACK;
  /** Per stack: the one that followed it the last time. */
  private readonly successor = new Growable(Uint32Array, 1024);

  /** A stack was recorded. */
  met(stack: StackId): void {
    const { successor } = this;
    while (successor.length <= stack) successor.push(NO_STACK);
    successor.data[this.last] = stack;
    this.last = stack;
    this.next = successor.data[stack];
  }
}
