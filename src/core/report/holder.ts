import type { SnapshotDigest } from '../analysis/digest.js';
import type { FileLookup, OwnerLine } from '../analysis/owner.js';
import type { RecordedOwner } from '../model/recording.js';
import { holderName } from './holderName.js';
import type { HolderReport } from './report.js';

/** Who keeps the memory of lines, by the latest snapshot of a run whose recorder looked. */
export class Holders {
  private readonly byLine = new Map<string, { owner: RecordedOwner; bytes: number }>();

  constructor(
    snapshots: readonly SnapshotDigest[],
    private readonly lookup: FileLookup,
  ) {
    const owners = snapshots.findLast(({ recording }) => (recording?.owners.length ?? 0) > 0)?.recording?.owners ?? [];
    for (const owner of owners) {
      for (const site of owner.allocatedAt) {
        const key = this.key(lookup(site.file) ?? site.file, site.line);
        // Of several that keep what a line allocated, the one that keeps most of it.
        if (site.bytes > (this.byLine.get(key)?.bytes ?? -1)) this.byLine.set(key, { owner, bytes: site.bytes });
      }
    }
  }

  /** The holder of what a line allocated, null where the recorder saw none. */
  of(line: OwnerLine): HolderReport | null {
    const owner = this.byLine.get(this.key(line.file, line.line))?.owner;
    if (owner === undefined) return null;
    const name = holderName(owner.name);
    return {
      source: 'recorder',
      file: this.lookup(owner.file) ?? owner.file,
      line: owner.line,
      name,
      text: name,
      fix: null,
      edit: null,
    };
  }

  /** True if what a line allocated hangs in a reference cycle. */
  isCycle(line: OwnerLine): boolean {
    return this.byLine.get(this.key(line.file, line.line))?.owner.kind === 'cycle';
  }

  private key(file: string, line: number): string {
    return `${file}\n${line}`;
  }
}
