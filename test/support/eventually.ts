/** Waiting for something that other processes bring about. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Waiting {
  /** Default: 60 s, many times what a busy machine needs: a limit costs nothing where all is well. */
  timeoutMs?: number;
  /** Pause between two tries. */
  everyMs?: number;
}

/**
 * Tries until `attempt` no longer throws; gives its result.
 * @throws what the last try threw, when time is up
 */
export async function eventually<T>(
  attempt: () => Promise<T> | T,
  { timeoutMs = 60_000, everyMs = 100 }: Waiting = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() + everyMs > deadline) throw error;
      await sleep(everyMs);
    }
  }
}

/**
 * Like {@link eventually}, for attempts that disturb what they wait for: each has twice the time of the previous one, up
 * to 16 s.
 * @param attempt gets its time limit, in milliseconds
 */
export async function eventuallyWithBackoff<T>(
  attempt: (withinMs: number) => Promise<T>,
  { firstMs = 3_000, timeoutMs = 90_000 } = {},
): Promise<T> {
  let withinMs = firstMs / 2;
  return eventually(() => attempt((withinMs = Math.min(2 * withinMs, 16_000))), { timeoutMs });
}

/** Checks that `attempt` goes on succeeding for a while: for what must not happen. */
export async function steadily(attempt: () => Promise<void> | void, forMs: number, everyMs = 100): Promise<void> {
  const deadline = Date.now() + forMs;
  do {
    await attempt();
    await sleep(everyMs);
  } while (Date.now() < deadline);
}
