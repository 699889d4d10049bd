import { getOrAdd, groupBy } from '../../maps.js';
import { type Machine, OUTSIDE, type StepSign } from '../interpret/machine.js';
import type { Assigned, Holding } from '../records.js';
import { type FlowNode, type LoopRound, type Sureness, larger } from '../values/flowNode.js';
import { type Place, placeKey, type Value } from '../values/objects.js';
import { type Held, heldBy } from '../values/reachability.js';

/** A statement that holds the watched line's memory, or its part that holds. */
export interface Finding extends Place, Pick<Holding, 'kind' | 'holder' | 'held' | 'heldSpan'> {
  /** Whether the holder has the memory itself, or a graph that needs it. */
  readonly through: 'data' | 'graph';
  readonly sureness: Sureness;
  /** The held value is certainly a tensor, and no backward pass runs through it. */
  readonly mayDetach: boolean;
  /** A backward pass runs through the holder: its gradients need the graphs that it holds. */
  readonly needsGraph: boolean;
  /** The parameter whose default the container is; null for any other. */
  readonly defaultOf: string | null;
  /** Code that was not interpreted may use the holder. */
  readonly isShared: boolean;
}

/** One of those that may be it. */
export interface Candidate extends Finding {
  /** The higher, the likelier among candidates of one sureness. */
  readonly bonus: number;
  /** Number of training loops that make it again in each iteration. */
  readonly remade: number;
  /** It has the memory itself, which no backward pass frees. */
  readonly hasData: boolean;
}

/** The best candidate; null if several fit equally. */
export function best(candidates: readonly Candidate[]): Candidate | null {
  const places = new Map<string, Candidate>();
  for (const candidate of candidates) {
    if (candidate.sureness < 2) continue;
    const key = placeKey(candidate);
    const known = places.get(key);
    if (known === undefined || compared(candidate, known) < 0) places.set(key, candidate);
  }
  const sorted = [...places.values()].sort((a, b) => compared(a, b) || a.span.from - b.span.from);
  const [first, second] = sorted as (Candidate | undefined)[];
  if (first === undefined) return null;
  // Two that are sure are both guilty. Of two that are only likely, none is named.
  if (second !== undefined && compared(first, second) === 0 && first.sureness < 3) return null;
  return first;
}

/**
 * Negative if the first is likelier. A list that each epoch makes again holds less than one that outlives them all, and
 * the graph of another value holds less than the value itself.
 */
function compared(a: Candidate, b: Candidate): number {
  const byValue = Number(b.through === 'data') - Number(a.through === 'data');
  return b.sureness - a.sureness || a.remade - b.remade || b.bonus - a.bonus || byValue;
}

/** The loops around the watched line that may be the training's. */
class TrainingLoops {
  /** Outermost first: the last is the step. */
  readonly names: readonly string[];

  /** @param watched the loops around the watched line @param steps the loop of the steps; null for the innermost */
  constructor(watched: readonly LoopRound[], steps: readonly StepSign[] | null) {
    const path = watched.map(({ loop }) => loop);
    this.names = steps === null ? path : path.slice(0, stepLoop(path, steps) + 1);
  }

  /** The innermost loop whose iterations something outlives that was made in `madeIn` and is used in `used`; null for none. */
  outlived(used: readonly LoopRound[], madeIn: readonly LoopRound[]): number | null {
    const inside = new Set(used.map(({ loop }) => loop));
    const made = new Set(madeIn.map(({ loop }) => loop));
    for (let i = this.names.length - 1; i >= 0; i--) {
      if (inside.has(this.names[i]) && !made.has(this.names[i])) return i;
    }
    return null;
  }

  /** Number of these loops that make something again in each iteration. */
  timesRemade(madeIn: readonly LoopRound[]): number {
    return madeIn.filter(({ loop }) => this.names.includes(loop)).length;
  }

  /** True if both are in the same loops, and one in an earlier round of one of the training's. */
  isLater(early: readonly LoopRound[], late: readonly LoopRound[]): boolean {
    return this.names.some((loop) => {
      const a = early.find((one) => one.loop === loop);
      const b = late.find((one) => one.loop === loop);
      return a !== undefined && b !== undefined && a.round < b.round;
    });
  }
}

/** The index of the loop around the watched line whose iterations are steps. */
function stepLoop(path: readonly string[], steps: readonly StepSign[]): number {
  if (path[0] === OUTSIDE) return 0;
  for (const kind of ['marked', 'optimizer', 'backward'] as const) {
    let deepest = -1;
    for (const step of steps) {
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

/** Facts on a candidate statement. */
type Suspect = Pick<Holding, 'kind' | 'place' | 'holder' | 'held' | 'heldSpan' | 'value' | 'container' | 'attribute'>;

/** Holders that are not containers, and held values without a name. */
export const NAMELESS = { held: '', heldSpan: null, container: null, attribute: null } as const;

/** The records of an interpreted program, and the criteria. */
export class HolderSearch {
  readonly loops: TrainingLoops;
  private readonly byNode = new Map<FlowNode, Held>();
  private byPlace: ReadonlyMap<string, readonly Holding[]> | null = null;
  private assigned: ReadonlyMap<string, readonly Assigned[]> | null = null;

  /**
   * @param watched the loops around the watched line
   * @param steps the loop of the steps; null for the innermost
   */
  constructor(
    readonly machine: Machine,
    watched: readonly LoopRound[],
    steps: Machine['steps'] | null = machine.steps,
  ) {
    this.loops = new TrainingLoops(watched, steps);
  }

  /** The records of a statement, one per run. */
  holdingsAt(place: Place): readonly Holding[] {
    this.byPlace ??= groupBy(this.machine.holdings, (holding) => placeKey(holding.place));
    return this.byPlace.get(placeKey(place)) ?? [];
  }

  /** What a statement assigned, one per run. */
  private assignedAt(place: Place): readonly Assigned[] {
    this.assigned ??= groupBy(this.machine.assigned, (one) => placeKey(one.place));
    return this.assigned.get(placeKey(place)) ?? [];
  }

  /** The part of the watched line's memory that a value holds. */
  held(node: FlowNode): Held {
    return getOrAdd(this.byNode, node, () => heldBy(node, this.machine));
  }

  /** @returns null if it holds none of the watched line's memory */
  candidate(holding: Suspect, held: Held, bonus: number): Candidate | null {
    const sureness = larger(held.data, held.graph);
    if (sureness === 0) return null;
    return {
      ...holding.place,
      kind: holding.kind,
      holder: holding.holder,
      held: holding.held,
      heldSpan: holding.heldSpan,
      through: held.graph >= held.data ? 'graph' : 'data',
      sureness,
      mayDetach: holding.value.node.isTensor && this.isLeftAlone(holding),
      needsGraph: this.isDifferentiated(holding),
      defaultOf: holding.container?.kind === 'container' ? holding.container.defaultOf : null,
      isShared: holding.kind === 'put' && isShared(holding),
      bonus,
      remade: this.loops.timesRemade(holding.container?.madeIn ?? []),
      hasData: held.data > 1,
    };
  }

  /** True if a backward pass runs through a container, or through a variable that a statement gives new values. */
  private isDifferentiated({ kind, place, container }: Suspect): boolean {
    const { differentiated } = this.machine;
    if (container !== null) return differentiated.has(container.node);
    return kind === 'chain' && this.assignedAt(place).some(({ node }) => differentiated.has(node));
  }

  /** True if no backward pass runs through the value held here, and no unknown call receives it. */
  private isLeftAlone({ place, container }: Pick<Holding, 'place' | 'container'>): boolean {
    const { passed } = this.machine;
    if (container !== null && passed.has(container.node)) return false;
    return this.valuesAt(place).every((node) => !node.freed && !passed.has(node));
  }

  /** All that a statement holds or assigns, each time that it ran. */
  private valuesAt(place: Place): FlowNode[] {
    const values = this.holdingsAt(place).map(({ value }) => value.node);
    for (const { node, added } of this.assignedAt(place)) values.push(node, ...(added === null ? [] : [added.node]));
    return values;
  }
}

/** True if code that was not followed may use the container: an attribute, a global, or one from an unknown place. */
function isShared({ container, attribute }: Pick<Holding, 'container' | 'attribute'>): boolean {
  return container === null || attribute !== null || container.madeIn.length === 0;
}

/**
 * True if each iteration of a loop stores values under the keys of the previous one, such as names of layers.
 * @param outlived the training loop whose iterations the container outlives
 */
export function overwrites({ key, place, loops }: Holding, outlived: number, search: HolderSearch): boolean {
  const { names } = search.loops;
  if (key === null) return false;
  if (key.known?.kind === 'constant') return true;
  // A value that these loops draw differs in each of their iterations.
  if (key.known?.kind === 'drawn' && names.slice(0, outlived + 1).includes(key.known.loop)) return false;
  const round = roundOf(loops, names[outlived]);
  const identity = identityOf(key);
  return search
    .holdingsAt(place)
    .some(
      (other) =>
        other.key !== null && roundOf(other.loops, names[outlived]) !== round && identityOf(other.key) === identity,
    );
}

/** True if a value takes the place of an item of a list to which nothing is added: it is as long as it was made. */
export function replacesItems({ key, container }: Holding, search: HolderSearch): boolean {
  if (key === null || container?.kind !== 'container' || container.type !== 'list') return false;
  return search.machine.holdings.every((other) => other.container !== container || other.key !== null);
}

function identityOf({ node, known }: Value): object {
  return known?.kind === 'drawn' ? known.from : node;
}

function roundOf(loops: Holding['loops'], name: string): number | null {
  return loops.find(({ loop }) => loop === name)?.round ?? null;
}
