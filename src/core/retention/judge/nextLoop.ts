import type { Place } from '../values/things.js';
import { loopPlace } from './loopPlace.js';
import type { Trial } from './trial.js';

/**
 * The loop in which training goes on when all loops around the watched line are over, as after a search of a learning
 * rate: what grows in the first one grows no longer than that takes. Null if there is none.
 */
export function nextLoop({ machine }: Trial): Place | null {
  const watched = machine.watchedLoops ?? [];
  const last = Math.max(...watched.map(({ round }) => round));
  const around = new Set(watched.map(({ loop }) => loop));
  for (const { loops, kind, entrance } of machine.steps) {
    if (kind === 'backward' || loops.length === 0) continue;
    // The same loop may run again, for another caller.
    if (entrance <= machine.watchedEntrance && loops.some(({ loop }) => around.has(loop))) continue;
    const [{ loop, round }] = loops;
    const place = round > last ? loopPlace(loop, machine.sources) : null;
    if (place !== null) return place;
  }
  return null;
}
