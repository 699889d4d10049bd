import { getOrAdd } from '../../maps.js';
import { functionName } from '../../model/functionName.js';
import { recordedKind } from '../../model/recordedFile.js';
import { Action, EMPTY_STACK, NO_STACK, type DeviceTrace, type Snapshot } from '../../model/snapshot.js';
import type { StackId } from '../../model/units.js';
import { frameKind } from '../frameKind.js';
import { isModuleCall, StackRole, type StackRoles } from '../stackRole.js';

/** Fewer complete iterations than this are not steps. */
export const MIN_TURNS = 3;
/** So many iterations, each with an optimizer's step, are those of the training and not of a loop inside it. */
const MIN_SURE = 15;
/** A fused optimizer leaves no events. So many backward passes are more than those that add up to one gradient. */
const MIN_SURE_PASSES = 64;
/** Share of iterations with a complete cycle: below it, only those are steps, as with skipped batches. */
const WHOLE = 0.9;
/** The least such share. */
const MOSTLY = 0.5;
/** Share of an iteration's rise that the next one must find free again. */
const RETURNS = 0.5;
/** How much more a pass without training may allocate than another. */
const EVEN = 1.01;
/** Without training: share of the trace up to which turns must go, and lines of a `forward` that is more than one loop. */
const FILLED = 0.8;
const LINES_OF_PASS = 3;
/** Maximum number of examined loops, those with most iterations first. */
const MAX_LOOPS = 64;
/** Library code between two frames of the user that only calls on. */
const CALLS_ON =
  /(?:^|\/)(?:contextlib|functools|runpy|threading|asyncio\/\w+|concurrent\/\S+|multiprocessing\/\w+|(?:torch\/(?:utils\/_contextlib|autograd\/grad_mode|amp\/autocast_mode|_compile|_dynamo\/\S+|multiprocessing\/\w+|distributed\/(?:elastic|launcher)\/\S+))|(?:hydra|click|typer|fire|absl|IPython|ipykernel|modal|ray)\/\S+)\.py$/;
/** Checkpoints, of PyTorch or in a Function of others, run parts of a pass again in the backward pass. */
const REPEATS = /torch[\\/](?:utils[\\/]checkpoint|autograd[\\/](?:__init__|graph|function)|_tensor)\.py$/;
/** Loops over timesteps or tokens make one result: they are part of a pass. */
const OF_ONE_RESULT = /sampl|generat|denois|diffus|decod|rollout|timestep|ddim|ddpm|autoregress|beam/i;

/** A line of a frame, below the same lines of the frames outside it. */
interface Place {
  parent: number;
  /** File and name of the frame, as one key. */
  code: string;
  line: number;
  /** True for the outermost module's `forward`: the innermost frame that a step can be identified by. */
  isForward: boolean;
  /** The frame's names mention timesteps or tokens. */
  isOfOneResult: boolean;
}

/**
 * Finds where iterations of the training loop begin: frames of the loop around the outermost module call go back, while
 * frames outside stay. Layers and tokens are inside such a call.
 * @returns ordinals in the trace, and whether they are certainly steps; null if fewer than three are complete
 */
export function trainingLoop(
  snapshot: Snapshot,
  trace: DeviceTrace,
  roles: StackRoles,
): { starts: Uint32Array; isSure: boolean } | null {
  const places = new Places(snapshot);
  const arrivals = arrivalsAt(snapshot, trace, places, placesGoneBackTo(snapshot, trace, places));
  const cycle = new Cycle(snapshot, trace, roles);
  const loops = [...arrivals].map(([place, starts]) => ({ place, ...cycle.wholeTurns(starts) }));
  const best = mostTurns(
    cycle.trains ? loops : loops.filter(({ place, starts }) => places.isOfPasses(place) && fills(trace, starts)),
    places,
  );
  // The loop of a library's trainer is not the user's.
  const { starts, holdsOptimizer } = best ?? cycle.passes();
  if (starts.length < MIN_TURNS) return null;
  const isSure = starts.length >= (holdsOptimizer ? MIN_SURE : cycle.trains ? MIN_SURE_PASSES : Infinity);
  return { starts: Uint32Array.from(starts), isSure };
}

/** True if the iterations fill most of the trace, nearly to its end. What a model repeats within one pass does not. */
function fills({ count }: DeviceTrace, starts: readonly number[]): boolean {
  const last = starts.at(-1) ?? 0;
  const iteration = starts.length < 2 ? 0 : (last - starts[0]) / (starts.length - 1);
  return last + iteration >= FILLED * count && last + iteration - starts[0] >= MOSTLY * count;
}

interface Loop {
  place: number;
  starts: readonly number[];
  /** True if its turns hold the optimizer's step as well, where the trace has one. */
  holdsOptimizer: boolean;
}

/** The innermost loop that holds whole steps, because an epoch holds many; of equal ones, the outermost frame's first. */
function mostTurns(loops: readonly Loop[], places: Places): Loop | null {
  const frequent = loops.filter(({ starts }) => starts.length >= MIN_TURNS);
  const withOptimizer = frequent.filter(({ holdsOptimizer }) => holdsOptimizer);
  return (withOptimizer.length > 0 ? withOptimizer : frequent).reduce<Loop | null>((best, loop) => {
    if (best === null || loop.starts.length > best.starts.length) return loop;
    return loop.starts.length === best.starts.length && places.isBefore(loop.place, best.place) ? loop : best;
  }, null);
}

/** Where in the program each stack is, outside of every module call. */
class Places {
  private readonly all: Place[] = [];
  private readonly known = new Map<string, number>();
  private readonly pathOf = new Map<StackId, readonly number[]>();
  /** Lines that allocate in each `forward` of an outermost module, by its parent and code. */
  private readonly extent = new Map<string, { first: number; last: number; lines: Set<number> }>();

  /** Files with a `forward` that a module's call runs. */
  private readonly moduleFiles = new Set<number>();

  constructor(private readonly snapshot: Snapshot) {}

  /** The loops around a stack, outermost first; empty if no line of the user is known. */
  path(stack: StackId): readonly number[] {
    return getOrAdd(this.pathOf, stack, () => this.findPath(stack));
  }

  /** The code that a path begins in: threads begin in different ones. */
  rootOf(path: readonly number[]): string {
    return this.all[path[0]].code;
  }

  /** True if going from one place to another, of the same parent, a loop turns. */
  goesBack(from: number, to: number): boolean {
    const [a, b] = [this.all[from], this.all[to]];
    if (a.code !== b.code || a.isForward !== b.isForward || b.line >= a.line) return false;
    if (!b.isForward) return true;
    // A pass ends with the last line and begins with the first: layers go back within it.
    const { first, last } = this.extent.get(`${b.parent}/${b.code}`) ?? { first: 0, last: 0 };
    return a.line === last && b.line === first;
  }

  /** False for code that may repeat within one pass: timesteps, layers, iterations inside a model's `forward`. */
  isOfPasses(place: number): boolean {
    const { parent, code, isForward } = this.all[place];
    const lines = this.extent.get(`${parent}/${code}`)?.lines.size ?? 0;
    return !this.isOfOneResult(place) && !this.isInModule(place) && (!isForward || lines >= LINES_OF_PASS);
  }

  private isOfOneResult(place: number): boolean {
    for (let at = place; at !== -1; at = this.all[at].parent) {
      if (this.all[at].isOfOneResult) return true;
    }
    return false;
  }

  /** True for a function beside a module's `forward`: it may be a method that goes through layers. */
  private isInModule(place: number): boolean {
    const { code, isForward } = this.all[place];
    const [file, name] = code.split('/').map(Number);
    return !isForward && this.moduleFiles.has(file) && this.snapshot.strings.text(name) !== '<module>';
  }

  isForward(place: number): boolean {
    return this.all[place].isForward;
  }

  isBefore(a: number, b: number): boolean {
    const [depthA, depthB] = [this.depthOf(a), this.depthOf(b)];
    return depthA === depthB ? this.all[a].line < this.all[b].line : depthA < depthB;
  }

  private depthOf(place: number): number {
    let depth = 0;
    for (let at = place; at !== -1; at = this.all[at].parent) depth++;
    return depth;
  }

  private findPath(stack: StackId): number[] {
    const { stacks, frames, strings } = this.snapshot;
    const path: number[] = [];
    let isOfUser = false;
    for (let i = stacks.offset[stack + 1] - 1; i >= stacks.offset[stack]; i--) {
      const frame = stacks.frames[i];
      const file = strings.text(frames.file[frame]).replaceAll('\\', '/');
      if (recordedKind(file) === 'native') continue;
      const name = functionName(strings.text(frames.name[frame]));
      // Some programs call the `forward` of a module themselves.
      if (isOfUser && name === 'forward') {
        path.push(this.place(path.at(-1) ?? -1, frame, true));
        break;
      }
      if (isModuleCall({ file, function: name })) {
        const forward = this.forwardBelow(i, stacks.offset[stack]);
        if (isOfUser && forward !== null) path.push(this.place(path.at(-1) ?? -1, forward, true));
        break;
      }
      if (frameKind(file) === 'user') isOfUser = true;
      // Frames above the user's first one start the program; below, a library runs its own loops.
      else if (CALLS_ON.test(file)) continue;
      else if (isOfUser || /torch\/(?:utils\/checkpoint|autograd\/)/.test(file)) break;
      else continue;
      path.push(this.place(path.at(-1) ?? -1, frame, false));
    }
    return isOfUser ? path : [];
  }

  /** The first frame that a module's call runs. */
  private forwardBelow(from: number, to: number): number | null {
    const { stacks, frames, strings } = this.snapshot;
    for (let i = from; i >= to; i--) {
      const frame = stacks.frames[i];
      const file = strings.text(frames.file[frame]).replaceAll('\\', '/');
      if (!isModuleCall({ file, function: strings.text(frames.name[frame]) }) && recordedKind(file) !== 'native')
        return frame;
    }
    return null;
  }

  private place(parent: number, frame: number, isForward: boolean): number {
    const { frames, strings } = this.snapshot;
    const line = frames.line[frame];
    const code = `${frames.file[frame]}/${frames.name[frame]}`;
    const key = `${parent}/${code}/${line}/${isForward}`;
    const place = getOrAdd(this.known, key, () => {
      const file = strings.text(frames.file[frame]).replaceAll('\\', '/').split('/').pop() ?? '';
      const isOfOneResult = OF_ONE_RESULT.test(`${file} ${strings.text(frames.name[frame])}`);
      return this.all.push({ parent, code, line, isForward, isOfOneResult }) - 1;
    });
    if (isForward) {
      this.moduleFiles.add(frames.file[frame]);
      const extent = getOrAdd(this.extent, `${parent}/${code}`, () => ({ first: line, last: line, lines: new Set() }));
      extent.first = Math.min(extent.first, line);
      extent.last = Math.max(extent.last, line);
      extent.lines.add(line);
    }
    return place;
  }
}

/** Calls back with each new place, and the thread's previous one of the same parent. */
function eachArrival(
  { events }: Snapshot,
  trace: DeviceTrace,
  places: Places,
  seen: (place: number, sibling: number | undefined, ordinal: number) => void,
): void {
  const last = new Map<string, readonly number[]>();
  const children = new Map<string | number, number>();
  for (let ordinal = 0; ordinal < trace.count; ordinal++) {
    const action = events.action[trace.first + ordinal];
    if (action !== Action.Alloc && action !== Action.FreeRequested) continue;
    const path = places.path(events.stack[trace.first + ordinal]);
    if (path.length === 0) continue;
    const root = places.rootOf(path);
    const before = last.get(root) ?? [];
    if (before === path) continue;
    last.set(root, path);
    let parting = 0;
    while (parting < before.length && parting < path.length && before[parting] === path[parting]) parting++;
    for (let i = parting; i < path.length; i++) {
      const parent = i === 0 ? root : path[i - 1];
      seen(path[i], children.get(parent), ordinal);
      children.set(parent, path[i]);
    }
  }
}

/** Places that were gone back to, those most often. */
function placesGoneBackTo(snapshot: Snapshot, trace: DeviceTrace, places: Places): Set<number> {
  // All lines of a `forward` must be known before one is the last.
  for (let stack = EMPTY_STACK + 1; stack < snapshot.stacks.count; stack++) places.path(stack);
  const times = new Map<number, number>();
  eachArrival(snapshot, trace, places, (place, sibling) => {
    if (sibling !== undefined && places.goesBack(sibling, place)) times.set(place, (times.get(place) ?? 0) + 1);
  });
  const often = [...times].filter(([, count]) => count >= MIN_TURNS - 1).sort((a, b) => b[1] - a[1]);
  return new Set(often.slice(0, MAX_LOOPS).map(([place]) => place));
}

/** Ordinals at which each place is reached. */
function arrivalsAt(
  snapshot: Snapshot,
  trace: DeviceTrace,
  places: Places,
  wanted: ReadonlySet<number>,
): Map<number, number[]> {
  const arrivals = new Map<number, number[]>();
  eachArrival(snapshot, trace, places, (place, sibling, ordinal) => {
    if (!wanted.has(place)) return;
    const starts = arrivals.get(place);
    if (starts === undefined) arrivals.set(place, [ordinal]);
    else if (!places.isForward(place) || (sibling !== undefined && places.goesBack(sibling, place)))
      starts.push(ordinal);
  });
  return arrivals;
}

/** Requirements of an iteration, as counts up to each event. */
class Cycle {
  readonly trains: boolean;
  private readonly forwards: Uint32Array;
  /** Bytes that these allocate. */
  private readonly forwardBytes: Float64Array;
  private readonly backwards: Uint32Array;
  private readonly optimizers: Uint32Array;
  /** Whether each stack may be of a repeated part. */
  private readonly repeats = new Map<StackId, boolean>();
  /** Up to a constant. */
  private readonly live: Float64Array;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly trace: DeviceTrace,
    roles: StackRoles,
  ) {
    const { events, stacks } = snapshot;
    const { first, count } = trace;
    this.forwards = new Uint32Array(count + 1);
    this.forwardBytes = new Float64Array(count + 1);
    this.backwards = new Uint32Array(count + 1);
    this.optimizers = new Uint32Array(count + 1);
    this.live = new Float64Array(count + 1);
    const actions = events.action.subarray(first, first + count);
    const freeing = actions.includes(Action.FreeRequested) ? Action.FreeRequested : Action.FreeCompleted;
    const hasStack = (i: number): boolean => {
      const stack = events.stack[first + i];
      return stacks.offset[stack] < stacks.offset[stack + 1];
    };
    for (let i = 0; i < count; i++) {
      const action = actions[i];
      const isAlloc = action === Action.Alloc;
      const size = events.size[first + i];
      const role =
        isAlloc || (action === Action.FreeRequested && hasStack(i)) ? roles.of(events.stack[first + i]) : null;
      const isForward = isAlloc && role === StackRole.Forward;
      const begun = this.forwards[i] > 0 || this.backwards[i] > 0;
      const hasForwardStack = (events.forwardStack?.[first + i] ?? NO_STACK) !== NO_STACK;
      const isBackward =
        isAlloc && (role === StackRole.Backward || hasForwardStack || (begun && role === StackRole.Stackless));
      this.forwards[i + 1] = this.forwards[i] + Number(isForward);
      this.forwardBytes[i + 1] = this.forwardBytes[i] + (isForward ? size : 0);
      this.backwards[i + 1] = this.backwards[i] + Number(isBackward);
      this.optimizers[i + 1] = this.optimizers[i] + Number(role === StackRole.Optimizer);
      this.live[i + 1] = this.live[i] + (isAlloc ? size : action === freeing ? -size : 0);
    }
    this.trains = this.backwards[count] > 0;
  }

  /**
   * The iterations that begin at these ordinals; none if too few have a complete cycle. Without a backward pass, memory
   * must return.
   */
  wholeTurns(starts: readonly number[]): { starts: readonly number[]; holdsOptimizer: boolean } {
    const ends = [...starts.slice(1), this.trace.count];
    const holding = (counts: Uint32Array): number[] => starts.filter((start, i) => counts[ends[i]] > counts[start]);
    const whole = holding(this.trains ? this.backwards : this.forwards);
    // The last turn may be under way when the snapshot is taken.
    const share = whole.length / (starts.length - 1);
    // A backward pass in every iteration is proof enough, also with a leak.
    const isSure = this.trains || (this.returnsToFloor(starts, ends) && this.isEven(starts));
    const frequent = whole.length < MIN_TURNS || !isSure ? [] : share >= WHOLE ? starts : share >= MOSTLY ? whole : [];
    return { starts: frequent, holdsOptimizer: holding(this.optimizers).length >= MOSTLY * whole.length };
  }

  /** Forward passes that follow a step of an optimizer, else a backward pass. */
  passes(): { starts: readonly number[]; holdsOptimizer: boolean } {
    const starts = this.passesAfter(this.optimizers);
    const holdsOptimizer = starts.length >= MIN_TURNS;
    return { starts: holdsOptimizer ? starts : this.passesAfter(this.backwards), holdsOptimizer };
  }

  /** Where passes begin: the first one, and each after one of these events. Checkpoints repeat parts of a pass. */
  private passesAfter(counts: Uint32Array): number[] {
    const starts: number[] = [];
    let since = -1;
    for (let i = 0; i < this.trace.count; i++) {
      const isForward = this.forwards[i + 1] > this.forwards[i];
      if (!isForward || (since >= 0 && counts[i] === counts[since]) || this.mayRepeat(i)) continue;
      starts.push(i);
      since = i;
    }
    return starts;
  }

  private mayRepeat(ordinal: number): boolean {
    const { events, stacks, frames, strings } = this.snapshot;
    const stack = events.stack[this.trace.first + ordinal];
    return getOrAdd(this.repeats, stack, () =>
      stacks.frames
        .subarray(stacks.offset[stack], stacks.offset[stack + 1])
        .some((frame) => REPEATS.test(strings.text(frames.file[frame]))),
    );
  }

  /** The first turn is left out: it makes workspaces that stay. */
  private returnsToFloor(starts: readonly number[], ends: readonly number[]): boolean {
    let rises = 0;
    let falls = 0;
    for (let i = 1; i < starts.length; i++) {
      const turn = this.live.subarray(starts[i], ends[i] + 1);
      const high = turn.reduce((most, bytes) => Math.max(most, bytes), -Infinity);
      const next =
        i + 1 < starts.length ? this.live.subarray(starts[i + 1], ends[i + 1] + 1) : turn.subarray(turn.indexOf(high));
      rises += high - lowest(turn);
      falls += high - lowest(next);
    }
    return falls >= RETURNS * rises;
  }

  /** True if most passes are as large as the others: tokens make each longer. The first and the last may be cut off. */
  private isEven(starts: readonly number[]): boolean {
    const sums = starts.slice(1, -1).map((start, i) => this.forwardBytes[starts[i + 2]] - this.forwardBytes[start]);
    const median = sums.sort((a, b) => a - b)[sums.length >> 1];
    return sums.filter((sum) => sum <= EVEN * median && median <= EVEN * sum).length >= WHOLE * sums.length;
  }
}

function lowest(values: Float64Array): number {
  return values.reduce((least, value) => Math.min(least, value), Infinity);
}
