import type { RecordedContainer, RecordedOwner } from '../model/recording.js';
import type { Bytes } from '../model/units.js';
import type { FullSize, KnownBound } from './evidence.js';
import { holderName } from './holderName.js';
import { isGrowing, type LineOwner, PASSING_STEPS, type RecordedLine } from './recordedFacts.js';

/** Share of a line's growth that bounded containers must hold: the rest may be too young for the search. */
export const EXPLAINED = 2 / 3;

interface Bounded extends RecordedOwner {
  readonly container: RecordedContainer & { readonly maxlen: number };
}

/**
 * The bound of a line's growth that Python itself shows (`deque(maxlen=…)`, `lru_cache(maxsize=…)`), or null; null too if
 * the line exceeds it.
 * @param growing live bytes of the growing part of the line, one per snapshot
 */
export function recordedBound({ owners, lastSearch }: RecordedLine, growing: readonly Bytes[]): KnownBound | null {
  let most: (LineOwner & { readonly owner: Bounded }) | null = null;
  let explained = 0;
  for (const one of owners) {
    if (isBounded(one)) {
      if (hasOutgrown(one)) return null;
      if (one.bytes > (most?.bytes ?? 0)) most = one;
      explained += one.bytes;
    } else if (isGrowing(one)) return null;
  }
  if (most?.place == null || explained < EXPLAINED * growing[lastSearch]) return null;
  const { owner, place } = most;
  const { type, length, maxlen } = owner.container;
  const isFull = length >= maxlen;
  return {
    name: holderName(owner.name),
    place,
    limit: { kind: 'container', type, items: maxlen },
    isFull,
    full: isFull || length === 0 ? null : fullSize(owner.bytes / lookedAt(owner), length, maxlen, true),
  };
}

/** True if the recorder saw a bounded container hold memory of the line. */
export function hasRecordedBound({ owners }: RecordedLine): boolean {
  return owners.some(isBounded);
}

/**
 * False if the recorder saw the line's memory grow outside of one container, or beyond its bound.
 * @param isIt true if an owner may be that container
 */
export function agrees({ owners }: RecordedLine, isIt: (one: LineOwner) => boolean): boolean {
  return owners.filter(isGrowing).every((one) => isIt(one) && !(isBounded(one) && hasOutgrown(one)));
}

/** Items whose bytes were counted: with one per step, the youngest are not looked at yet. */
function lookedAt({ container: { length }, allocatedSteps }: Bounded): number {
  const steps = allocatedSteps?.steps ?? 0;
  return steps > 0 && steps < length && length - steps <= PASSING_STEPS ? steps : length;
}

/** True if it grew without more items: through graphs, or inside of its items. */
function hasOutgrown({ owner, before }: LineOwner & { readonly owner: Bounded }): boolean {
  const { container } = owner;
  if (owner.graphBytes > 0 && (owner.allocatedSteps?.steps ?? 0) > container.maxlen) return true;
  return before !== null && before.bytes < owner.bytes && (before.container?.length ?? 0) >= container.length;
}

/** The bytes of a container with `most` items, estimated from the items that it has now. */
export function fullSize(bytesPerItem: number, items: number, max: number, isExact: boolean): FullSize {
  const moreBytes = Math.round(bytesPerItem * Math.max(0, max - items));
  return { bytes: Math.round(bytesPerItem * items) + moreBytes, moreBytes, isExact };
}

function isBounded(one: LineOwner): one is LineOwner & { readonly owner: Bounded } {
  return one.owner.container !== null && one.owner.container.maxlen !== null;
}
