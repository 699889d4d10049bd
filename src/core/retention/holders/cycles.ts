import type { Reference } from '../records.js';
import { larger } from '../values/flowNode.js';
import { type PyObject, valueOf } from '../values/objects.js';
import { selfHooks } from './holders.js';
import { type Candidate, NAMELESS, type HolderSearch } from './search.js';

/** Objects that refer to each other, and hold what the line allocates. */
function circles(search: HolderSearch): Candidate[] {
  const { references } = search.machine;
  const next = new Map<PyObject, Reference[]>();
  for (const reference of references) {
    const list = next.get(reference.from);
    if (list === undefined) next.set(reference.from, [reference]);
    else list.push(reference);
  }
  const candidates: Candidate[] = [];
  for (const reference of references) {
    const { from, to } = reference;
    if (from.kind === 'class' || !isMadeInside(from, search.loops.names)) continue;
    if (!leadsTo(to, from, next)) continue;
    if (!('node' in from)) continue;
    const held = search.held(from.node);
    const candidate = search.candidate(
      {
        kind: 'cycle',
        place: reference.place,
        holder: reference.text,
        ...NAMELESS,
        value: valueOf(from.node),
        every: null,
      },
      { data: larger(held.data, held.graph), graph: 0 },
      0,
    );
    if (candidate !== null) candidates.push(candidate);
  }
  return candidates;
}

/** What only the garbage collector releases. */
export function cycles(search: HolderSearch): Candidate[] {
  const contexts = search.machine.holdings
    .filter(({ kind }) => kind === 'context' || kind === 'doubleBackward')
    .flatMap((holding) => search.candidate(holding, search.held(holding.value.node), 1) ?? []);
  return [...contexts, ...selfHooks(search), ...circles(search)];
}

function isMadeInside(object: PyObject, loops: readonly string[]): boolean {
  return 'madeIn' in object && object.madeIn.some(({ loop }) => loops.includes(loop));
}

/** The things that a thing refers to by itself, without a statement. */
function inner(object: PyObject): readonly PyObject[] {
  if (object.kind === 'container')
    return [...object.elements, ...[...object.attrs.values()].flatMap(({ objects }) => objects)];
  if (object.kind !== 'function') return [];
  const self = object.self?.objects ?? [];
  const around = object.scope.outer === null ? [] : [...object.scope.names.values()].flatMap(({ objects }) => objects);
  return [...self, ...around];
}

function leadsTo(start: PyObject, goal: PyObject, next: ReadonlyMap<PyObject, readonly Reference[]>): boolean {
  const seen = new Set<PyObject>([start]);
  for (const at of seen) {
    if (at === goal) return true;
    if (seen.size > 500 || at.kind === 'class') continue;
    for (const { to } of next.get(at) ?? []) seen.add(to);
    for (const to of inner(at)) seen.add(to);
  }
  return false;
}
