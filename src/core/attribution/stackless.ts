import type { Snapshot } from '../model/snapshot.js';
import type { DeviceHistory } from '../model/history.js';
import type { StacklessBucket } from './owner.js';

/**
 * The bucket of memory without a stack: it is older than the recording, unless its allocation or no stack was recorded.
 * @param isRecorded its allocation is in the trace
 */
export function stacklessBucket({ absent }: Snapshot, isRecorded: boolean): StacklessBucket {
  return isRecorded || absent.includes('stacks') ? 'noStack' : 'beforeRecording';
}

/** The bucket of each allocation of a history without a stack, by row. */
export function stacklessRows(snapshot: Snapshot, history: DeviceHistory): (row: number) => StacklessBucket {
  const { birth, death } = history.allocations;
  // A trace that lost its oldest events frees memory without a recorded allocation.
  const hasLostEvents = snapshot.warnings.some(({ code }) => code === 'ringOverflow');
  const wasFreed = (row: number): boolean => death[row] < history.trace.count;
  return (row) => stacklessBucket(snapshot, birth[row] >= 0 || (hasLostEvents && wasFreed(row)));
}
