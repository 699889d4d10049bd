import { getOrAdd } from '../maps.js';
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
  /** The place of the snapshot whose recorder looked last. */
  private readonly lastLook: number;
  /** Of the last look, the bytes of each owner by the line that allocated them. */
  private readonly byLine = new Map<string, Map<RecordedOwner, Bytes>>();
  /** The owners of the look before it, see `sameKey`. */
  private readonly before = new Map<string, RecordedOwner>();

  constructor(
    snapshots: readonly SnapshotDigest[],
    private readonly lookup: FileLookup,
  ) {
    const looks = snapshots.map(({ recording }) => recording?.owners ?? []);
    this.lastLook = looks.findLastIndex((owners) => owners.length > 0);
    for (const owner of looks.at(this.lastLook) ?? []) {
      for (const { file, line, bytes } of owner.allocatedAt) {
        if (bytes === 0) continue;
        const owners = getOrAdd(this.byLine, `${lookup(file) ?? file}\n${line}`, () => new Map<RecordedOwner, Bytes>());
        owners.set(owner, (owners.get(owner) ?? 0) + bytes);
      }
    }
    const earlier = looks.slice(0, Math.max(0, this.lastLook)).findLast((owners) => owners.length > 0) ?? [];
    for (const owner of earlier) getOrAdd(this.before, sameKey(owner), () => owner);
  }

  /**
   * The bound of a line's growth, or null; null too if the line exceeds it.
   * @param growing live bytes of the growing part of the line, one per snapshot
   */
  of(line: OwnerLine, growing: readonly Bytes[]): KnownBound | null {
    let most: Bounded | null = null;
    let mostBytes = 0;
    let explained = 0;
    for (const [owner, bytes] of this.ownersOf(line)) {
      if (isBounded(owner)) {
        if (this.hasOutgrown(owner)) return null;
        if (bytes > mostBytes) [most, mostBytes] = [owner, bytes];
        explained += bytes;
      } else if (owner.allocatedSteps === null || owner.allocatedSteps > PASSING) return null;
    }
    if (most === null || explained < EXPLAINED * growing[this.lastLook]) return null;
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
    return [...this.ownersOf(line).keys()].some(isBounded);
  }

  /**
   * False if the recorder saw the line's memory grow outside of one container, or beyond its bound.
   * @param isIt true if a name and the place of a statement may be that container
   */
  agrees(line: OwnerLine, isIt: (owner: SeenOwner) => boolean): boolean {
    return [...this.ownersOf(line).keys()].every((owner) => {
      if (owner.allocatedSteps !== null && owner.allocatedSteps <= PASSING) return true;
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
    const before = this.before.get(sameKey(owner));
    return before !== undefined && before.bytes < owner.bytes && (before.container?.length ?? 0) >= container.length;
  }

  private ownersOf({ file, line }: OwnerLine): ReadonlyMap<RecordedOwner, Bytes> {
    return this.byLine.get(`${file}\n${line}`) ?? NONE;
  }
}

const NONE: ReadonlyMap<RecordedOwner, Bytes> = new Map();

/** Its bytes with this many items, if it has some now. */
export function fullSize(bytesPerItem: number, items: number, most: number, isExact: boolean): FullSize {
  const moreBytes = Math.round(bytesPerItem * Math.max(0, most - items));
  return { bytes: Math.round(bytesPerItem * items) + moreBytes, moreBytes, isExact };
}

function isBounded(owner: RecordedOwner): owner is Bounded {
  return owner.container !== null && owner.container.maxlen !== null;
}

/** Equal for an owner in two looks. */
function sameKey({ kind, name, file, line, container }: RecordedOwner): string {
  return JSON.stringify([name, file, line, kind, container?.type]);
}
