import type { Span } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import type { Keeper } from '../keeper.js';
import { larger, type Sureness } from '../values/flowNode.js';
import type { Room } from '../values/known.js';
import type { LoopRound } from '../values/loopRound.js';
import { keptBy } from '../values/reachability.js';
import { placeKey } from '../values/things.js';
import { OUTSIDE } from '../follow/machine.js';
import type { Finding } from './finding.js';
import { keepers } from './keepers.js';
import { overwrites, replacesItems } from './overwriting.js';
import type { Trial } from './trial.js';

/** What keeps what the watched line allocates, and cannot grow for ever. */
export interface Limit {
  readonly module: PythonModule;
  /** The statement that puts it there, or lets go of it. */
  readonly span: Span;
  readonly holder: string;
  /** Items that it holds at most; null where a loop around the steps lets go of them. */
  readonly most: Room | null;
  /** It is no container, but a graph of several steps, that a backward frees every so many. */
  readonly isGraph: boolean;
}

/** What keeps what the line allocates, if it is sure not to grow for ever and nothing else keeps it. */
export function limitOf(trial: Trial): Limit | null {
  const limits = new Map<string, Limit & { readonly sureness: Sureness }>();
  const endless = new Set<string>();
  for (const keeper of trial.machine.keepers) {
    if (keeper.kind !== 'put' && keeper.kind !== 'cache') continue;
    const outlived = trial.loops.outlived(keeper.loops, keeper.container?.born ?? []);
    // What each step makes anew is not what grows.
    if (outlived === null || overwrites(keeper, outlived, trial)) continue;
    const kept = keptBy(keeper.value.node);
    const sureness = larger(kept.data, kept.graph);
    if (sureness < 2) continue;
    const { module, span } = keeper.place;
    const key = placeKey(keeper.place);
    const limit = limitIn(keeper, trial);
    if (limit === null) endless.add(key);
    else limits.set(key, { module, span, holder: keeper.holder, most: limit.most, isGraph: false, sureness });
  }
  for (const { place, root, loops, every } of trial.machine.releases) {
    if (trial.loops.outlived(loops, []) === null) continue;
    const most = { text: String(every), count: every };
    limits.set(placeKey(place), { ...place, holder: root, most, isGraph: true, sureness: 2 });
  }
  const isKnown = (finding: Finding): boolean => {
    const key = placeKey(finding);
    return limits.has(key) && !endless.has(key);
  };
  if (keepers(trial).some((other) => other.sureness >= 2 && !isKnown(other))) return null;
  const sorted = [...limits].filter(([key]) => !endless.has(key)).sort(([, a], [, b]) => b.sureness - a.sureness);
  return sorted.length === 0 ? null : sorted[0][1];
}

/** How a container is full some time, or loses its items in a loop that runs around what is put in; null if it is not. */
function limitIn(keeper: Keeper, trial: Trial): Pick<Limit, 'most'> | null {
  const { most, container, loops } = keeper;
  if (most !== null) return { most };
  if (container?.kind !== 'container') return null;
  if (replacesItems(keeper, trial)) return { most: { text: `len(${keeper.holder})`, count: null } };
  const around = new Set(
    loops.map(({ loop }) => loop).filter((loop) => trial.loops.names.includes(loop) && isSeen(loop)),
  );
  const isAround = (rounds: readonly LoopRound[]): boolean => rounds.some(({ loop }) => around.has(loop));
  const cleared = container.cleared.filter((one) => one.isThorough && isAround(one.loops));
  const counted = cleared.find((one) => one.most !== null);
  if (counted !== undefined) return counted;
  return cleared.length > 0 || isAround(container.born) ? { most: null } : null;
}

/** A loop that stands in the source. */
function isSeen(loop: string): boolean {
  return loop !== OUTSIDE && !loop.startsWith('library:');
}
