import { availableParallelism } from 'node:os';

/** Beyond this, the disk and the memory are what is short. */
const MOST_READERS = 4;

/** Threads that may read files at the same time on this machine: one core is left for the one that judges them. */
export function readerCount(cores = availableParallelism()): number {
  return Math.max(1, Math.min(MOST_READERS, cores - 1));
}
