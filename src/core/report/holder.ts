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
        // Each module in a list is an owner, with the same name and statement.
        const same = [key, owner.kind, owner.name, this.key(owner.file, owner.line)].join('\n');
        const sum = sums.get(same) ?? { owner, bytes: 0 };
        sums.set(same, sum);
        sum.bytes += site.bytes;
        // Of several owners of a line's memory, the one with the most.
        if (sum.bytes > (this.byLine.get(key)?.bytes ?? -1)) this.byLine.set(key, sum);
      }
    }
  }

  /** The recorded holder of a line's memory, or null. */
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

  /** True if a reference cycle holds memory of the line. */
  isCycle(line: OwnerLine): boolean {
    return this.byLine.get(this.key(line.file, line.line))?.owner.kind === 'cycle';
  }

  /** True if memory of the line is directly in a container that a statement of the workspace names. */
  isInContainer(line: OwnerLine): boolean {
    const owner = this.byLine.get(this.key(line.file, line.line))?.owner;
    if (owner?.container == null || this.lookup(owner.file) === null) return false;
    return owner.kind !== 'attribute' || /[.[]/.test(owner.name);
  }

  private key(file: string, line: number): string {
    return `${file}\n${line}`;
  }
}
