import { OUTSIDE } from '../interpret/machine.js';
import type { Holding, LimitKind } from '../records.js';
import { type LoopRound, type ItemLimit, type Sureness, larger } from '../values/flowNode.js';
import { type Place, type ReleaseKind, type Removal, placeKey } from '../values/objects.js';
import { holders } from './holders.js';
import { loopPlace } from './loops.js';
import { overwrites, replacesItems, type Candidate, type Finding, type HolderSearch } from './search.js';

/** A bounded holder of the watched line's memory, at the statement that stores into it, or releases from it. */
export interface Limit extends Place, Pick<Holding, 'holder'> {
  /** Maximum number of items; null if a loop around the steps releases them. */
  readonly max: ItemLimit | null;
  /** True for a graph of several steps that a periodic backward pass frees, false for a container. */
  readonly isGraph: boolean;
}

/** The bounded holder, if its bound is certain and there is no other holder. */
export function limitOf(search: HolderSearch): Limit | null {
  const limits = new Map<string, Limit & { readonly sureness: Sureness }>();
  const endless = new Set<string>();
  for (const holding of search.machine.holdings) {
    const sureness = holding.kind === 'error' ? null : surenessOf(holding, search);
    if (sureness === null) continue;
    const key = placeKey(holding.place);
    const limit = limitIn(holding, search);
    if (limit === null) endless.add(key);
    else limits.set(key, { ...holding.place, holder: holding.holder, max: limit.max, isGraph: false, sureness });
  }
  for (const { place, root, loops, every } of search.machine.releases) {
    if (search.loops.outlived(loops, []) === null) continue;
    const max = { text: String(every), count: every };
    limits.set(placeKey(place), { ...place, holder: root, max, isGraph: true, sureness: 2 });
  }
  const isKnown = (finding: Finding): boolean => {
    const key = placeKey(finding);
    return limits.has(key) && !endless.has(key);
  };
  if (holders(search).some((other) => other.sureness >= 2 && !isKnown(other))) return null;
  const sorted = [...limits].filter(([key]) => !endless.has(key)).sort(([, a], [, b]) => b.sureness - a.sureness);
  return sorted.length === 0 ? null : sorted[0][1];
}

/** The bound of a container: a maximum, or a loop around its insertions that empties it; null without one. */
function limitIn(holding: Holding, search: HolderSearch): Pick<Limit, 'max'> | null {
  const { max, container, loops } = holding;
  if (max !== null) return { max };
  if (container?.kind !== 'container') return null;
  if (replacesItems(holding, search)) return { max: { text: `len(${holding.holder})`, count: null } };
  const around = new Set(
    loops.map(({ loop }) => loop).filter((loop) => search.loops.names.includes(loop) && isSeen(loop)),
  );
  const isAround = (rounds: readonly LoopRound[]): boolean => rounds.some(({ loop }) => around.has(loop));
  const cleared = container.removals.filter((one) => one.isThorough && isAround(one.loops));
  const counted = cleared.find((one) => one.max !== null);
  if (counted !== undefined) return counted;
  // A statement under a condition may never run, so it is a release and not a bound.
  return cleared.some((one) => !one.isConditional) || isAround(container.madeIn) ? { max: null } : null;
}

/** A loop in the source. */
function isSeen(loop: string): boolean {
  return loop !== OUTSIDE && !loop.startsWith('library:');
}

/** Where a release runs: in the loop of the steps, in an outer loop, after all loops, from a library, or unknown. */
export type Where = 'step' | 'enclosing' | 'after' | 'library' | 'unknown';

/** An interpreted statement that releases the watched line's memory. */
export interface FollowedRelease extends Pick<Removal, 'place' | 'kind' | 'isConditional'> {
  readonly where: Where;
}

/** A bound of the holder. */
export interface FollowedBound {
  readonly place: Place;
  readonly kind: LimitKind | 'fixed' | 'graph' | 'keys';
  readonly max: ItemLimit | null;
}

/** The releases and bounds of all holders of the watched line's memory. */
export interface Retained {
  readonly releases: readonly FollowedRelease[];
  readonly bounds: readonly FollowedBound[];
}

/**
 * Collects the releases and bounds of the holders.
 * @param finding the best of them: if it certainly outlives all loops, those that a loop makes again do not matter, and if
 * it has the memory itself, a backward pass frees none of it
 */
export function retainedIn(search: HolderSearch, finding: Candidate | null): Retained {
  const onlyLasting = finding?.sureness === 3 && finding.remade === 0;
  const releases = new Map<string, FollowedRelease>();
  const bounds = new Map<string, FollowedBound>();
  const { names } = search.loops;
  const bound = (one: FollowedBound): void => {
    bounds.set(`${placeKey(one.place)}:${one.kind}`, one);
  };
  const release = (place: Place, kind: ReleaseKind, where: Where, isConditional: boolean): void => {
    const key = `${placeKey(place)}:${kind}`;
    const known = releases.get(key);
    // The most certain run of the release counts.
    releases.set(key, { place, kind, where, isConditional: isConditional && (known?.isConditional ?? true) });
  };
  for (const holding of search.machine.holdings) {
    if (surenessOf(holding, search) === null) continue;
    const { container, place, max, maxBy } = holding;
    if (onlyLasting && search.loops.timesRemade(container?.madeIn ?? []) > 0) continue;
    if (max !== null && maxBy !== null) bound({ place, kind: maxBy, max });
    else if (holding.kind === 'cache' && holding.key !== null) bound({ place, kind: 'keys', max: null });
    if (container?.kind !== 'container') continue;
    if (container.bounded && max === null) bound({ place, kind: 'length', max: null });
    if (replacesItems(holding, search)) bound({ place, kind: 'fixed', max: null });
    for (const cleared of container.removals) {
      const where = whereOf(cleared.loops, names);
      if (where === 'after' && !cleared.isLater) continue;
      release(cleared.place, cleared.kind, where, cleared.isConditional);
      if (cleared.max !== null) bound({ place: cleared.place, kind: 'test', max: cleared.max });
    }
    for (const { loop } of container.madeIn) {
      const at = names.includes(loop) ? loopPlace(loop, search.machine.sources) : null;
      if (at !== null) release(at, 'remake', whereOf([{ loop, round: 0 }], names), false);
    }
  }
  for (const { place, loops, every } of finding?.hasData === true ? [] : search.machine.releases) {
    if (search.loops.outlived(loops, []) === null) continue;
    bound({ place, kind: 'graph', max: { text: String(every), count: every } });
  }
  return { releases: [...releases.values()], bounds: [...bounds.values()] };
}

/** How sure it is that what a statement retains outlives iterations; null if it retains nothing of them. */
function surenessOf(holding: Holding, search: HolderSearch): Sureness | null {
  if (holding.kind !== 'put' && holding.kind !== 'cache' && holding.kind !== 'error') return null;
  const outlived = search.loops.outlived(holding.loops, holding.container?.madeIn ?? []);
  // An object that each step makes does not grow over steps.
  if (outlived === null || overwrites(holding, outlived, search)) return null;
  const held = search.held(holding.value.node);
  const sureness = larger(held.data, held.graph);
  return sureness < 2 ? null : sureness;
}

function whereOf(loops: readonly LoopRound[], names: readonly string[]): Where {
  const inside = new Set(loops.map(({ loop }) => loop));
  const deepest = names.findLastIndex((loop) => inside.has(loop));
  return deepest < 0 ? 'after' : deepest === names.length - 1 ? 'step' : 'enclosing';
}
