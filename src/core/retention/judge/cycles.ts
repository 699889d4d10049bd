import type { Reference } from '../keeper.js';
import { larger } from '../values/flowNode.js';
import { keptBy } from '../values/reachability.js';
import { valueOf, type Thing } from '../values/things.js';
import type { Candidate } from './finding.js';
import { selfHooks } from './hooks.js';
import { NAMELESS, type Trial } from './trial.js';

/** Objects that refer to each other, and hold what the line allocates. */
function circles(trial: Trial): Candidate[] {
  const { references } = trial.machine;
  const next = new Map<Thing, Reference[]>();
  for (const reference of references) {
    const list = next.get(reference.from);
    if (list === undefined) next.set(reference.from, [reference]);
    else list.push(reference);
  }
  const candidates: Candidate[] = [];
  for (const reference of references) {
    const { from, to } = reference;
    if (from.kind === 'class' || !isMadeInside(from, trial.loops.names)) continue;
    if (!leadsTo(to, from, next)) continue;
    if (!('node' in from)) continue;
    const kept = keptBy(from.node);
    const candidate = trial.candidate(
      {
        kind: 'cycle',
        place: reference.place,
        holder: reference.text,
        ...NAMELESS,
        value: valueOf(from.node),
        every: null,
      },
      { data: larger(kept.data, kept.graph), graph: 0 },
      // The reference back to what was there before is the one to weaken.
      from.kind === 'instance' && isOlder(to, from, references) ? 2 : 0,
    );
    if (candidate !== null) candidates.push(candidate);
  }
  return candidates;
}

/** What only the garbage collector lets go of. */
export function cycles(trial: Trial): Candidate[] {
  const contexts = trial.machine.keepers
    .filter(({ kind }) => kind === 'context' || kind === 'doubleBackward')
    .flatMap((keeper) => trial.candidate(keeper, keptBy(keeper.value.node), 1) ?? []);
  return [...contexts, ...selfHooks(trial), ...circles(trial)];
}

function isMadeInside(thing: Thing, loops: readonly string[]): boolean {
  return 'born' in thing && thing.born.some(({ loop }) => loops.includes(loop));
}

/** The things that a thing refers to by itself, without a statement. */
function inner(thing: Thing): readonly Thing[] {
  if (thing.kind === 'container')
    return [...thing.elements, ...[...thing.attrs.values()].flatMap(({ things }) => things)];
  if (thing.kind !== 'function') return [];
  const self = thing.self?.things ?? [];
  const around = thing.scope.outer === null ? [] : [...thing.scope.names.values()].flatMap(({ things }) => things);
  return [...self, ...around];
}

function leadsTo(start: Thing, goal: Thing, next: ReadonlyMap<Thing, readonly Reference[]>): boolean {
  const seen = new Set<Thing>([start]);
  for (const at of seen) {
    if (at === goal) return true;
    if (seen.size > 500 || at.kind === 'class') continue;
    for (const { to } of next.get(at) ?? []) seen.add(to);
    for (const to of inner(at)) seen.add(to);
  }
  return false;
}

/** True if `other` was there before `thing`: it was referred to, or referred, earlier. */
function isOlder(other: Thing, thing: Thing, references: readonly Reference[]): boolean {
  const first = (one: Thing): number => {
    const at = references.findIndex(({ from, to }) => from === one || to === one);
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  };
  return first(other) < first(thing);
}
