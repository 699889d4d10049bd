import { isLoop, standings } from '../../python/standings.js';
import type { Sources } from '../sources.js';
import type { Place } from '../values/objects.js';
import type { Finding, HolderSearch } from './search.js';

/** Where a loop of the source stands; null of any other. Its name says it. */
export function loopPlace(name: string, sources: Sources): Place | null {
  const found = /^(.+):(\d+)$/.exec(name);
  const module = found === null ? null : sources.module(found[1]);
  if (found === null || module === null) return null;
  const from = Number(found[2]);
  const loop = standings(module.body).find(({ statement }) => isLoop(statement) && statement.from === from)?.statement;
  return { module, span: loop ?? { from, to: from } };
}

/**
 * The loop in which training goes on when all loops around the watched line are over, as after a search of a learning
 * rate: what grows in the first one grows no longer than that takes. Null if there is none.
 */
export function nextLoop({ machine }: HolderSearch): Place | null {
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

/**
 * True if what a finding names is put under numbers that the outermost of the training's loops counts: each is another
 * one than all before.
 */
export function hasNewKeys({ module, span }: Finding, search: HolderSearch): boolean {
  const outermost = search.loops.names.at(0);
  return search
    .holdingsAt({ module, span })
    .some(({ key }) => key?.known?.kind === 'drawn' && key.known.loop === outermost && counts(outermost, search));
}

/** `for step in range(…)` */
function counts(loop: string, { machine }: HolderSearch): boolean {
  const place = loopPlace(loop, machine.sources);
  return standings(place?.module.body ?? []).some(({ statement }) => {
    if (statement.from !== place?.span.from || statement.kind !== 'for') return false;
    const { iterable } = statement;
    return iterable.kind === 'call' && iterable.callee.kind === 'name' && iterable.callee.name === 'range';
  });
}
