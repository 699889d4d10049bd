import { STACKLESS_FUNCTION, type FileLookup, type OwnerLine, userLine } from '../attribution/owner.js';
import type { SnapshotDigest } from '../digest/digest.js';
import { getOrAdd, groupBy } from '../maps.js';
import type { RecordedOwner, RecordedPlace } from '../model/recording.js';
import type { Bytes } from '../model/units.js';

/** An owner that the recorder saw, and its part of a line's memory. Places are those of the workspace, if it has them. */
export interface LineOwner {
  readonly owner: RecordedOwner;
  /** Bytes of the line that this owner held at the last search. */
  readonly bytes: Bytes;
  readonly place: RecordedPlace | null;
  /** True if the workspace has the file of the place. */
  readonly isMapped: boolean;
  /** The owner at the previous search; null if it was not there. */
  readonly before: RecordedOwner | null;
  /** The first step whose memory any search found in an owner with this name; null if unknown. */
  readonly sinceFirst: number | null;
  /** Bytes of the owners with this name at each search that found some. */
  readonly sizes: readonly Bytes[];
}

/** What the recorder showed of a line's memory. */
export interface RecordedLine {
  /** The largest first; owners with equal name and statement are next to each other. */
  readonly owners: readonly LineOwner[];
  /** The holder to name: the owners with equal name and statement that hold most together; null for none. */
  readonly holder: LineOwner | null;
  /** The reference cycle with garbage of the longest time, in any search; null for none. */
  readonly garbage: LineOwner | null;
  /** The place of the snapshot with the last search; -1 for none. */
  readonly lastSearch: number;
  /** False if that search ran out of time. */
  readonly isComplete: boolean;
}

/** Maximum number of steps that allocated memory outside of a holder: a variable with a former value. */
export const PASSING_STEPS = 2;

/** Everything that the recorder's searches for holders showed of a run, by line. */
export class RecordedFacts {
  private readonly byLine = new Map<string, LineOwner[]>();
  /** Garbage by line, see {@link RecordedLine.garbage}. */
  private readonly garbage = new Map<string, LineOwner>();
  /** The statement of the user that holds most growing memory without a stack; null for none. */
  readonly stacklessHolder: OwnerLine | null;
  private readonly lastSearch: number;
  private readonly isComplete: boolean;

  constructor(snapshots: readonly SnapshotDigest[], lookup: FileLookup) {
    const searches = snapshots.map(({ recording }) => recording?.owners ?? []);
    this.lastSearch = searches.findLastIndex((owners) => owners.length > 0);
    this.isComplete = snapshots.at(this.lastSearch)?.recording?.isSearchComplete ?? true;
    const earlier = searches.slice(0, Math.max(0, this.lastSearch)).findLast((owners) => owners.length > 0) ?? [];
    const before = new Map<string, RecordedOwner>();
    for (const owner of earlier) getOrAdd(before, sameKey(owner), () => owner);
    const first = new Map<string, number>();
    const sizes = new Map<string, Bytes[]>();
    for (const owners of searches) {
      for (const [key, same] of groupBy(owners, sameKey)) {
        const steps = same.map(({ allocatedSteps }) => allocatedSteps?.first ?? Infinity);
        first.set(key, Math.min(first.get(key) ?? Infinity, ...steps));
        getOrAdd(sizes, key, () => []).push(same.reduce((sum, { bytes }) => sum + bytes, 0));
      }
    }
    for (const owner of this.lastSearch < 0 ? [] : searches[this.lastSearch]) {
      const key = sameKey(owner);
      const known = {
        before: before.get(key) ?? null,
        sinceFirst: first.get(key) ?? null,
        sizes: sizes.get(key) ?? [],
      };
      for (const [line, found] of linesOf(owner, known, lookup)) getOrAdd(this.byLine, line, () => []).push(found);
    }
    this.stacklessHolder = stacklessHolder(searches.at(this.lastSearch) ?? [], lookup);
    for (const owner of searches.flat()) {
      if (owner.kind !== 'cycle') continue;
      for (const [key, found] of linesOf(owner, { before: null, sinceFirst: null, sizes: [] }, lookup)) {
        const known = this.garbage.get(key);
        if (known === undefined || waitOf(found) > waitOf(known)) this.garbage.set(key, found);
      }
    }
  }

  /** What was seen of one line. */
  of(line: Pick<OwnerLine, 'file' | 'line' | 'function'>): RecordedLine {
    const owners = this.byLine.get(line.function === STACKLESS_FUNCTION ? stacklessKey(line) : keyOf(line)) ?? [];
    const { lastSearch, isComplete } = this;
    const garbage = this.garbage.get(keyOf(line)) ?? null;
    if (owners.length === 0) return { owners, holder: null, garbage, lastSearch, isComplete };
    // The modules in a list are owners with one name and one statement.
    const sums = new Map<string, { bytes: Bytes; first: LineOwner }>();
    for (const one of owners) {
      const sum = getOrAdd(sums, nameKey(one), () => ({ bytes: 0, first: one }));
      sum.bytes += one.bytes;
      if (one.bytes > sum.first.bytes) sum.first = one;
    }
    const total = (one: LineOwner): Bytes => sums.get(nameKey(one))?.bytes ?? 0;
    const sorted = [...owners].sort((a, b) => total(b) - total(a) || b.bytes - a.bytes);
    const named = sorted.find(isNamed);
    const holder = named === undefined ? null : (sums.get(nameKey(named))?.first ?? null);
    return { owners: sorted, holder, garbage, lastSearch, isComplete };
  }
}

/** The statement of the user with the owners that hold most of what grows and has no stack. */
function stacklessHolder(owners: readonly RecordedOwner[], lookup: FileLookup): OwnerLine | null {
  const sums = new Map<string, { readonly line: OwnerLine; bytes: Bytes }>();
  for (const owner of owners) {
    if (owner.place === null || !isGrowing({ owner })) continue;
    const line = userLine({ ...owner.place, function: STACKLESS_FUNCTION }, lookup);
    if (line === null) continue;
    getOrAdd(sums, keyOf(line), () => ({ line, bytes: 0 })).bytes += stacklessBytes(owner);
  }
  const filled = [...sums.values()].filter(({ bytes }) => bytes > 0);
  return filled.sort((a, b) => b.bytes - a.bytes).at(0)?.line ?? null;
}

/** Bytes of an owner whose allocation has no Python stack. */
function stacklessBytes({ bytes, allocatedAt }: RecordedOwner): Bytes {
  return bytes - allocatedAt.reduce((sum, line) => sum + line.bytes, 0);
}

/** Steps over which the memory of a cycle was allocated: as long, its oldest part waits for the collector. */
export function waitOf({ owner: { allocatedSteps } }: LineOwner): number {
  return allocatedSteps === null || allocatedSteps.steps <= PASSING_STEPS
    ? 0
    : allocatedSteps.last - allocatedSteps.first;
}

/** An owner by the lines that allocated its memory. */
function linesOf(
  owner: RecordedOwner,
  known: Pick<LineOwner, 'before' | 'sinceFirst' | 'sizes'>,
  lookup: FileLookup,
): [string, LineOwner][] {
  const mapped = owner.place === null ? null : lookup(owner.place.file);
  const place = owner.place === null ? null : { file: mapped ?? owner.place.file, line: owner.place.line };
  const sums = new Map<string, Bytes>();
  for (const { file, line, bytes } of owner.allocatedAt) {
    const key = keyOf({ file: lookup(file) ?? file, line });
    sums.set(key, (sums.get(key) ?? 0) + bytes);
  }
  // What no line allocates belongs to the statement that holds it.
  const rest = stacklessBytes(owner);
  if (place !== null && rest > 0) {
    sums.set(stacklessKey(place), rest);
  }
  return [...sums].map(([key, bytes]) => [key, { owner, bytes, place, isMapped: mapped !== null, ...known }]);
}

/** True if a holder's memory grows: blocks of several steps are in it. */
export function isGrowing({ owner }: Pick<LineOwner, 'owner'>): boolean {
  return owner.allocatedSteps === null || owner.allocatedSteps.steps > PASSING_STEPS;
}

/** True if most of what an owner holds is in the graph of what is stored. */
export function isMostlyGraph({ bytes, graphBytes }: Pick<RecordedOwner, 'bytes' | 'graphBytes'>): boolean {
  return 2 * graphBytes > bytes;
}

/** False for memory without a name, and for a passing variable without a statement. */
function isNamed(one: LineOwner): boolean {
  return one.owner.kind !== 'unnamed' && (one.place !== null || isGrowing(one));
}

function keyOf({ file, line }: RecordedPlace): string {
  return `${file}\n${line}`;
}

function stacklessKey(place: RecordedPlace): string {
  return `${keyOf(place)}\n${STACKLESS_FUNCTION}`;
}

/** Equal for parts of one holder. */
export function nameKey({ owner, place }: LineOwner): string {
  return [owner.kind, owner.name, place?.file, place?.line].join('\n');
}

/** Equal for an owner in two searches. */
function sameKey({ kind, name, place, container }: RecordedOwner): string {
  return JSON.stringify([name, place, kind, container?.type]);
}
