/** Changes of a program whose effect a replay can show: what the recording says of each allocation is enough for them. */
import { frameOf } from '../../model/digestFrame.js';
import type { Change } from '../../allocator/changedReplay.js';
import type { ProgramChange } from '../../allocator/deviceAnswer.js';
import { CategoryCode } from '../../attribution/categories/category.js';
import { Categorizer, livedRow } from '../../attribution/categories/categorizer.js';
import { failuresOf } from '../../attribution/failures.js';
import type { FileLookup } from '../../attribution/owner.js';
import { ownerOfStack, stackFrames } from '../../attribution/ownerTally.js';
import { isModuleCall, StackRole, StackRoles } from '../../attribution/stackRole.js';
import type { Steps } from '../../attribution/steps/steps.js';
import { getOrAdd } from '../../maps.js';
import { countUpTo } from '../../model/ascending.js';
import { liveRows, type TraceHistory } from '../../model/history.js';
import { recordedKind } from '../../model/recordedFile.js';
import type { Snapshot } from '../../model/snapshot.js';
import type { Bytes, FrameId, StackId } from '../../model/units.js';
import { isForeach } from './peakReport.js';
import { reportFrame } from '../reportFrame.js';

/** A line as a command or a finding has it: the file is the end of a path. */
export interface NamedLine {
  readonly file: string;
  readonly line: number;
}

/**
 * The usual changes of the program that concern memory of the trace.
 * @param steps on the device of the history; null where none are known
 * @param leaking lines that leak, as the lookup names them
 */
export function programChanges(
  snapshot: Snapshot,
  history: TraceHistory,
  steps: Steps | null,
  leaking: readonly NamedLine[],
  lookup: FileLookup,
): ProgramChange[] {
  const roles = new StackRoles(snapshot);
  const categorizer = new Categorizer(snapshot, history, steps, roles);
  const { allocations } = history;
  const copies = new Uint8Array(allocations.count);
  const foreach = new Uint8Array(allocations.count);
  const gradients: number[] = [];
  const kept: number[] = [];
  const isOfForeach = foreachTest(snapshot);
  for (let row = 0; row < allocations.count; row++) {
    const lived = livedRow(history, row);
    switch (categorizer.of(lived)) {
      case CategoryCode.WeightCopies:
        copies[row] = 1;
        break;
      case CategoryCode.Workspace:
        if (isOfForeach(allocations.stack[row])) foreach[row] = 1;
        break;
      case CategoryCode.Gradients:
        gradients.push(row);
        break;
      case CategoryCode.Activations:
        if (lived.death < history.trace.count && categorizer.isKeptForBackward(lived)) kept.push(row);
        break;
      default:
        break;
    }
  }
  const changes: ProgramChange[] = [];
  if (leaking.length > 0) {
    const event = failuresOf(snapshot, history, 1).at(0)?.event ?? history.trace.count - 1;
    const without = leakedBefore(snapshot, history, event, leaking, steps, lookup);
    if (without.includes(1)) changes.push({ kind: 'leaks', at: null, change: { without } });
  }
  if (steps !== null)
    changes.push({
      kind: 'emptyCache',
      at: null,
      change: { emptiedBefore: betweenSteps(snapshot, history, steps, roles) },
    });
  const freedBefore = freedAfterStep(snapshot, history, roles, gradients);
  if (freedBefore.size > 0) changes.push({ kind: 'gradients', at: null, change: { freedBefore } });
  if (copies.includes(1)) changes.push({ kind: 'weightCopies', at: null, change: { without: copies } });
  if (foreach.includes(1)) changes.push({ kind: 'foreach', at: null, change: { without: foreach } });
  const checkpoint = checkpointChange(snapshot, history, kept, lookup);
  if (checkpoint !== null) changes.push(checkpoint);
  return changes;
}

/** The first allocation of each step that is not the optimizer's: by then, what follows its step is freed. */
function betweenSteps(
  { events }: Snapshot,
  { trace, allocations: { birth, count } }: TraceHistory,
  { starts }: Steps,
  roles: StackRoles,
): number[] {
  const isOfOptimizer = (row: number): boolean =>
    roles.of(events.stack[trace.first + birth[row]]) === StackRole.Optimizer;
  const found = new Set<number>();
  for (const start of starts) {
    let row = countUpTo(birth, start - 1);
    while (row < count && isOfOptimizer(row)) row++;
    if (row < count) found.add(birth[row]);
  }
  return [...found];
}

/** Whether a stack is that of an optimizer that works on all tensors at once. */
function foreachTest(snapshot: Snapshot): (stack: StackId) => boolean {
  const known = new Map<StackId, boolean>();
  return (stack) => getOrAdd(known, stack, () => isForeach(stackFrames(snapshot, stack)));
}

/** Gradients that live on after the optimizer's step, by the forward pass before which `zero_grad` can free them. */
function freedAfterStep(
  { events }: Snapshot,
  { trace, allocations }: TraceHistory,
  roles: StackRoles,
  gradients: readonly number[],
): Map<number, number[]> {
  const optimizing: number[] = [];
  const forward: number[] = [];
  for (let row = 0; row < allocations.count; row++) {
    const ordinal = allocations.birth[row];
    if (ordinal < 0) continue;
    const role = roles.of(events.stack[trace.first + ordinal]);
    if (role === StackRole.Optimizer) optimizing.push(ordinal);
    else if (role === StackRole.Forward) forward.push(ordinal);
  }
  const freed = new Map<number, number[]>();
  for (const row of gradients) {
    const [begin, end] = [allocations.birth[row], allocations.death[row]];
    const next = optimizing.at(countUpTo(optimizing, begin)) ?? Infinity;
    // Gradients that are older than the trace, and freed before the next optimizer's step, were of the last one.
    const step = begin < 0 && end < trace.count && end < next ? -1 : next;
    const pass = forward.at(countUpTo(forward, step));
    if (pass !== undefined && pass < end) getOrAdd(freed, pass, () => []).push(row);
  }
  return freed;
}

/** Calls that are live together from which a checkpoint is worth its time. */
const MIN_CALLS = 2;

/**
 * Each call of the module whose calls keep most for the backward pass, checkpointed: its activations, but the last, are
 * freed when the next call begins, and allocated again when the backward pass comes to it.
 * @param kept rows of activations that the backward pass frees, by birth
 */
function checkpointChange(
  snapshot: Snapshot,
  history: TraceHistory,
  kept: readonly number[],
  lookup: FileLookup,
): ProgramChange | null {
  const { allocations, trace } = history;
  const { birth, death, stack, bytes } = allocations;
  const pythonOf = pythonStacks(snapshot);
  const rowsOf = new Map<FrameId, number[]>();
  for (const row of kept) for (const frame of pythonOf(stack[row]).callers) getOrAdd(rowsOf, frame, () => []).push(row);
  const atPeak = new Set(liveRows(history, history.peak));
  let best: { frame: FrameId; calls: number[][]; saved: Bytes } | null = null;
  for (const [frame, rows] of rowsOf) {
    const calls = callsOf(rows, (row) => pythonOf(stack[row]).place);
    const live = calls
      .map((call) => call.slice(0, -1).reduce((sum, row) => sum + (atPeak.has(row) ? bytes[row] : 0), 0))
      .filter((held) => held > 0);
    // One of the calls that are live at the peak is recomputed there.
    const saved = live.length < MIN_CALLS ? 0 : live.reduce((sum, held) => sum + held, 0) - Math.max(...live);
    if (saved > (best?.saved ?? 0)) best = { frame, calls, saved };
  }
  if (best === null) return null;
  const freedBefore = new Map<number, number[]>();
  const repeatedBefore = new Map<number, number[]>();
  best.calls.forEach((call, i) => {
    const next = best.calls.at(i + 1)?.at(0);
    const end = next === undefined ? trace.count : birth[next];
    const dropped = call.slice(0, -1).filter((row) => death[row] > end);
    if (dropped.length === 0) return;
    freedBefore.set(end, dropped);
    const first = dropped.reduce((least, row) => Math.min(least, death[row]), trace.count);
    getOrAdd(repeatedBefore, first, () => []).push(...dropped.map((row) => birth[row]));
  });
  const at = reportFrame(frameOf(snapshot, best.frame), lookup);
  return { kind: 'checkpoint', at, change: { freedBefore, repeatedBefore } };
}

/** A call in PyTorch itself is no place for a checkpoint. */
const OF_TORCH = /(?:^|[/\\])torch[/\\]/;

/** What the Python frames of a stack say: native ones differ where the first call prepares something. */
interface PythonStack {
  /** Equal for allocations of one place of the source. */
  readonly place: string;
  /** The frames that call a module. */
  readonly callers: ReadonlySet<FrameId>;
}

function pythonStacks({ stacks, frames, strings }: Snapshot): (stack: StackId) => PythonStack {
  const fileOf = (frame: FrameId): string => strings.text(frames.file[frame]);
  const isCall = Array.from({ length: frames.count }, (_, frame) =>
    isModuleCall({ file: fileOf(frame), function: strings.text(frames.name[frame]) }),
  );
  const known = new Map<StackId, PythonStack>();
  return (stack) =>
    getOrAdd(known, stack, () => {
      const python = [...stacks.frames.subarray(stacks.offset[stack], stacks.offset[stack + 1])].filter(
        (frame) => recordedKind(fileOf(frame)) !== 'native',
      );
      const isCaller = (frame: FrameId, i: number): boolean =>
        i > 0 && isCall[python[i - 1]] && !isCall[frame] && !OF_TORCH.test(fileOf(frame));
      return { place: python.join(), callers: new Set(python.filter(isCaller)) };
    });
}

/** Rows by the call that allocates them: each call begins at the same place. */
function callsOf(rows: readonly number[], placeOf: (row: number) => string): number[][] {
  const calls: number[][] = [];
  const first = placeOf(rows[0]);
  let isBegun = false;
  for (const row of rows) {
    const begins = placeOf(row) === first;
    // One operation may allocate several times.
    if (begins && !isBegun) calls.push([]);
    isBegun = begins;
    calls[calls.length - 1].push(row);
  }
  return calls;
}

/**
 * Marks the allocations of some lines with 1.
 * @param left lines that no allocation was found for; found ones are removed
 */
export function rowsOfLines(
  snapshot: Snapshot,
  { allocations }: TraceHistory,
  lines: readonly NamedLine[],
  lookup: FileLookup,
  left = new Set<NamedLine>(),
): Uint8Array {
  const rows = new Uint8Array(allocations.count);
  const known = new Map<string, boolean>();
  for (let row = 0; row < allocations.count; row++) {
    const [stack, forward] = [allocations.stack[row], allocations.forwardStack[row]];
    rows[row] = Number(
      getOrAdd(known, `${stack} ${forward}`, () => {
        const owner = ownerOfStack(snapshot, stack, forward, 'noStack', lookup);
        const named = 'line' in owner ? lines.find((line) => isLine(owner.line, line)) : undefined;
        if (named !== undefined) left.delete(named);
        return named !== undefined;
      }),
    );
  }
  return rows;
}

function isLine(owner: NamedLine, { file, line }: NamedLine): boolean {
  const plain = (path: string): string => `/${path.replaceAll('\\', '/')}`;
  return owner.line === line && plain(owner.file).endsWith(plain(file));
}

/**
 * What a leak of some lines has left behind before an event. A corrected program would still hold what the step of the
 * event allocates; without steps, that is the last allocation of each stack.
 * @param steps on the device of the history; null where none are known
 */
export function leakedBefore(
  snapshot: Snapshot,
  history: TraceHistory,
  event: number,
  lines: readonly NamedLine[],
  steps: Steps | null,
  lookup: FileLookup,
): NonNullable<Change['without']> {
  const { birth, stack } = history.allocations;
  const rows = rowsOfLines(snapshot, history, lines, lookup);
  const leaked = new Uint8Array(rows.length);
  const begun = steps === null ? null : countUpTo(steps.starts, event);
  const isOfStep = (row: number): boolean => begun !== null && countUpTo(steps?.starts ?? [], birth[row]) === begun;
  const seen = new Set<StackId>();
  for (const row of liveRows(history, event).reverse()) {
    if (rows[row] === 0) continue;
    const isLast = !seen.has(stack[row]);
    seen.add(stack[row]);
    leaked[row] = Number(steps === null ? !isLast : !isOfStep(row));
  }
  return leaked;
}
