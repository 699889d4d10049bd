import { getOrAdd } from '../core/maps.js';
import { frameKind } from '../core/attribution/frameKind.js';
import type { FileLookup } from '../core/attribution/owner.js';
import type { SnapshotDigest } from '../core/digest/digest.js';
import { filesOfDigests } from '../core/digest/digestFacts.js';
import type { Snapshot } from '../core/model/snapshot.js';
import { mapPaths } from '../core/attribution/paths/pathMapping.js';
import type { WorkspaceListing } from '../protocol/workerApi.js';

/** The workspace's side of path mapping, with the answers for whole snapshots remembered until it changes. */
export class WorkspaceFiles {
  listing: WorkspaceListing = { files: [], rules: [], roots: [], texts: {}, capacityBytes: null };
  private lookups = new WeakMap<Snapshot, FileLookup>();

  set(listing: WorkspaceListing): void {
    this.listing = listing;
    this.lookups = new WeakMap();
  }

  /** Forgets results that depend on the former set of snapshots. */
  reset(): void {
    this.lookups = new WeakMap();
  }

  /**
   * Maps every file of a snapshot, also of freed allocations. All live files take part, so answers equal the report's.
   */
  lookupFor(snapshot: Snapshot, digests: readonly SnapshotDigest[]): FileLookup {
    return getOrAdd(this.lookups, snapshot, (): FileLookup => {
      const files = filesOfDigests(digests);
      for (const file of new Set(snapshot.frames.file)) files.add(snapshot.strings.text(file));
      const python = [...files].filter((file) => frameKind(file) !== 'native');
      const mapping = mapPaths(python, this.listing);
      return (file) => mapping.lookup(file);
    });
  }
}
