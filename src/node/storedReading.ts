/** What was read of a snapshot, as files of columns. */
import type { SnapshotDigest } from '../core/digest/digest.js';
import { packDigest, unpackDigest } from '../core/digest/digestCodec.js';
import { checkSnapshot } from '../core/model/snapshotCheck.js';
import { unpackSnapshot, type PackedSnapshot } from '../core/model/snapshotCodec.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { ColumnFile } from './columnFile.js';

interface OneOfFile {
  /** Snapshots that the file holds of which this is one. */
  readonly members: number;
}

export interface StoredSnapshot extends OneOfFile {
  readonly snapshot: Snapshot;
}

export interface StoredDigest extends OneOfFile {
  readonly digest: SnapshotDigest;
}

export function snapshotFile({ facts, columns }: PackedSnapshot, members: number): ColumnFile {
  return { facts: { snapshot: facts, members }, columns };
}

/** The content of a snapshot's file. @throws RangeError if it has no valid snapshot */
export function snapshotIn({ facts, columns }: ColumnFile): StoredSnapshot {
  const { snapshot: packed, members } = (facts ?? {}) as { snapshot?: PackedSnapshot['facts']; members?: unknown };
  if (typeof packed !== 'object' || !isMemberCount(members)) throw new RangeError('the facts are not snapshot’s');
  const snapshot = unpackSnapshot({ facts: packed, columns });
  checkSnapshot(snapshot);
  return { snapshot, members };
}

/** The file of a digest: the same bytes for the same digest. */
export function digestFile({ digest, members }: StoredDigest): ColumnFile {
  const { facts, columns } = packDigest(digest);
  return { facts: { digest: facts, members }, columns };
}

/** The content of a digest's file. @throws RangeError if it has no valid digest */
export function digestIn({ facts, columns }: ColumnFile): StoredDigest {
  const { digest, members } = (facts ?? {}) as Partial<Record<keyof StoredDigest, unknown>>;
  if (!isMemberCount(members)) throw new RangeError('the file holds no digest');
  return { digest: unpackDigest({ facts: digest, columns }), members };
}

/** True for a number of snapshots that a file may hold. */
function isMemberCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
