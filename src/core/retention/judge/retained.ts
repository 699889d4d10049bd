import type { Keeper, MostKind } from '../keeper.js';
import { larger } from '../values/flowNode.js';
import type { Room } from '../values/known.js';
import type { LoopRound } from '../values/loopRound.js';
import { keptBy } from '../values/reachability.js';
import { placeKey, type Place, type ReleaseKind } from '../values/things.js';
import { loopPlace } from './loopPlace.js';
import { overwrites, replacesItems } from './overwriting.js';
import type { Trial } from './trial.js';

/**
 * Where a release runs: in the loop whose rounds are steps, in a loop around that, after all loops, when a library calls
 * it, or that is not known.
 */
export type Where = 'step' | 'enclosing' | 'after' | 'library' | 'unknown';

/** A statement that was followed, and releases what the watched line allocates. */
export interface FollowedRelease {
  readonly place: Place;
  readonly kind: ReleaseKind;
  readonly where: Where;
  readonly isConditional: boolean;
}

/** A bound of what keeps what the watched line allocates. */
export interface FollowedBound {
  readonly place: Place;
  readonly kind: MostKind | 'fixed' | 'graph';
  readonly most: Room | null;
}

/** What was met on the objects that keep what the watched line allocates. */
export interface Retained {
  readonly releases: readonly FollowedRelease[];
  readonly bounds: readonly FollowedBound[];
}

/** The releases and bounds that were met on what keeps what the watched line allocates. */
export function retainedIn(trial: Trial): Retained {
  const releases = new Map<string, FollowedRelease>();
  const bounds = new Map<string, FollowedBound>();
  const { names } = trial.loops;
  const bound = (one: FollowedBound): void => {
    bounds.set(`${placeKey(one.place)}:${one.kind}`, one);
  };
  const release = (place: Place, kind: ReleaseKind, where: Where, isConditional: boolean): void => {
    const key = `${placeKey(place)}:${kind}`;
    const known = releases.get(key);
    // Of all its runs, the one that is surest to come.
    releases.set(key, { place, kind, where, isConditional: isConditional && (known?.isConditional ?? true) });
  };
  for (const keeper of trial.machine.keepers) {
    const outlived = outlivedBy(keeper, trial);
    if (outlived === null) continue;
    const { container, place, most, mostBy } = keeper;
    if (most !== null && mostBy !== null) bound({ place, kind: mostBy, most });
    if (container?.kind !== 'container') continue;
    if (container.bounded && most === null) bound({ place, kind: 'length', most: null });
    if (replacesItems(keeper, trial)) bound({ place, kind: 'fixed', most: null });
    for (const cleared of container.cleared) {
      const where = whereOf(cleared.loops, names);
      if (where === 'after' && !cleared.isLater) continue;
      release(cleared.place, cleared.kind, where, cleared.isConditional);
      if (cleared.most !== null) bound({ place: cleared.place, kind: 'test', most: cleared.most });
    }
    for (const { loop } of container.born) {
      const at = names.includes(loop) ? loopPlace(loop, trial.machine.sources) : null;
      if (at !== null) release(at, 'remake', whereOf([{ loop, round: 0 }], names), false);
    }
  }
  for (const { place, loops, every } of trial.machine.releases) {
    if (trial.loops.outlived(loops, []) === null) continue;
    bound({ place, kind: 'graph', most: { text: String(every), count: every } });
  }
  return { releases: [...releases.values()], bounds: [...bounds.values()] };
}

/** The loop whose rounds outlives what a statement retains of the watched line's; null where it retains nothing. */
function outlivedBy(keeper: Keeper, trial: Trial): number | null {
  if (keeper.kind !== 'put' && keeper.kind !== 'cache' && keeper.kind !== 'error') return null;
  const outlived = trial.loops.outlived(keeper.loops, keeper.container?.born ?? []);
  if (outlived === null || overwrites(keeper, outlived, trial)) return null;
  const kept = keptBy(keeper.value.node);
  return larger(kept.data, kept.graph) < 2 ? null : outlived;
}

function whereOf(loops: readonly LoopRound[], names: readonly string[]): Where {
  const inside = new Set(loops.map(({ loop }) => loop));
  const deepest = names.findLastIndex((loop) => inside.has(loop));
  return deepest < 0 ? 'after' : deepest === names.length - 1 ? 'step' : 'enclosing';
}
