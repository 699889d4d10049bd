import type { SnapshotDigest } from '../digest/digest.js';
import type { FileLookup, OwnerLine } from '../attribution/owner.js';
import type { RecordedOwner } from '../model/recording.js';
import type { Bytes } from '../model/units.js';
import { holderName } from './holderName.js';
import type { HolderReport } from './report.js';

/** The holders of lines' memory, by the latest snapshot of a run whose recorder looked. */
export class Holders {
  private readonly byLine = new Map<string, { owner: RecordedOwner; bytes: Bytes }>();

  constructor(
    snapshots: readonly SnapshotDigest[],
    private readonly lookup: FileLookup,
  ) {
    const owners = snapshots.findLast(({ recording }) => (recording?.owners.length ?? 0) > 0)?.recording?.owners ?? [];
    const sums = new Map<string, { owner: RecordedOwner; bytes: Bytes }>();
    for (const owner of owners) {
      for (const site of owner.allocatedAt) {
        const key = this.key(lookup(site.file) ?? site.file, site.line);
        // Each module that a list keeps is an owner of its own, by the same name and statement.
        const same = [key, owner.kind, owner.name, this.key(owner.file, owner.line)].join('\n');
        const sum = sums.get(same) ?? { owner, bytes: 0 };
        sums.set(same, sum);
        sum.bytes += site.bytes;
        // Of several that keep what a line allocated, the one that keeps most of it.
        if (sum.bytes > (this.byLine.get(key)?.bytes ?? -1)) this.byLine.set(key, sum);
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

  /** True if what a line allocated is in a container that a statement of the workspace names, not deeper inside. */
  isInContainer(line: OwnerLine): boolean {
    const owner = this.byLine.get(this.key(line.file, line.line))?.owner;
    if (owner?.container == null || this.lookup(owner.file) === null) return false;
    return owner.kind !== 'attribute' || /[.[]/.test(owner.name);
  }

  private key(file: string, line: number): string {
    return `${file}\n${line}`;
  }
}
