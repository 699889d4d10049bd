import type { Keeper } from '../keeper.js';
import { larger } from '../values/flowNode.js';
import type { LoopRound } from '../values/loopRound.js';
import type { Kept } from '../values/reachability.js';
import { placeKey, type Place } from '../values/things.js';
import type { Machine } from '../follow/machine.js';
import type { Candidate } from './finding.js';
import { TrainingLoops } from './trainingLoops.js';

/** What is known of a statement that may keep. */
type Suspect = Pick<
  Keeper,
  'kind' | 'place' | 'holder' | 'kept' | 'keptSpan' | 'value' | 'every' | 'container' | 'attribute'
>;

/** What keeps, but is no container, and what is kept without a name. */
export const NAMELESS = { kept: '', keptSpan: null, container: null, attribute: null } as const;

/** What was noted while a program was followed, and what it is judged by. */
export class Trial {
  readonly loops: TrainingLoops;
  private byPlace: Map<string, Keeper[]> | null = null;

  /**
   * @param watched the loops around the watched line
   * @param bornEvery steps between two births of what is kept, null where that is not known
   * @param steps where the training steps; null if the innermost of the loops does
   */
  constructor(
    readonly machine: Machine,
    watched: readonly LoopRound[],
    private readonly bornEvery: number | null,
    steps: Machine['steps'] | null = machine.steps,
  ) {
    this.loops = new TrainingLoops(watched, steps);
  }

  /** What was noted of a statement, each time that it ran. */
  keepersAt(place: Place): readonly Keeper[] {
    if (this.byPlace === null) {
      this.byPlace = new Map<string, Keeper[]>();
      for (const keeper of this.machine.keepers) {
        const key = placeKey(keeper.place);
        const list = this.byPlace.get(key);
        if (list === undefined) this.byPlace.set(key, [keeper]);
        else list.push(keeper);
      }
    }
    return this.byPlace.get(placeKey(place)) ?? [];
  }

  /** @returns null if it keeps nothing that the watched line allocates */
  candidate(keeper: Suspect, kept: Kept, bonus: number): Candidate | null {
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
    const { assigned, given } = this.machine;
    if (container !== null && given.has(container.node)) return false;
    const here = placeKey(place);
    const kept = this.keepersAt(place).map(({ value }) => value.node);
    for (const { node, added, place: at } of assigned) {
      if (placeKey(at) === here) kept.push(node, ...(added === null ? [] : [added.node]));
    }
    return kept.every((node) => !node.freed && !given.has(node));
  }
}

/** Others may use the container: it is an attribute, of a module, or was not seen being made. */
function isShared({ container, attribute }: Pick<Keeper, 'container' | 'attribute'>): boolean {
  return container === null || attribute !== null || container.born.length === 0;
}
