/** Waiting for something that other processes bring about. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** Default: 20 s. */
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
  { timeoutMs = 20_000, everyMs = 100 }: Patience = {},
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

/** Checks that `attempt` goes on succeeding for a while: for what must not happen. */
export async function steadily(attempt: () => Promise<void> | void, forMs: number, everyMs = 100): Promise<void> {
  const deadline = Date.now() + forMs;
  do {
    await attempt();
    await sleep(everyMs);
  } while (Date.now() < deadline);
}
