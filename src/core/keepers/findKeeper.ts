import type { Expression, Span, Statement } from '../python/ast.js';
import { forEachStatement, type PythonModule } from '../python/pythonModule.js';
import { expressionsOf, forEachExpression } from '../python/walk.js';
import { bodiesOf } from '../python/pythonModule.js';
import { OUTSIDE, Executor } from './executor.js';
import { behind, dataKept, graphKept, graphLeadsTo, larger, type FlowNode, type Sureness } from './flow.js';
import type { Assigned, Keeper, KeeperKind, PathFrame, Reference } from './keeper.js';
import { Machine, TooMuchWork } from './machine.js';
import type { Sources } from './sources.js';
import { valueOf, type LoopRound, type Place, type Thing } from './things.js';

/** What a finding is looked for: who keeps memory for good, or only until the garbage collector runs. */
export type Growth = 'kept' | 'collected';

/** A statement that keeps what the watched line allocates. */
export interface Finding {
  readonly kind: KeeperKind;
  readonly module: PythonModule;
  /** The statement, or the part of it that keeps. */
  readonly span: Span;
  readonly holder: string;
  readonly kept: string;
  readonly keptSpan: Span | null;
  /** It keeps the memory itself, or a graph that needs it. */
  readonly through: 'data' | 'graph';
  readonly sureness: Sureness;
  /** What is kept can be nothing but a tensor, and no backward ever runs through it. */
  readonly mayDetach: boolean;
  /** Others than the functions that were followed may use what keeps it. */
  readonly isShared: boolean;
}

/** A container that keeps what the watched line allocates, and that cannot grow for ever. */
export interface Limit {
  readonly module: PythonModule;
  /** The statement that puts it there. */
  readonly span: Span;
  readonly holder: string;
  /** Items that it holds at most, as the source says it; null where a loop around the steps lets go of them. */
  readonly most: string | null;
}

/** What following the source along a stack gave. */
export interface Followed {
  readonly finding: Finding | null;
  /** Null as well if anything else may keep what the line allocates. */
  readonly limit: Limit | null;
}

interface Candidate extends Finding {
  readonly score: number;
}

/**
 * Finds the statement that keeps what the innermost frame's line allocates, by following the source along the stack.
 * @param bornEvery steps between two births of what is kept, null where that is not known
 * @returns no finding if none is clearly better than the others
 */
export function findKeeper(
  path: readonly PathFrame[],
  sources: Sources,
  growth: Growth,
  bornEvery: number | null,
): Followed {
  const machine = new Machine(path, sources);
  try {
    new Executor(machine).followPath();
  } catch (error) {
    if (error instanceof TooMuchWork || error instanceof RangeError) return NOTHING;
    throw error;
  }
  if (machine.watchedLoops === null || machine.watchedLoops.length === 0) return NOTHING;
  const judge = new Judge(machine, machine.watchedLoops, bornEvery);
  if (growth === 'collected') return { finding: best(judge.cycles()), limit: null };
  return { finding: best(judge.keepers()), limit: judge.limit() };
}

const NOTHING: Followed = { finding: null, limit: null };

/** The candidate that stands out, null where two others fit as well. */
function best(candidates: readonly Candidate[]): Finding | null {
  const places = new Map<string, Candidate>();
  for (const candidate of candidates) {
    if (candidate.sureness < 2) continue;
    const key = `${candidate.module.file}:${candidate.span.from}`;
    const known = places.get(key);
    if (known === undefined || candidate.score > known.score) places.set(key, candidate);
  }
  const sorted = [...places.values()].sort((a, b) => b.score - a.score || a.span.from - b.span.from);
  const [first, second] = sorted as (Candidate | undefined)[];
  if (first === undefined) return null;
  // Two that are sure are both guilty. Of two that are only likely, none is named.
  if (second?.score === first.score && first.sureness < 3) return null;
  return first;
}

class Judge {
  /** The loops that may be the training's, outermost first: the last is the step. */
  private readonly loops: readonly string[];

  constructor(
    private readonly machine: Machine,
    watched: readonly LoopRound[],
    private readonly bornEvery: number | null,
  ) {
    const path = watched.map(({ loop }) => loop);
    this.loops = path.slice(0, this.stepLoop(path) + 1);
  }

  /** The index of the loop around the watched line whose rounds are steps. */
  private stepLoop(path: readonly string[]): number {
    if (path[0] === OUTSIDE) return 0;
    for (const kind of ['optimizer', 'backward'] as const) {
      let deepest = -1;
      for (const step of this.machine.steps) {
        if (step.kind !== kind) continue;
        const inside = new Set(step.loops.map(({ loop }) => loop));
        path.forEach((loop, i) => {
          if (inside.has(loop) && i > deepest) deepest = i;
        });
      }
      if (deepest >= 0) return deepest;
    }
    return 0;
  }

  keepers(): Candidate[] {
    const candidates: Candidate[] = [];
    for (const keeper of this.machine.keepers) {
      const candidate = this.keeper(keeper);
      if (candidate !== null) candidates.push(candidate);
    }
    for (const { hook, keeper } of this.machine.hooks) {
      if (hook.removed || this.outlived(keeper.loops, []) === null) continue;
      const candidate = this.candidate(keeper, keptBy(keeper.value.node), 0);
      if (candidate !== null) candidates.push(candidate);
    }
    candidates.push(...this.chains(), ...this.autocasts());
    return candidates;
  }

  cycles(): Candidate[] {
    const contexts = this.machine.keepers
      .filter(({ kind }) => kind === 'context' || kind === 'doubleBackward')
      .flatMap((keeper) => this.candidate(keeper, keptBy(keeper.value.node), 1) ?? []);
    return [...contexts, ...this.circles()];
  }

  private keeper(keeper: Keeper): Candidate | null {
    const { container, loops, kind } = keeper;
    if (kind === 'doubleBackward') {
      if (this.dropsGradients(keeper)) return null;
    } else if (kind === 'context') {
      return this.candidate(keeper, keptBy(keeper.value.node), 0);
    }
    if (keeper.most !== null) return null;
    if (keeper.guessed && this.machine.emptied.has(keeper.holder)) return null;
    const outlived = this.outlived(loops, container?.born ?? []);
    if (outlived === null) return null;
    if (container?.kind === 'container') {
      if (container.bounded) return null;
      const round = new Set(this.loops.slice(0, outlived + 1));
      for (const cleared of container.cleared) {
        const inside = cleared.loops.map(({ loop }) => loop);
        if (inside.some((loop) => round.has(loop) && loop === this.loops[outlived])) return null;
        if (inside.length > 0) return null;
      }
    }
    if (keeper.attribute !== null && this.isClearedElsewhere(keeper)) return null;
    const kept = keptBy(keeper.value.node);
    const inStep = outlived === this.loops.length - 1;
    return this.candidate(keeper, keeper.guessed ? atMost(kept, 2) : kept, inStep ? 1 : 0);
  }

  /** The container that keeps what the line allocates, if it is sure not to grow for ever and nothing else keeps it. */
  limit(): Limit | null {
    const limits = new Map<string, Limit & { readonly sureness: Sureness }>();
    const endless = new Set<string>();
    for (const keeper of this.machine.keepers) {
      if (keeper.kind !== 'put' && keeper.kind !== 'cache') continue;
      const kept = keptBy(keeper.value.node);
      const sureness = larger(kept.data, kept.graph);
      if (sureness < 2) continue;
      const { module, span } = keeper.place;
      const key = `${module.file}:${span.from}`;
      if (!this.isLimited(keeper)) endless.add(key);
      else limits.set(key, { module, span, holder: keeper.holder, most: keeper.most, sureness });
    }
    const isLimited = ({ module, span }: Finding): boolean => {
      const key = `${module.file}:${span.from}`;
      return limits.has(key) && !endless.has(key);
    };
    if (this.keepers().some((other) => other.sureness >= 2 && !isLimited(other))) return null;
    const sorted = [...limits].filter(([key]) => !endless.has(key)).sort(([, a], [, b]) => b.sureness - a.sureness);
    return sorted.length === 0 ? null : sorted[0][1];
  }

  /** True if a container is full some time, or loses its items in a loop that runs around what is put in. */
  private isLimited({ most, container, loops }: Keeper): boolean {
    if (most !== null) return true;
    if (container?.kind !== 'container') return false;
    const around = new Set(loops.map(({ loop }) => loop).filter((loop) => this.loops.includes(loop) && isSeen(loop)));
    const isAround = (rounds: readonly LoopRound[]): boolean => rounds.some(({ loop }) => around.has(loop));
    return isAround(container.born) || container.cleared.some((one) => one.isThorough && isAround(one.loops));
  }

  /** The innermost loop whose rounds something outlives that was made in `born` and is used in `used`; null for none. */
  private outlived(used: readonly LoopRound[], born: readonly LoopRound[]): number | null {
    const inside = new Set(used.map(({ loop }) => loop));
    const made = new Set(born.map(({ loop }) => loop));
    for (let i = this.loops.length - 1; i >= 0; i--) {
      if (inside.has(this.loops[i]) && !made.has(this.loops[i])) return i;
    }
    return null;
  }

  private candidate(
    keeper: Pick<
      Keeper,
      'kind' | 'place' | 'holder' | 'kept' | 'keptSpan' | 'value' | 'every' | 'container' | 'attribute'
    >,
    kept: { data: Sureness; graph: Sureness },
    bonus: number,
  ): Candidate | null {
    const sureness = larger(kept.data, kept.graph);
    if (sureness === 0) return null;
    const phase = keeper.every !== null && this.bornEvery !== null && keeper.every !== this.bornEvery ? -2 : 0;
    return {
      kind: keeper.kind,
      module: keeper.place.module,
      span: keeper.place.span,
      holder: keeper.holder,
      kept: keeper.kept,
      keptSpan: keeper.keptSpan,
      through: kept.graph >= kept.data ? 'graph' : 'data',
      sureness,
      mayDetach: keeper.value.node.isTensor && this.isLeftAlone(keeper),
      isShared: keeper.kind === 'put' && isShared(keeper),
      score: sureness * 4 + bonus + phase,
    };
  }

  /** True if no backward runs through what is kept at this place, and nobody unknown is given it. */
  private isLeftAlone({ place, container }: Pick<Keeper, 'place' | 'container'>): boolean {
    const { keepers, assigned, given } = this.machine;
    if (container !== null && given.has(container.node)) return false;
    const isHere = (other: Place): boolean => other.module === place.module && other.span.from === place.span.from;
    const kept = keepers.filter((other) => isHere(other.place)).map(({ value }) => value.node);
    for (const { node, added, place: at } of assigned) {
      if (isHere(at)) kept.push(node, ...(added === null ? [] : [added.node]));
    }
    return kept.every((node) => !node.freed && !given.has(node));
  }

  private chains(): Candidate[] {
    const groups = new Map<string, Assigned[]>();
    for (const assigned of this.machine.assigned) {
      const key = `${assigned.place.module.file}:${assigned.place.span.from}:${assigned.target}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [assigned]);
      else group.push(assigned);
    }
    const candidates: Candidate[] = [];
    for (const group of groups.values()) {
      const last = group[group.length - 1];
      const earlier = group.filter((early) => this.isLater(early.loops, last.loops));
      const { previous } = last;
      if (last.concatenates && previous !== null && earlier.some((early) => isPartOf(early.node, previous))) {
        const grown = this.candidate(
          {
            ...NAMELESS,
            kind: 'grown',
            place: last.place,
            holder: last.target,
            value: valueOf(last.node),
            every: last.every,
          },
          { data: dataKept(last.node), graph: 0 },
          1,
        );
        if (grown !== null) candidates.push(grown);
      }
      if (!earlier.some((early) => graphLeadsTo(last.node, early.node))) continue;
      const candidate = this.candidate(
        {
          kind: 'chain',
          place: last.place,
          holder: last.target,
          kept: last.addedText,
          keptSpan: last.added === null ? null : last.addedSpan,
          container: null,
          attribute: null,
          value: last.added ?? valueOf(last.node),
          every: last.every,
        },
        { data: 0, graph: graphKept(last.node) },
        last.readsItself ? 2 : 1,
      );
      if (candidate !== null) candidates.push({ ...candidate, mayDetach: candidate.mayDetach && last.added !== null });
    }
    return candidates;
  }

  /** True if both are in the same loops, and one in an earlier round of one of the training's. */
  private isLater(early: readonly LoopRound[], late: readonly LoopRound[]): boolean {
    return this.loops.some((loop) => {
      const a = early.find((one) => one.loop === loop);
      const b = late.find((one) => one.loop === loop);
      return a !== undefined && b !== undefined && a.round < b.round;
    });
  }

  private autocasts(): Candidate[] {
    const candidates: Candidate[] = [];
    for (const { block, loops, node } of this.machine.autocastWeights) {
      if (this.outlived(loops, block.loops) === null) continue;
      const uses = this.machine.allocated.some((made) => behind(made).includes(node));
      const sureness = uses ? 2 : dataKept(node);
      const candidate = this.candidate(
        {
          kind: 'autocast',
          place: { module: block.module, span: block.span },
          holder: "autocast's weight cache",
          ...NAMELESS,
          value: valueOf(node),
          every: null,
        },
        { data: sureness, graph: 0 },
        0,
      );
      if (candidate !== null) candidates.push(candidate);
    }
    return candidates;
  }

  /** Objects that refer to each other, and hold what the line allocates. */
  private circles(): Candidate[] {
    const { references } = this.machine;
    const next = new Map<Thing, Reference[]>();
    for (const reference of references) {
      const list = next.get(reference.from);
      if (list === undefined) next.set(reference.from, [reference]);
      else list.push(reference);
    }
    const candidates: Candidate[] = [];
    for (const reference of references) {
      const { from, to } = reference;
      if (from.kind === 'class' || !isMadeInside(from, this.loops)) continue;
      if (!leadsTo(to, from, next)) continue;
      if (!('node' in from)) continue;
      const kept = keptBy(from.node);
      const candidate = this.candidate(
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

  /** Gradients that are set to None in the same function keep nothing. */
  private dropsGradients({ place }: Keeper): boolean {
    let drops = false;
    const { module, span } = place;
    forEachStatement(module.body, (statement) => {
      if (statement.kind !== 'function' || statement.from > span.from || statement.to < span.to) return;
      drops = /\bzero_grad\s*\(|\.grad\s*=\s*None\b/.test(module.text.slice(statement.from, statement.to));
    });
    return drops;
  }

  /** True if another method empties the attribute, and somebody calls that method. */
  private isClearedElsewhere({ attribute, place }: Keeper): boolean {
    if (attribute === null) return false;
    for (const module of this.machine.sources.read) {
      for (const name of clearingFunctions(module, attribute)) {
        if (isCalledByFramework(name) && module === place.module) return true;
        if (this.isCalled(name)) return true;
      }
    }
    return false;
  }

  private isCalled(name: string): boolean {
    return this.machine.sources.read.some((module) => {
      const initialisers = spansOf(module, '__init__');
      const own = spansOf(module, name);
      for (const match of module.text.matchAll(new RegExp(`\\b${name}\\s*\\(`, 'g'))) {
        const { index } = match;
        if (/\bdef\s+$/.test(module.text.slice(Math.max(0, index - 20), index))) continue;
        if (![...initialisers, ...own].some(({ from, to }) => from <= index && index < to)) return true;
      }
      return false;
    });
  }
}

/** Lightning and its like call these by themselves. */
function isCalledByFramework(name: string): boolean {
  return /^on_|_end$|_start$|^reset_epoch/.test(name);
}

/** Functions, other than `__init__`, that empty or replace an attribute. */
function clearingFunctions(module: PythonModule, attribute: string): string[] {
  const names: string[] = [];
  forEachStatement(module.body, (statement) => {
    if (statement.kind !== 'function' || statement.name === '__init__') return;
    const clears: Statement[] = [];
    forEachStatement(statement.body, (inside) => {
      if (empties(inside, attribute)) clears.push(inside);
    });
    if (clears.length > 0) names.push(statement.name);
  });
  return names;
}

/** True if a statement empties or replaces an attribute of that name. */
function empties(statement: Statement, attribute: string): boolean {
  const isIt = (target: Expression): boolean => target.kind === 'attribute' && target.name === attribute;
  if (statement.kind === 'assign') {
    const targets = statement.targets.flatMap((target) => (target.kind === 'display' ? target.items : [target]));
    return targets.some(
      (target) => isIt(target) || (target.kind === 'subscript' && target.slice && isIt(target.value)),
    );
  }
  if (statement.kind === 'delete') {
    return statement.targets.some((target) => isIt(target) || (target.kind === 'subscript' && isIt(target.value)));
  }
  const calls: Expression[] = [];
  for (const expression of expressionsOf(statement)) {
    forEachExpression(expression, (part) => {
      if (part.kind !== 'call' || part.callee.kind !== 'attribute') return;
      if (/^(?:clear|pop|popleft|popitem)$/.test(part.callee.name) && isIt(part.callee.value)) calls.push(part);
    });
  }
  return calls.length > 0;
}

function spansOf(module: PythonModule, name: string): Span[] {
  const spans: Span[] = [];
  forEachStatement(module.body, (statement) => {
    if (statement.kind === 'function' && statement.name === name && bodiesOf(statement).length > 0)
      spans.push(statement);
  });
  return spans;
}

/** A loop that stands in the source. */
function isSeen(loop: string): boolean {
  return loop !== OUTSIDE && !loop.startsWith('library:');
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

function atMost(kept: { data: Sureness; graph: Sureness }, most: Sureness): { data: Sureness; graph: Sureness } {
  return { data: kept.data < most ? kept.data : most, graph: kept.graph < most ? kept.graph : most };
}

function keptBy(node: FlowNode): { data: Sureness; graph: Sureness } {
  return { data: dataKept(node), graph: graphKept(node) };
}

/** True if a value is, or shares its memory with, an earlier one. */
function isPartOf(early: FlowNode, late: FlowNode): boolean {
  const seen = new Set([late]);
  for (const at of seen) {
    if (at === early) return true;
    for (const other of [...at.same, ...at.holds, ...at.storage]) seen.add(other);
  }
  return false;
}

/** What keeps, but is no container, and what is kept without a name. */
const NAMELESS = { kept: '', keptSpan: null, container: null, attribute: null } as const;

/** Others may use the container: it is an attribute, of a module, or was not seen being made. */
function isShared({ container, attribute }: Pick<Keeper, 'container' | 'attribute'>): boolean {
  return container === null || attribute !== null || container.born.length === 0;
}
