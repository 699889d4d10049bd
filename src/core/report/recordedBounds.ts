import type { SnapshotDigest } from '../digest/digest.js';
import type { FileLookup, OwnerLine } from '../attribution/owner.js';
import type { RecordedContainer, RecordedOwner } from '../model/recording.js';
import type { Bytes } from '../model/units.js';
import type { FullSize, KnownBound } from '../verdict/features.js';
import { holderName } from './holderName.js';

/** Share of a line's growth that bounded containers must hold: the rest may be too young for the search. */
const EXPLAINED = 2 / 3;
/** Maximum of steps that allocated memory outside of the container: a variable with a former value. */
const PASSING = 2;

interface Bounded extends RecordedOwner {
  readonly container: RecordedContainer & { readonly maxlen: number };
}

/** A recorded holder: its name and statement, in the workspace's file if there is one. */
export interface SeenOwner {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** It holds the memory through a graph. */
  readonly isGraph: boolean;
}

/** Lines whose memory is in bounded containers, by the recorder. */
export class RecordedBounds {
  /** Owners by look, oldest first. */
  private readonly looks: readonly { readonly at: number; readonly owners: readonly RecordedOwner[] }[];

  constructor(
    snapshots: readonly SnapshotDigest[],
    private readonly lookup: FileLookup,
  ) {
    this.looks = snapshots.flatMap(({ recording }, at) =>
      recording !== null && recording.owners.length > 0 ? [{ at, owners: recording.owners }] : [],
    );
  }

  /**
   * The bound of a line's growth, or null; null too if the line exceeds it.
   * @param growing live bytes of the growing part of the line, one per snapshot
   */
  of(line: OwnerLine, growing: readonly Bytes[]): KnownBound | null {
    const last = this.looks.at(-1);
    if (last === undefined) return null;
    let most: Bounded | null = null;
    let explained = 0;
    for (const owner of last.owners) {
      const bytes = this.bytesAt(owner, line);
      if (bytes === 0) continue;
      if (isBounded(owner)) {
        if (this.hasOutgrown(owner)) return null;
        if (most === null || bytes > this.bytesAt(most, line)) most = owner;
        explained += bytes;
      } else if (owner.allocatedSteps === null || owner.allocatedSteps > PASSING) return null;
    }
    if (most === null || explained < EXPLAINED * growing[last.at]) return null;
    const { type, length, maxlen } = most.container;
    const isFull = length >= maxlen;
    return {
      name: holderName(most.name),
      place: { file: this.lookup(most.file) ?? most.file, line: most.line },
      limit: { kind: 'container', type, items: maxlen },
      isFull,
      full: isFull || length === 0 ? null : fullSize(most.bytes / this.lookedAt(most), length, maxlen, true),
    };
  }

  /** True if the recorder saw a bounded container hold memory of the line: `of` has its details. */
  knows(line: OwnerLine): boolean {
    return (this.looks.at(-1)?.owners ?? []).some((owner) => isBounded(owner) && this.bytesAt(owner, line) > 0);
  }

  /**
   * False if the recorder saw the line's memory grow outside of one container, or beyond its bound.
   * @param isIt true if a name and the place of a statement may be that container
   */
  agrees(line: OwnerLine, isIt: (owner: SeenOwner) => boolean): boolean {
    return (this.looks.at(-1)?.owners ?? []).every((owner) => {
      if (this.bytesAt(owner, line) === 0 || (owner.allocatedSteps !== null && owner.allocatedSteps <= PASSING))
        return true;
      const { name, line: at, graphBytes } = owner;
      return (
        isIt({ name, file: this.lookup(owner.file) ?? owner.file, line: at, isGraph: graphBytes > 0 }) &&
        !(isBounded(owner) && this.hasOutgrown(owner))
      );
    });
  }

  /** Items whose bytes were counted: with one per step, the youngest are not looked at yet. */
  private lookedAt({ container: { length }, allocatedSteps }: Bounded): number {
    return allocatedSteps !== null &&
      allocatedSteps > 0 &&
      allocatedSteps < length &&
      length - allocatedSteps <= PASSING
      ? allocatedSteps
      : length;
  }

  /** True if it grew without more items: through graphs, or inside of its items. */
  private hasOutgrown(owner: Bounded): boolean {
    const { container } = owner;
    if (owner.graphBytes > 0 && (owner.allocatedSteps ?? 0) > container.maxlen) return true;
    const before = this.looks.at(-2)?.owners.find((other) => isSame(other, owner));
    return before !== undefined && before.bytes < owner.bytes && (before.container?.length ?? 0) >= container.length;
  }

  private bytesAt(owner: RecordedOwner, { file, line }: OwnerLine): Bytes {
    let sum = 0;
    for (const site of owner.allocatedAt) {
      if (site.line === line && (this.lookup(site.file) ?? site.file) === file) sum += site.bytes;
    }
    return sum;
  }
}

/** Its bytes with this many items, if it has some now. */
export function fullSize(bytesPerItem: number, items: number, most: number, isExact: boolean): FullSize {
  const moreBytes = Math.round(bytesPerItem * Math.max(0, most - items));
  return { bytes: Math.round(bytesPerItem * items) + moreBytes, moreBytes, isExact };
}

function isBounded(owner: RecordedOwner): owner is Bounded {
  return owner.container !== null && owner.container.maxlen !== null;
}

function isSame(a: RecordedOwner, b: RecordedOwner): boolean {
  return (
    a.name === b.name &&
    a.file === b.file &&
    a.line === b.line &&
    a.kind === b.kind &&
    a.container?.type === b.container?.type
  );
}
