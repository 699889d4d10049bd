import type { Clock } from './ports.js';

/** Time without a request before the work starts, in milliseconds. */
const QUIET_MS = 40;
/** Longest delay while requests continue, in milliseconds. */
const MAX_WAIT_MS = 5_000;

/**
 * Debounces work: many requests start one run, and requests during a run one more. A long burst delays it only for a
 * time.
 */
export class QuietMoment {
  private cancelTimer: (() => void) | null = null;
  private firstAskedAt: number | null = null;
  private running = false;
  private disposed = false;

  /** @param busy true while more requests are expected @param work must handle its own failures */
  constructor(
    private readonly clock: Clock,
    private readonly busy: () => boolean,
    private readonly work: () => Promise<void>,
  ) {}

  request(): void {
    if (this.disposed) return;
    this.firstAskedAt ??= this.clock.now();
    if (!this.running) this.arm(QUIET_MS);
  }

  dispose(): void {
    this.disposed = true;
    this.cancelTimer?.();
  }

  private arm(milliseconds: number): void {
    this.cancelTimer?.();
    this.cancelTimer = this.clock.after(milliseconds, () => {
      this.cancelTimer = null;
      void this.tick();
    });
  }

  private async tick(): Promise<void> {
    if (this.firstAskedAt === null) return;
    const left = this.firstAskedAt + MAX_WAIT_MS - this.clock.now();
    if (this.busy() && left > 0) {
      this.arm(Math.min(left, QUIET_MS));
      return;
    }
    this.firstAskedAt = null;
    this.running = true;
    await this.work();
    this.running = false;
    if (this.wantsMore()) this.arm(QUIET_MS);
  }

  private wantsMore(): boolean {
    return this.firstAskedAt !== null && !this.disposed;
  }
}
