import type { FunctionDef, Lambda, Span } from '../../python/ast.js';
import { type PythonModule, lineAt } from '../../python/pythonModule.js';
import type { Assigned, Holding, PathFrame, Reference } from '../records.js';
import type { Sources } from '../sources.js';
import { FlowNode, type LoopRound, type ItemLimit, type Sureness } from '../values/flowNode.js';
import {
  type Removal,
  type Container,
  type FunctionObject,
  type Hook,
  type Place,
  type ReleaseKind,
  type Scope,
  type Value,
  releaseItems,
} from '../values/objects.js';

/** A function that is being followed. */
export interface Activation {
  readonly scope: Scope;
  /** Null for a module's own statements. */
  readonly def: FunctionDef | Lambda | null;
  /** The frame of the function on the stack, or null. */
  readonly frame: number | null;
  readonly returned: Value[];
  /** Calls between it and the stack. */
  readonly depth: number;
  /** The object for `ctx` in an autograd function's forward. */
  readonly context: { readonly name: string; readonly stored: Holding[] } | null;
}

/** The bound that a test sets on a number of items. */
export interface LengthTest {
  /** The container's source; null for a tested counter, which bounds all containers under the test. */
  readonly container: string | null;
  /** The maximum while the test holds; null without one. */
  readonly limit: ItemLimit | null;
  /** A number that the container may exceed, for which the test asks; else null. */
  readonly over: ItemLimit | null;
}

/** A hook's function, interpreted last, with unknown arguments. */
interface Registered {
  readonly hook: Hook;
  /** The object of the registration, and the loops around the object's creation. */
  readonly on: FlowNode;
  readonly madeIn: readonly LoopRound[];
  readonly functions: readonly FunctionObject[];
  readonly holding: Holding;
}

/** Loops that ran when the training stepped. */
export interface StepSign {
  readonly kind: 'marked' | 'optimizer' | 'backward';
  readonly loops: readonly LoopRound[];
  readonly entrance: number;
}

/** A backward, in some iterations of a loop, that frees a graph of the watched memory. */
interface Release {
  readonly place: Place;
  /** The tensor that it starts from, by its name in the source. */
  readonly root: string;
  readonly loops: readonly LoopRound[];
  /** Iterations from one run to the next. */
  readonly every: number;
}

/** The bound that a test around a block sets on a number of items. */
export interface Measured extends LengthTest {
  /** How many loops ran around the test. */
  readonly depth: number;
}

/** Maximum number of expressions for one stack: above the first, calls off the stack are not followed; the second ends the search. */
const MAX_OFF_PATH = 40_000;
const MAX_EXPRESSIONS = 160_000;
/** Maximum number of values that walks visit for one stack, and the number of them that take as long as an expression. */
const MAX_VISITED = 2_000_000;
const VISITED_PER_EXPRESSION = 16;

/** Interpreted iterations of a loop: the second sees the results of the first. */
export const ROUNDS = 2;

/** The loop of a function with unknown callers. */
export const OUTSIDE = 'outside';

/** Thrown when the interpretation takes too long; its results so far are not used. */
export class TooMuchWork extends Error {}

/** Everything that is noted while the source is followed along one stack. */
export class Machine {
  readonly holdings: Holding[] = [];
  readonly assigned: Assigned[] = [];
  readonly references: Reference[] = [];
  readonly hooks: Registered[] = [];
  readonly steps: StepSign[] = [];
  readonly releases: Release[] = [];
  /** Nodes that the watched line made. */
  readonly allocated: FlowNode[] = [];
  /** The loops around the watched line; null until it was met. */
  watchedLoops: readonly LoopRound[] | null = null;
  /** Numbers the outermost loops that were entered, one that runs again as another one. */
  entrance = 0;
  /** The entrance of the loops around the watched line. */
  watchedEntrance = 0;
  /** Nodes that backward passes ran through. */
  readonly differentiated = new Set<FlowNode>();
  /** Tensors that a call joined, such as `torch.cat`, by the result: the value that has them. */
  readonly joined = new Map<FlowNode, FlowNode>();
  /** Arguments of unknown calls. */
  readonly passed = new Set<FlowNode>();
  /** Receivers of releases that are not known to be containers, by their names in the source. */
  readonly emptied = new Set<string>();
  /** Frames that an object of a library calls. */
  readonly foreign = new Set<number>();
  /** Names the frames of the stack that were reached. */
  readonly entered = new Set<number>();
  readonly running: (FunctionDef | Lambda)[] = [];
  /** Loops whose headers are on the stack. */
  readonly headers: string[] = [];
  readonly scopes = new Map<PythonModule, Scope>();
  /** Functions that statements defined, by their definitions. */
  readonly functions = new Map<FunctionDef, FunctionObject>();
  /** Attributes of unknown values, so that what is stored in them is found again. */
  readonly partsOfUnknown = new WeakMap<FlowNode, Map<string, Value>>();
  loops: readonly LoopRound[] = [];
  /** Loops over a running generator: it continues during their iterations, and so do its objects. */
  lasting: ReadonlySet<string> = new Set();
  everyRound: number | null = null;
  /** Depth of blocks in which no graph is made. */
  withoutGraph = 0;
  /** The number of branches around the interpreted statement. */
  branches = 0;
  /** Operations inside `try` blocks, for the tracebacks. */
  readonly tries: FlowNode[][] = [];
  /** Errors that generators handle: as context managers, those of the block that they are around. */
  readonly handled: FlowNode[] = [];
  readonly autocasts: { readonly span: Span; readonly loops: readonly LoopRound[]; readonly module: PythonModule }[] =
    [];
  /** Parameters made inside an autocast block. */
  readonly autocastWeights: {
    readonly block: Machine['autocasts'][number];
    readonly loops: readonly LoopRound[];
    readonly node: FlowNode;
  }[] = [];
  /** Conditions of the surrounding blocks, by their names in the source. */
  measured: readonly Measured[] = [];
  private expressions = 0;
  private visited = 0;
  private rounds = 0;

  /** The loops around the watched statement while it runs, if its calls are watched too; else null. */
  private calling: readonly LoopRound[] | null = null;

  /** @param watchesCalls true if memory that calls of the watched line allocate counts as the line's */
  constructor(
    readonly path: readonly PathFrame[],
    readonly sources: Sources,
    private readonly watchesCalls = false,
  ) {}

  /** Notes that the training stepped here. */
  step(kind: StepSign['kind']): void {
    this.steps.push({ kind, loops: this.loops, entrance: this.entrance });
  }

  /** Counts one expression. @throws TooMuchWork */
  count(): void {
    if (++this.expressions > MAX_EXPRESSIONS) throw new TooMuchWork();
  }

  /** Counts values that a walk visits, or a branch copies. @throws TooMuchWork */
  visit(values = 1): void {
    this.visited += values;
    if (this.visited > MAX_VISITED) throw new TooMuchWork();
  }

  /** The number of expressions that were interpreted. */
  get work(): number {
    return this.expressions + this.visited / VISITED_PER_EXPRESSION;
  }

  get mayLeavePath(): boolean {
    return this.expressions < MAX_OFF_PATH;
  }

  /** Follows a block in which lengths of containers are known. */
  measuring<T>(measured: readonly Measured[], follow: () => T): T {
    const outer = this.measured;
    this.measured = [...outer, ...measured];
    try {
      return follow();
    } finally {
      this.measured = outer;
    }
  }

  /** How much a container takes, by the tests around. */
  testedLimit(holder: string): ItemLimit | null {
    const depth = this.loops.length;
    // In a loop below the test of a counter, each count is more than one item.
    const matches = (one: Measured): boolean =>
      one.container === null ? one.depth === depth : one.container === holder;
    return this.measured.find((one) => one.limit !== null && matches(one))?.limit ?? null;
  }

  /** Notes a removal of items from a container whose length a surrounding test compares. */
  takeOut(containers: readonly Container[], holder: string, kind: ReleaseKind, place: Place): void {
    const isAll = kind === 'clear' || kind === 'cut';
    const tests = this.measured.filter(({ container }) => container === holder);
    const max = tests.find(({ over }) => over !== null && over.count !== 0)?.over ?? null;
    for (const container of containers) {
      const isThorough = isAll || tests.length > 0;
      // A removal under a test of the length leaves other items, which stay.
      const clearing = this.clearing(kind, place, isThorough, max);
      if (isAll) releaseItems(container, clearing);
      else container.removals.push(clearing);
    }
  }

  clearing(kind: ReleaseKind, place: Place, isThorough: boolean, max: ItemLimit | null): Removal {
    const { loops } = this;
    return {
      kind,
      place,
      loops,
      isThorough,
      max,
      isConditional: this.branches > 0,
      isLater: this.watchedLoops !== null,
    };
  }

  /** The loops whose iterations create a value. */
  get madeIn(): readonly LoopRound[] {
    return this.lasting.size === 0 ? this.loops : this.loops.filter(({ loop }) => !this.lasting.has(loop));
  }

  /** Runs a block as a round of a loop. */
  inLoop(loop: string, round: () => void): void {
    const outer = this.loops;
    this.loops = [...outer, { loop, round: this.rounds++ }];
    try {
      round();
    } finally {
      this.loops = outer;
    }
  }

  /** Runs a block as one more round of loops that ran. */
  inRoundsOf(loops: readonly LoopRound[], round: () => void): void {
    const outer = this.loops;
    this.loops = loops.map(({ loop }) => ({ loop, round: this.rounds++ }));
    round();
    this.loops = outer;
  }

  /** A node for the result of an operation. */
  operation(operands: readonly FlowNode[], grad: Sureness, isTensor: boolean): FlowNode {
    const withGraph = this.withoutGraph === 0 && grad > 0;
    const node = this.note(new FlowNode(withGraph ? grad : 0, isTensor));
    node.made = this.loops;
    if (withGraph) node.parents.push(...operands);
    return node;
  }

  note(node: FlowNode): FlowNode {
    for (const one of this.tries) one.push(node);
    return node;
  }

  /** True if a frame of the stack is on a line of this span. */
  isOnPath({ frame, scope }: Activation, span: Span): boolean {
    if (frame === null) return false;
    const { line } = this.path[frame];
    return lineAt(scope.module, span.from) <= line && line <= lineAt(scope.module, span.to);
  }

  /** Records an allocation of the watched line. */
  watch(act: Activation, span: Span, node: FlowNode, sureness: Sureness = 3): void {
    const isHere = act.frame === this.path.length - 1 && this.isOnPath(act, span);
    if (isHere || (act.frame === null && this.calling !== null)) this.mark(node, sureness);
  }

  /** Executes a statement of the watched line. */
  watching<T>(act: Activation, execute: () => T): T {
    if (!this.watchesCalls || act.frame !== this.path.length - 1) return execute();
    const outer = this.calling;
    this.calling = this.loops;
    try {
      return execute();
    } finally {
      this.calling = outer;
    }
  }

  mark(node: FlowNode, sureness: Sureness): void {
    if (node.allocated < sureness) node.allocated = sureness;
    this.allocated.push(node);
    if (this.watchedLoops !== null) return;
    this.watchedLoops = this.calling ?? this.loops;
    this.watchedEntrance = this.entrance;
  }
}
