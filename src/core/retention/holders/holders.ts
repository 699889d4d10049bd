import { groupBy } from '../../maps.js';
import { allStatements, bodiesOf } from '../../python/pythonModule.js';
import { isLoop } from '../../python/standings.js';
import { assigns } from '../../python/walk.js';
import { isClearedElsewhere } from '../names/callers.js';
import { statementAt } from '../names/names.js';
import type { Assigned, Holding, Reference } from '../records.js';
import { type FlowNode, larger, type Sureness } from '../values/flowNode.js';
import { placeKey, type PyObject, valueOf } from '../values/objects.js';
import { behind, dataHeld, graphHeld, graphLeadsTo, leads, type Held, isPartOf } from '../values/reachability.js';
import { type Candidate, type HolderSearch, NAMELESS, overwrites, replacesItems } from './search.js';

/** All permanent holders. */
export function holders(search: HolderSearch): Candidate[] {
  const candidates = search.machine.holdings.flatMap((holding) => candidateOf(holding, search) ?? []);
  candidates.push(...hooks(search), ...selfHooks(search), ...chains(search), ...autocasts(search));
  return candidates;
}

/** Holders whose content is released later. */
export function releasedHolders(search: HolderSearch): Candidate[] {
  return search.machine.holdings.flatMap((holding) => {
    if (holding.kind === 'doubleBackward' || holding.kind === 'context') return [];
    const outlived = search.loops.outlived(holding.loops, holding.container?.madeIn ?? []);
    if (outlived === null || !isEnded(holding, search)) return [];
    return search.candidate(holding, search.held(holding.value.node), 0) ?? [];
  });
}

function candidateOf(holding: Holding, search: HolderSearch): Candidate | null {
  const { container, loops, kind } = holding;
  if (kind === 'doubleBackward') {
    if (dropsGradients(holding)) return null;
  } else if (kind === 'context') {
    return search.candidate(holding, search.held(holding.value.node), 0);
  }
  const outlived = search.loops.outlived(loops, container?.madeIn ?? []);
  if (outlived === null || isEnded(holding, search)) return null;
  if (overwrites(holding, outlived, search) || replacesItems(holding, search)) return null;
  const held = search.held(holding.value.node);
  const inStep = outlived === search.loops.names.length - 1;
  return search.candidate(holding, holding.guessed ? atMost(held, 2) : held, inStep ? 1 : 0);
}

/** True if a holder is bounded, or releases its content. */
function isEnded(holding: Holding, { machine }: HolderSearch): boolean {
  const { container, max, guessed, holder, attribute, place } = holding;
  if (max !== null || (guessed && machine.emptied.has(holder))) return true;
  if (container?.kind === 'container') {
    if (container.bounded || container.removals.some(({ loops }) => loops.length > 0)) return true;
  }
  return attribute !== null && isClearedElsewhere(attribute, place, machine.sources.read);
}

/**
 * Gradients that are set to None in the same function hold no memory. Before the backward pass, that frees those of the
 * pass before, unless each round makes the network itself, as a copy.
 */
function dropsGradients({ place }: Holding): boolean {
  const { module, span } = place;
  const { outer = [], within } = statementAt(place) ?? {};
  if (within == null) return false;
  const round = outer.slice(outer.indexOf(within)).findLast((one) => one === within || isLoop(one)) ?? within;
  const isMade = (name: string): boolean =>
    bodiesOf(round)
      .flatMap(allStatements)
      .some((one) => one.kind === 'assign' && assigns(one, (to) => to.kind === 'name' && to.name === name));
  return [...module.text.slice(within.from, within.to).matchAll(DROPS_GRADIENTS)].some(
    ({ index, 1: root }) => within.from + index >= span.to || !isMade(root),
  );
}

/** `net.zero_grad()`, `p.grad = None` */
const DROPS_GRADIENTS = /\b(\w+)[\w.]*\.(?:zero_grad\s*\(|grad\s*=\s*None\b)/g;

function atMost(held: Held, max: Sureness): Held {
  return { data: held.data < max ? held.data : max, graph: held.graph < max ? held.graph : max };
}

/** Variables whose new values contain their old ones: through graphs, or by concatenation. */
function chains(search: HolderSearch): Candidate[] {
  const groups = groupBy(search.machine.assigned, ({ place, target }) => `${placeKey(place)}:${target}`);
  return [...groups.values()].flatMap((group) => {
    // A statement may run last in another loop, for another object, as in a validation.
    const latest = new Map(group.map((one) => [one.loops.map(({ loop }) => loop).join(), one]));
    for (const late of [...latest.values()].toReversed()) {
      const links = linksOf(late, group, search);
      if (links.length > 0) return links;
    }
    return [];
  });
}

/** How a value contains one that the same statement assigned in an earlier round. */
function linksOf(late: Assigned, group: readonly Assigned[], search: HolderSearch): Candidate[] {
  const { machine } = search;
  // A variable ends with the call of its function.
  const earlier = group.filter(({ scope, loops }) => scope === late.scope && search.loops.isLater(loops, late.loops));
  const { previous, added } = late;
  const candidates: (Candidate | null)[] = [];
  if (late.concatenates && previous !== null && earlier.some((early) => isPartOf(early.node, previous, machine))) {
    const grown = {
      ...NAMELESS,
      kind: 'grown',
      place: late.place,
      holder: late.target,
      value: valueOf(late.node),
    } as const;
    candidates.push(search.candidate(grown, { data: dataHeld(late.node, machine), graph: 0 }, 1));
  }
  if (earlier.some((early) => graphLeadsTo(late.node, early.node, machine))) {
    const chain = {
      kind: 'chain',
      place: late.place,
      holder: late.target,
      held: late.addedText,
      heldSpan: added === null ? null : late.addedSpan,
      container: null,
      attribute: null,
      value: added ?? valueOf(late.node),
    } as const;
    const found = search.candidate(chain, { data: 0, graph: graphHeld(late.node, machine) }, late.readsItself ? 2 : 1);
    candidates.push(found === null ? null : { ...found, mayDetach: found.mayDetach && added !== null });
  }
  return candidates.flatMap((one) => one ?? []);
}

/** Functions that are registered repeatedly on a permanent object. */
function hooks(search: HolderSearch): Candidate[] {
  return search.machine.hooks.flatMap(({ hook, holding, madeIn }) => {
    if (hook.removed || search.loops.outlived(holding.loops, madeIn) === null) return [];
    return search.candidate(holding, search.held(holding.value.node), 0) ?? [];
  });
}

/** Functions that are registered on values of a step, and refer to these: through the graph, a reference cycle. */
function selfHooks(search: HolderSearch): Candidate[] {
  return search.machine.hooks.flatMap(({ hook, holding, madeIn, on }) => {
    const { loops } = search;
    if (hook.removed || loops.outlived(holding.loops, []) === null) return [];
    if (loops.outlived(holding.loops, madeIn) !== null) return [];
    if (![on, ...on.storage].some((goal) => refersTo(holding.value.node, goal, search))) return [];
    return search.candidate({ ...holding, kind: 'selfHook' }, search.held(holding.value.node), 1) ?? [];
  });
}

function refersTo(start: FlowNode, goal: FlowNode, { machine }: HolderSearch): boolean {
  return leads(start, goal, machine, (at) => [...at.same, ...at.holds, ...(at.content?.() ?? [])]);
}

/** autocast blocks that stay open between steps, and hold the casts of weights of each step. */
function autocasts(search: HolderSearch): Candidate[] {
  const candidates: Candidate[] = [];
  for (const { block, loops, node } of search.machine.autocastWeights) {
    if (search.loops.outlived(loops, block.loops) === null) continue;
    const uses = search.machine.allocated.some((made) => behind(made, search.machine).includes(node));
    const sureness = uses ? 2 : dataHeld(node, search.machine);
    const candidate = search.candidate(
      {
        kind: 'autocast',
        place: { module: block.module, span: block.span },
        holder: "autocast's weight cache",
        ...NAMELESS,
        value: valueOf(node),
      },
      { data: sureness, graph: 0 },
      0,
    );
    if (candidate !== null) candidates.push(candidate);
  }
  return candidates;
}

/** Reference cycles that hold the line's memory. */
function circles(search: HolderSearch): Candidate[] {
  const { references } = search.machine;
  const next = groupBy(references, ({ from }) => from);
  const candidates: Candidate[] = [];
  for (const reference of references) {
    const { from, to } = reference;
    if (from.kind === 'class' || !isMadeInside(from, search.loops.names)) continue;
    if (!leadsTo(to, from, next, search)) continue;
    if (!('node' in from)) continue;
    const held = search.held(from.node);
    const candidate = search.candidate(
      {
        kind: 'cycle',
        place: reference.place,
        holder: reference.text,
        ...NAMELESS,
        value: valueOf(from.node),
      },
      { data: larger(held.data, held.graph), graph: 0 },
      0,
    );
    if (candidate !== null) candidates.push(candidate);
  }
  return candidates;
}

/** Holders that only the garbage collector releases. */
export function cycles(search: HolderSearch): Candidate[] {
  const contexts = search.machine.holdings
    .filter(({ kind }) => kind === 'context' || kind === 'doubleBackward')
    .flatMap((holding) => search.candidate(holding, search.held(holding.value.node), 1) ?? []);
  return [...contexts, ...selfHooks(search), ...circles(search)];
}

function isMadeInside(object: PyObject, loops: readonly string[]): boolean {
  return 'madeIn' in object && object.madeIn.some(({ loop }) => loops.includes(loop));
}

/** Objects that an object refers to without a statement. */
function inner(object: PyObject): readonly PyObject[] {
  if (object.kind === 'container')
    return [...object.elements, ...[...object.attrs.values()].flatMap(({ objects }) => objects)];
  if (object.kind !== 'function') return [];
  const self = object.self?.objects ?? [];
  const around = object.scope.outer === null ? [] : [...object.scope.names.values()].flatMap(({ objects }) => objects);
  return [...self, ...around];
}

function leadsTo(
  start: PyObject,
  goal: PyObject,
  next: ReadonlyMap<PyObject, readonly Reference[]>,
  { machine }: HolderSearch,
): boolean {
  return leads(start, goal, machine, (at) =>
    at.kind === 'class' ? [] : [...(next.get(at) ?? []).map(({ to }) => to), ...inner(at)],
  );
}
