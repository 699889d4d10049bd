import type { Clock } from '../../../../src/extension/intake/ports.js';

interface Timer {
  at: number;
  call: () => void;
}

/** Lets everything that waits on settled promises go on. */
export async function drain(): Promise<void> {
  for (let i = 0; i < 200; i++) await Promise.resolve();
}

/** A clock that moves when the test says so. */
export class FakeClock implements Clock {
  private time = 1_700_000_000_000;
  private timers: Timer[] = [];

  now(): number {
    return this.time;
  }

  after(milliseconds: number, call: () => void): () => void {
    const timer = { at: this.time + milliseconds, call };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Moves on, running what falls due on the way, in order. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    await drain();
    for (;;) {
      const next = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0] as Timer | undefined;
      if (next === undefined) break;
      this.timers = this.timers.filter((other) => other !== next);
      this.time = Math.max(this.time, next.at);
      next.call();
      await drain();
    }
    this.time = end;
  }
}
