import type { Call } from '../../python/ast.js';
import { isLoop, standings } from '../../python/standings.js';
import type { Sources } from '../sources.js';
import type { Holding } from '../records.js';
import type { FlowNode } from '../values/flowNode.js';
import type { Place } from '../values/objects.js';
import { leadsToSame } from '../values/reachability.js';
import type { Finding, HolderSearch } from './search.js';

/** The place of a loop in the source, from its name; null for any other. */
export function loopPlace(name: string, sources: Sources): Place | null {
  const found = /^(.+):(\d+)$/.exec(name);
  const module = found === null ? null : sources.module(found[1]);
  if (found === null || module === null) return null;
  const from = Number(found[2]);
  const loop = standings(module.body).find(({ statement }) => isLoop(statement) && statement.from === from)?.statement;
  return { module, span: loop ?? { from, to: from } };
}

/**
 * The loop in which training continues after all loops around the watched line, as after a search for a learning rate.
 * It limits growth in the first one. Null if there is none.
 */
export function nextLoop({ machine }: HolderSearch): Place | null {
  const watched = machine.watchedLoops ?? [];
  const last = Math.max(...watched.map(({ round }) => round));
  const around = new Set(watched.map(({ loop }) => loop));
  for (const { loops, kind, entrance } of machine.steps) {
    if (kind === 'backward' || loops.length === 0) continue;
    // A loop may run again, for another caller.
    if (entrance <= machine.watchedEntrance && loops.some(({ loop }) => around.has(loop))) continue;
    const [{ loop, round }] = loops;
    const place = round > last ? loopPlace(loop, machine.sources) : null;
    if (place !== null) return place;
  }
  return null;
}

/**
 * True if a finding stores values under keys that never repeat: numbers that the outermost training loop counts, those
 * of a counter, a growing length, tensors of the step, or their stored ids.
 */
export function hasNewKeys({ module, span }: Finding, search: HolderSearch): boolean {
  return search.holdingsAt({ module, span }).some((holding) => isNewKey(holding, search));
}

function isNewKey({ key, value, container }: Holding, search: HolderSearch): boolean {
  if (key === null) return false;
  const { known, node } = key;
  const { names } = search.loops;
  if (known?.kind === 'unique') return true;
  if (known?.kind === 'drawn')
    return known.loop === names[0] && (counts(known.loop, search) || (known.from as Partial<Call>).kind === 'call');
  if (known?.kind === 'length')
    return container?.kind === 'container' && container.node === known.of && container.removals.length === 0;
  const of = known?.kind === 'identity' ? known.of : node;
  const isMadeInStep = ({ made }: FlowNode): boolean => made?.some(({ loop }) => loop === names.at(-1)) === true;
  // Tensors differ as keys, with any content. An id is reused after its object is freed.
  if (known === null) return [node, ...node.same].some((one) => one.isTensor && isMadeInStep(one));
  return leadsToSame(value.node, of, search.machine) && isMadeInStep(of);
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
