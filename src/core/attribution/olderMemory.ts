import { liveRows, type DeviceHistory } from '../model/history.js';
import { EMPTY_STACK, type Snapshot } from '../model/snapshot.js';
import type { Bytes, StackId } from '../model/units.js';
import { CategoryCode, livedRow, type Categorizer } from './categories.js';
import { freeStacks } from './lifetimes.js';
import { stacklessRows } from './stackless.js';

/** The trace's evidence on older memory. */
interface OlderMemory {
  /** Never freed, and of the sizes of the gradients, one block for each: parameters. */
  parameterBytes: Bytes;
  /** Never freed, and of these sizes once or twice more: optimizer state. */
  stateBytes: Bytes;
  /** Freed later, by the stack that frees it. */
  freed: { stack: StackId; bytes: Bytes; blocks: number }[];
  /** False if the trace shows no backward pass. */
  hasGradients: boolean;
}

/** Maximum of tensors that an optimizer stores per parameter. */
const STATES = 2;
/** Share of the gradients whose sizes must be found again: fewer are equal by chance. */
const MATCHING = 0.9;

/** Looks for evidence on the memory without a stack that was live after an event. Linear in the allocations. */
export function olderMemory(
  snapshot: Snapshot,
  history: DeviceHistory,
  categorizer: Categorizer,
  event: number,
): OlderMemory {
  const { allocations, trace } = history;
  const { death, bytes, stack } = allocations;
  const stacklessOf = stacklessRows(snapshot, history);
  const freeStackOf = freeStacks(snapshot, history);
  const freed = new Map<StackId, { stack: StackId; bytes: Bytes; blocks: number }>();
  const older = new Map<Bytes, number>();
  for (const row of categorizer.older) {
    const isHeld = death[row] > event && stack[row] <= EMPTY_STACK;
    if (!isHeld || stacklessOf(row) !== 'beforeRecording') continue;
    if (death[row] >= trace.count) {
      older.set(bytes[row], (older.get(bytes[row]) ?? 0) + 1);
      continue;
    }
    const by = freeStackOf(death[row]);
    const sum = freed.get(by) ?? { stack: by, bytes: 0, blocks: 0 };
    sum.bytes += bytes[row];
    sum.blocks++;
    freed.set(by, sum);
  }
  const gradients = gradientSizes(history, categorizer);
  return { ...likeGradients(older, gradients), freed: [...freed.values()], hasGradients: gradients.size > 0 };
}

/** Sizes of the gradients that are live when the last one is made: then the backward pass has freed all others. */
function gradientSizes(history: DeviceHistory, categorizer: Categorizer): Map<Bytes, number> {
  const { birth, bytes, stack, count } = history.allocations;
  const isGradient = (row: number): boolean =>
    birth[row] >= 0 &&
    categorizer.mayBeGradient(stack[row]) &&
    categorizer.of(livedRow(history, row)) === CategoryCode.Gradients;
  let end = count;
  while (end > 0 && !isGradient(end - 1)) end--;
  const sizes = new Map<Bytes, number>();
  for (const row of end === 0 ? [] : liveRows(history, birth[end - 1])) {
    if (isGradient(row)) sizes.set(bytes[row], (sizes.get(bytes[row]) ?? 0) + 1);
  }
  return sizes;
}

function likeGradients(
  older: ReadonlyMap<Bytes, number>,
  gradients: ReadonlyMap<Bytes, number>,
): Pick<OlderMemory, 'parameterBytes' | 'stateBytes'> {
  let parameterBytes = 0;
  let stateBytes = 0;
  let gradientBytes = 0;
  for (const [size, count] of gradients) {
    const equal = older.get(size) ?? 0;
    gradientBytes += size * count;
    parameterBytes += size * Math.min(equal, count);
    stateBytes += size * Math.min(Math.max(0, equal - count), STATES * count);
  }
  return parameterBytes >= MATCHING * gradientBytes
    ? { parameterBytes, stateBytes }
    : { parameterBytes: 0, stateBytes: 0 };
}
