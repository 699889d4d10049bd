import { Growable, takeTable } from '../model/growable.js';
import { EMPTY_STACK, type Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import type { DeviceHistory } from '../model/history.js';
import { CATEGORY_CODES } from '../attribution/categories/category.js';
import { livedRow, type Categorizer } from '../attribution/categories/categorizer.js';
import { stacklessRows } from '../attribution/stackless.js';
import { stepAt, type Steps } from '../attribution/steps/steps.js';

/** Lifetime classes of allocations, the longest first. */
export const enum LifeSpan {
  /** Allocated before the recording began. */
  Before = 0,
  /** Allocated in the trace, and live at its end. */
  Live = 1,
  /** Freed in a later step than it was allocated in. */
  Steps = 2,
  /** Freed in the step in which it was allocated. */
  Step = 3,
}

/** Allocations that differ only in their times: equal stacks, lifetime classes and uses. */
interface SourceTable {
  readonly count: number;
  readonly stack: Uint32Array;
  readonly forwardStack: Uint32Array;
  /** A {@link LifeSpan}. */
  readonly span: Uint8Array;
  /** 1 where there is no stack, though the allocation was recorded. */
  readonly isRecorded: Uint8Array;
  /** A `CategoryCode`. */
  readonly category: Uint8Array;
  readonly bytes: Float64Array;
  /** Bytes times the events that they lived for. */
  readonly weight: Float64Array;
}

/** A history arranged for sweeps through time: changes by event, and the live allocations at a few. */
export interface AllocationIndex {
  readonly history: DeviceHistory;
  readonly sources: SourceTable;
  /** Source of each allocation. */
  readonly sourceOf: Uint32Array;
  /** Allocation that each event made, -1 if none. */
  readonly allocatedAt: Int32Array;
  /** First allocation that each event ended, -1 if none; `nextFreed` has the others. */
  readonly freedAt: Int32Array;
  readonly nextFreed: Int32Array;
  /** Live bytes by source before event `i * every`, in row `i`. */
  readonly checkpoints: { readonly every: number; readonly bySource: Float64Array };
  /** Memory that the index takes. */
  readonly byteLength: Bytes;
}

const NONE = -1;
const MAX_CHECKPOINTS = 64;
/** Maximum number of values in all checkpoints together: 16 MiB. */
const MAX_CHECKPOINT_VALUES = 1 << 21;
/** Where no steps are known, an allocation that lives for this share of the history outlives a step. */
const STEP_SHARE = 0.05;

/** Arranges a history, in linear time. @param steps of the history's device, null if unknown */
export function allocationIndex(
  snapshot: Snapshot,
  history: DeviceHistory,
  steps: Steps | null,
  categorizer: Categorizer,
): AllocationIndex {
  const { allocations, trace } = history;
  const { count, birth, death } = allocations;
  const allocatedAt = new Int32Array(trace.count).fill(NONE);
  const freedAt = new Int32Array(trace.count).fill(NONE);
  const nextFreed = new Int32Array(count).fill(NONE);
  for (let row = count - 1; row >= 0; row--) {
    if (birth[row] >= 0) allocatedAt[birth[row]] = row;
    const end = death[row];
    if (end >= trace.count) continue;
    nextFreed[row] = freedAt[end];
    freedAt[end] = row;
  }
  const { sources, sourceOf } = sourcesOf(snapshot, history, steps, categorizer);
  const checkpoints = checkpointsOf(history, sources.count, sourceOf, allocatedAt, freedAt, nextFreed);
  const columns = [allocatedAt, freedAt, nextFreed, sourceOf, checkpoints.bySource];
  return {
    history,
    sources,
    sourceOf,
    allocatedAt,
    freedAt,
    nextFreed,
    checkpoints,
    byteLength: columns.reduce((sum, { byteLength }) => sum + byteLength, 0),
  };
}

function sourcesOf(
  snapshot: Snapshot,
  history: DeviceHistory,
  steps: Steps | null,
  categorizer: Categorizer,
): { sources: SourceTable; sourceOf: Uint32Array } {
  const { allocations, trace } = history;
  const stacks = snapshot.stacks.count;
  const sourceOf = new Uint32Array(allocations.count);
  const columns = {
    stack: new Growable(Uint32Array),
    forwardStack: new Growable(Uint32Array),
    span: new Growable(Uint8Array),
    isRecorded: new Growable(Uint8Array),
    category: new Growable(Uint8Array),
    bytes: new Growable(Float64Array),
    weight: new Growable(Float64Array),
  };
  const known = new Map<number, number>();
  const spanOf = spansOf(history, steps);
  const stacklessOf = stacklessRows(snapshot, history);
  for (let row = 0; row < allocations.count; row++) {
    const stack = allocations.stack[row];
    const forward = allocations.forwardStack[row];
    const span = spanOf(row);
    const isRecorded = stack <= EMPTY_STACK && stacklessOf(row) === 'noStack' ? 1 : 0;
    const category = categorizer.of(livedRow(history, row));
    const kind = (span * 2 + isRecorded) * CATEGORY_CODES + category;
    const key = (kind * stacks + stack) * stacks + forward;
    let source = known.get(key);
    if (source === undefined) {
      source = columns.stack.length;
      columns.stack.push(stack);
      columns.forwardStack.push(forward);
      columns.span.push(span);
      columns.isRecorded.push(isRecorded);
      columns.category.push(category);
      columns.bytes.push(0);
      columns.weight.push(0);
      known.set(key, source);
    }
    sourceOf[row] = source;
    const bytes = allocations.bytes[row];
    columns.bytes.data[source] += bytes;
    columns.weight.data[source] += bytes * (Math.min(allocations.death[row], trace.count) - allocations.birth[row]);
  }
  return { sources: takeTable(columns), sourceOf };
}

function spansOf({ allocations, trace }: DeviceHistory, steps: Steps | null): (row: number) => LifeSpan {
  const longest = trace.count * STEP_SHARE;
  return (row) => {
    const birth = allocations.birth[row];
    const death = allocations.death[row];
    if (birth < 0) return LifeSpan.Before;
    if (death >= trace.count) return LifeSpan.Live;
    const later = steps === null ? death - birth > longest : stepAt(steps, death) > stepAt(steps, birth);
    return later ? LifeSpan.Steps : LifeSpan.Step;
  };
}

function checkpointsOf(
  { allocations, trace }: DeviceHistory,
  sources: number,
  sourceOf: Uint32Array,
  allocatedAt: Int32Array,
  freedAt: Int32Array,
  nextFreed: Int32Array,
): AllocationIndex['checkpoints'] {
  const { bytes, birth } = allocations;
  const room = Math.max(1, Math.min(MAX_CHECKPOINTS, Math.floor(MAX_CHECKPOINT_VALUES / Math.max(1, sources))));
  const every = Math.max(1, Math.ceil(trace.count / room));
  const bySource = new Float64Array(Math.max(1, Math.ceil(trace.count / every)) * sources);
  const live = new Float64Array(sources);
  for (let row = 0; row < allocations.count; row++) if (birth[row] < 0) live[sourceOf[row]] += bytes[row];
  bySource.set(live, 0);
  for (let event = 0; event < trace.count; event++) {
    if (event % every === 0) bySource.set(live, (event / every) * sources);
    const allocated = allocatedAt[event];
    if (allocated !== NONE) live[sourceOf[allocated]] += bytes[allocated];
    for (let row = freedAt[event]; row !== NONE; row = nextFreed[row]) live[sourceOf[row]] -= bytes[row];
  }
  return { every, bySource };
}
