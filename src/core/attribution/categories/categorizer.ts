import { Action, EMPTY_STACK, NO_STACK, type Snapshot } from '../../model/snapshot.js';
import type { Bytes, StackId } from '../../model/units.js';
import type { DeviceHistory } from '../../model/history.js';
import { MarkCount } from '../../model/markCount.js';
import { getOrAdd } from '../../maps.js';
import { CategoryCode } from './category.js';
import { isWorkspaceSize } from '../../model/cublasWorkspace.js';
import { freeStacks } from './lifetimes.js';
import { OlderMemory } from './olderMemory.js';
import { requestedSizes } from './requestedSizes.js';
import { StackRole, type StackRoles } from '../stackRole.js';
import { stepAt, type Steps } from '../steps/steps.js';
import { weightCopies, type WeightCopies } from './weightCopies.js';

/** The meaning of the profiler's words, which are certain. */
const PROFILER_CATEGORIES: Readonly<Record<string, CategoryCode>> = {
  parameter: CategoryCode.Parameters,
  gradient: CategoryCode.Gradients,
  optimizer_state: CategoryCode.OptimizerState,
  activation: CategoryCode.Activations,
  input: CategoryCode.Inputs,
  temporary: CategoryCode.Other,
  autograd_detail: CategoryCode.Other,
};

/** A result of the forward pass that is older than this many of its stack's longest lives is none of one pass. */
const OUTLIVES = 1.5;
/** Survivors from this many steps: results of the forward pass that are held. */
const KEEP_COMING = 3;

/** An allocation as {@link DeviceHistory} has it. */
interface Lived {
  row: number;
  birth: number;
  death: number;
  stack: StackId;
  forwardStack: StackId;
}

/** How a stack's allocations ended, one entry per stack. */
interface Habits {
  rows: Uint32Array;
  /** Allocations that are still live at the end. */
  survivors: Uint32Array;
  /** Forward passes, or parts of one, before which the stack allocated. */
  rounds: Uint32Array;
  /** Allocations that a backward pass freed; for a marked stack, 1 means one or more. */
  freedInBackward: Uint32Array;
  /** Allocations of an optimizer that were freed before the next forward pass. */
  freedBeforeForward: Uint32Array;
  /** The longest life of a freed allocation, in steps. */
  longestFreedAge: Uint32Array;
  /** Steps of the allocations that are still live at the end. */
  survivorSteps: Uint32Array;
}

/** Finds the use of each allocation of a device, by frames and lifetimes. */
export class Categorizer {
  private readonly habits: Habits;
  /** Rows of the allocations made in the trace that outlive the step of their birth; all that are live at the end. */
  readonly longLived: readonly number[];
  /** Rows of memory that is older than the trace. */
  readonly olderRows: readonly number[];
  private readonly copies: WeightCopies;
  private readonly workspaces: ReadonlySet<number>;
  private known: OlderMemory | null = null;
  /** Allocations that the forward pass makes. */
  private readonly forwards: MarkCount;
  private readonly freeStackOf: (ordinal: number) => StackId;
  private readonly freesHaveStacks: boolean;
  private readonly asked: (row: number) => Bytes;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly history: DeviceHistory,
    private readonly steps: Steps | null,
    private readonly roles: StackRoles,
  ) {
    const { birth, stack, count } = history.allocations;
    const forwards = new MarkCount(history.trace.count);
    for (let row = 0; row < count; row++) {
      if (birth[row] >= 0 && roles.of(stack[row]) === StackRole.Forward) forwards.mark(birth[row]);
    }
    this.forwards = forwards.count();
    this.freesHaveStacks = freesHaveStacks(snapshot, history);
    this.freeStackOf = freeStacks(snapshot, history);
    const longLived: number[] = [];
    const older: number[] = [];
    this.habits = this.findHabits(longLived, older);
    this.longLived = longLived;
    this.olderRows = older;
    this.asked = requestedSizes(snapshot, history);
    this.copies = weightCopies(snapshot, history, roles, this.asked);
    this.workspaces = this.findWorkspaces();
  }

  /** True if the trace shows a backward pass. */
  get hasBackward(): boolean {
    const { birth, stack, count } = this.history.allocations;
    for (let row = 0; row < count; row++) {
      if (birth[row] < 0 || !this.mayBeGradient(stack[row])) continue;
      const code = this.of(livedRow(this.history, row));
      if (code === CategoryCode.Gradients || code === CategoryCode.Backward) return true;
    }
    return false;
  }

  /** What is known of memory that is older than the trace and has no stack. */
  get older(): OlderMemory {
    this.known ??= new OlderMemory(this.snapshot, this.history, this.olderRows, {
      categoryOf: (row) => this.of(livedRow(this.history, row)),
      mayBeGradient: (stack) => this.mayBeGradient(stack),
      isOfStep: (stack) => this.isOfStep(stack),
      copies: this.copies,
      asked: this.asked,
    });
    return this.known;
  }

  of(lived: Lived): CategoryCode {
    return this.byProfiler(lived.birth) ?? this.inferred(lived);
  }

  /**
   * Rows of cuBLAS's workspaces in stacks of Python alone: the first product of a thread allocates one beside its result,
   * and the results are freed.
   */
  private findWorkspaces(): Set<number> {
    const { death, stack } = this.history.allocations;
    const { rows, survivors } = this.habits;
    const found = new Map<StackId, number[]>();
    for (const row of [...this.longLived, ...this.olderRows]) {
      if (death[row] < this.history.trace.count || stack[row] <= EMPTY_STACK || !isWorkspaceSize(this.asked(row)))
        continue;
      if (rows[stack[row]] > survivors[stack[row]]) getOrAdd(found, stack[row], () => []).push(row);
    }
    return new Set([...found.values()].filter((alone) => alone.length === 1).flat());
  }

  /** False if no allocation of a stack can be a gradient. */
  mayBeGradient(stack: StackId): boolean {
    const role = this.roles.of(stack);
    const isOpen = role === StackRole.Backward || role === StackRole.Stackless || role === StackRole.Unmarked;
    return isOpen || this.snapshot.events.category !== null;
  }

  private isOfStep(stack: StackId): boolean {
    if (this.roles.of(stack) !== StackRole.Optimizer) return false;
    const { stacks, frames, strings } = this.snapshot;
    const names = stacks.frames.subarray(stacks.offset[stack], stacks.offset[stack + 1]);
    return !names.some((frame) => strings.text(frames.name[frame]) === 'zero_grad');
  }

  /** True if the backward pass freed it, or will, as of others of its stack. */
  isKeptForBackward(lived: Lived): boolean {
    if (lived.birth < 0) return false;
    const { count } = this.history.trace;
    if (lived.death < count) return this.isFreedInBackward(lived.death);
    const { freedInBackward, longestFreedAge } = this.habits;
    const age = this.stepOf(count) - this.stepOf(lived.birth);
    return freedInBackward[lived.stack] > 0 && age <= longestFreedAge[lived.stack];
  }

  /** True if a whole step went by since its birth; false where no steps are known. */
  isFromEarlierStep({ birth }: Lived, ordinal: number): boolean {
    return this.steps !== null && birth >= 0 && this.stepOf(ordinal) - this.stepOf(birth) > 1;
  }

  private isFreedInBackward(death: number): boolean {
    if (death >= this.history.trace.count || !this.freesHaveStacks) return false;
    const role = this.roles.of(this.freeStackOf(death));
    return role === StackRole.Backward || role === StackRole.Stackless;
  }

  /** The category in the input, null if unknown. */
  private byProfiler(birth: number): CategoryCode | null {
    const { events, strings } = this.snapshot;
    if (birth < 0 || events.category === null) return null;
    const name = strings.text(events.category[this.history.trace.first + birth]);
    return Object.hasOwn(PROFILER_CATEGORIES, name) ? PROFILER_CATEGORIES[name] : null;
  }

  private inferred(lived: Lived): CategoryCode {
    if (this.copies.rows.has(lived.row)) return CategoryCode.WeightCopies;
    const role = this.roles.of(lived.stack);
    switch (role) {
      case StackRole.Parameters:
        return CategoryCode.Parameters;
      case StackRole.Inputs:
        return CategoryCode.Inputs;
      case StackRole.Workspace:
        return CategoryCode.Workspace;
      case StackRole.Backward:
        return this.ofBackward(lived);
      case StackRole.Foreign:
        return CategoryCode.Other;
      case StackRole.Optimizer:
        return this.isOptimizerState(lived) ? CategoryCode.OptimizerState : CategoryCode.Workspace;
      case StackRole.Forward:
        if (this.workspaces.has(lived.row)) return CategoryCode.Workspace;
        return this.isOfOnePass(lived) ? CategoryCode.Activations : CategoryCode.Other;
      case StackRole.ModuleInit:
        return this.isForEver(lived) ? CategoryCode.Parameters : CategoryCode.Other;
      case StackRole.Stackless:
      case StackRole.Unmarked:
        if (lived.forwardStack !== NO_STACK) return this.ofBackward(lived);
        return role === StackRole.Stackless ? this.ofStackless(lived) : this.ofUnmarked(lived);
    }
  }

  /** Memory that the backward pass itself frees is a result on its way; gradients outlive it. */
  private ofBackward({ death }: Lived): CategoryCode {
    return this.isFreedInBackward(death) ? CategoryCode.Backward : CategoryCode.Gradients;
  }

  /** Autograd's thread allocates without a stack, but not before the first forward pass. */
  private ofStackless(lived: Lived): CategoryCode {
    if (lived.birth < 0) return this.older.categoryOf(lived.row);
    return this.forwards.upTo(lived.birth) > 0 ? this.ofBackward(lived) : CategoryCode.Other;
  }

  /** A line of the user's own, outside of every module. */
  private ofUnmarked(lived: Lived): CategoryCode {
    if (this.workspaces.has(lived.row)) return CategoryCode.Workspace;
    if (lived.birth < 0) return lived.stack <= EMPTY_STACK ? this.older.categoryOf(lived.row) : CategoryCode.Other;
    const { rows, rounds, freedInBackward } = this.habits;
    if (this.isFreedInBackward(lived.death)) return CategoryCode.Activations;
    const freed = rows[lived.stack] - 1;
    const survives = lived.death >= this.history.trace.count;
    if (survives && freed > 0 && freedInBackward[lived.stack] >= freed / 2) return CategoryCode.Activations;
    const isOfLoop = rounds[lived.stack] > 1;
    return isOfLoop && this.spansForward(lived) ? CategoryCode.PerhapsInputs : CategoryCode.Other;
  }

  /** State outlives the optimizer's step, up to a forward pass. The rest is workspace. */
  private isOptimizerState(lived: Lived): boolean {
    if (lived.birth < 0 || this.spansForward(lived)) return true;
    return lived.death >= this.history.trace.count && this.habits.freedBeforeForward[lived.stack] === 0;
  }

  /** False for memory that the forward pass creates once: caches, masks, lazy buffers. */
  private isOfOnePass({ birth, death, stack }: Lived): boolean {
    if (death < this.history.trace.count) return true;
    if (this.steps === null || birth < 0) return birth >= 0;
    const { survivorSteps, longestFreedAge } = this.habits;
    if (survivorSteps[stack] >= KEEP_COMING) return true;
    const age = this.stepOf(death) - this.stepOf(birth);
    return age < 2 || age <= OUTLIVES * longestFreedAge[stack];
  }

  private isForEver({ birth, death }: Lived): boolean {
    return this.forwards.upTo(birth) === 0 && death >= this.history.trace.count;
  }

  /** True if the forward pass allocates while it lives. */
  private spansForward({ birth, death }: Lived): boolean {
    return this.forwards.upTo(death - 1) > this.forwards.upTo(birth);
  }

  private findHabits(longLived: number[], older: number[]): Habits {
    const { count, birth: births, death: deaths, stack: stackOf } = this.history.allocations;
    const end = this.history.trace.count;
    const { forwards, roles } = this;
    const starts = this.steps?.starts ?? [];
    const stacks = this.snapshot.stacks.count;
    const rows = new Uint32Array(stacks);
    const survivors = new Uint32Array(stacks);
    const rounds = new Uint32Array(stacks);
    const freedInBackward = new Uint32Array(stacks);
    const freedBeforeForward = new Uint32Array(stacks);
    const longestFreedAge = new Uint32Array(stacks);
    const survivorSteps = new Uint32Array(stacks);
    const lastSurvivorStep = new Int32Array(stacks).fill(-1);
    const lastRound = new Int32Array(stacks).fill(-1);
    let step = 0;
    /** Allocations of the forward pass so far. */
    let round = 0;
    for (let row = 0; row < count; row++) {
      const birth = births[row];
      if (birth < 0) {
        older.push(row);
        continue;
      }
      const death = deaths[row];
      const stack = stackOf[row];
      const role = roles.of(stack);
      if (role === StackRole.Forward) round++;
      rows[stack]++;
      if (lastRound[stack] !== round) rounds[stack]++;
      lastRound[stack] = round;
      while (step < starts.length && starts[step] <= birth) step++;
      if (death >= end) {
        longLived.push(row);
        survivors[stack]++;
        if (lastSurvivorStep[stack] !== step) survivorSteps[stack]++;
        lastSurvivorStep[stack] = step;
        continue;
      }
      // One of the stacks with a role is enough.
      const isOpen = freedInBackward[stack] === 0 || role === StackRole.Unmarked;
      if (isOpen && this.isFreedInBackward(death)) freedInBackward[stack]++;
      if (role === StackRole.Optimizer && forwards.upTo(death - 1) <= round) freedBeforeForward[stack]++;
      if (step === starts.length || death < starts[step]) continue;
      longLived.push(row);
      longestFreedAge[stack] = Math.max(longestFreedAge[stack], this.stepOf(death) - step);
    }
    return { rows, survivors, rounds, freedInBackward, freedBeforeForward, longestFreedAge, survivorSteps };
  }

  private stepOf(ordinal: number): number {
    return this.steps === null ? 0 : stepAt(this.steps, Math.max(0, ordinal));
  }
}

/** False if no stack shows the freeing code. */
function freesHaveStacks({ events, stacks }: Snapshot, { trace: { first, count } }: DeviceHistory): boolean {
  for (let event = first; event < first + count; event++) {
    if (events.action[event] !== Action.FreeRequested) continue;
    if (stacks.offset[events.stack[event]] < stacks.offset[events.stack[event] + 1]) return true;
  }
  return false;
}

/** One row of a history. */
export function livedRow({ allocations }: DeviceHistory, row: number): Lived {
  return {
    row,
    birth: allocations.birth[row],
    death: allocations.death[row],
    stack: allocations.stack[row],
    forwardStack: allocations.forwardStack[row],
  };
}
