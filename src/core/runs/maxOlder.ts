import type { SnapshotDigest } from '../digest/digest.js';
import { untracedBytes } from '../digest/digestFacts.js';
import type { Bytes } from '../model/units.js';

/**
 * Maximum number of bytes that are older than the recording of a run. Such memory only becomes less, so it is at most
 * what any snapshot shows. Where the history is cleared at each snapshot, later ones show more: what autograd's threads
 * have allocated before. Such snapshots alone do not tell.
 */
export function maxOlderBytes(snapshots: readonly SnapshotDigest[]): Bytes {
  if (snapshots.every(isCleared)) return 0;
  return snapshots.reduce((least, digest) => Math.min(least, untracedBytes(digest) ?? Infinity), Infinity);
}

/** True if the recorder has cleared the history before the snapshot. */
function isCleared({ recording }: SnapshotDigest): boolean {
  return recording !== null && (recording.isLight || recording.behindUs.some((at) => at !== null));
}
