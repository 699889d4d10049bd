import type { SnapshotWarning } from './snapshot.js';

/** True if the trace of a device is only what its ring buffer still had. */
export function hasLostEvents(warnings: readonly SnapshotWarning[], device: number): boolean {
  return warnings.some((warning) => warning.code === 'ringOverflow' && warning.device === device);
}
