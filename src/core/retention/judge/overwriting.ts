import type { Keeper } from '../keeper.js';
import type { Value } from '../values/things.js';
import type { Trial } from './trial.js';

/**
 * True if each round of a loop puts a value under the keys under which the one before it has put its values, so that
 * nothing becomes more: under a constant, under the names of layers.
 * @param outlived the loop, of the training's, whose rounds the container outlives
 */
export function overwrites({ key, place, loops }: Keeper, outlived: number, trial: Trial): boolean {
  const { names } = trial.loops;
  if (key === null) return false;
  if (key.known?.kind === 'constant') return true;
  // One of what these very loops draw is another in each of their rounds.
  if (key.known?.kind === 'drawn' && names.slice(0, outlived + 1).includes(key.known.loop)) return false;
  const round = roundOf(loops, names[outlived]);
  const identity = identityOf(key);
  return trial
    .keepersAt(place)
    .some(
      (other) =>
        other.key !== null && roundOf(other.loops, names[outlived]) !== round && identityOf(other.key) === identity,
    );
}

/** True if a value takes the place of an item of a list to which nothing is added: it is as long as it was made. */
export function replacesItems({ key, container }: Keeper, trial: Trial): boolean {
  if (key === null || container?.kind !== 'container' || container.type !== 'list') return false;
  return trial.machine.keepers.every((other) => other.container !== container || other.key !== null);
}

function identityOf({ node, known }: Value): object {
  return known?.kind === 'drawn' ? known.from : node;
}

function roundOf(loops: Keeper['loops'], name: string): number | null {
  return loops.find(({ loop }) => loop === name)?.round ?? null;
}
