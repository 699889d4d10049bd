import type { DeviceHistory } from '../../model/history.js';
import { EMPTY_STACK, type Snapshot } from '../../model/snapshot.js';
import type { Bytes, StackId } from '../../model/units.js';
import { getOrAdd } from '../../maps.js';
import { CategoryCode } from './category.js';
import { CUBLAS_WORKSPACE, HOPPER_WORKSPACE } from '../../model/cublasWorkspace.js';
import type { EqualBlocks } from './equalBlocks.js';
import { freeStacks } from './lifetimes.js';
import type { WeightCopies } from './weightCopies.js';

/** Kinds of memory in the trace whose sizes are those of the weights. */
export const WEIGHT_EVIDENCE = ['gradients', 'optimizerState', 'weightCopies'] as const;
export type WeightEvidence = (typeof WEIGHT_EVIDENCE)[number];

/** Memory without a stack that is older than the trace, at one moment. */
export interface OlderAt {
  bytes: Bytes;
  /** Null if no sizes of weights are known. */
  evidence: WeightEvidence | null;
  /** Bytes by use. The rest is unknown. */
  parameterBytes: Bytes;
  stateBytes: Bytes;
  /** Gradients of the step before, freed in the trace. */
  gradientBytes: Bytes;
  /** Activations of an earlier pass, freed in the trace. They have the sizes of the activations of a recorded pass. */
  activationBytes: Bytes;
  /** The workspace of cuBLAS, recognized by its size. */
  workspaceBytes: Bytes;
  /** Freed in the trace, but gradients and optimizer state, by the stack that frees. */
  freed: { stack: StackId; bytes: Bytes; blocks: number }[];
  /** Never freed in the trace. */
  held: { bytes: Bytes; blocks: number };
  /** The sizes that hold most of the memory that is never freed, without workspaces. */
  equal: EqualBlocks[];
  /** True if nearly all of these have sizes whose counts share a factor, as the weights of equal layers. */
  hasLayers: boolean;
}

/** Allocations of the trace, by what is known of them. */
interface Younger {
  categoryOf(row: number): CategoryCode;
  mayBeGradient(stack: StackId): boolean;
  /** Whether a stack is in an optimizer's step, but not in `zero_grad`. */
  isOfStep(stack: StackId): boolean;
  readonly copies: WeightCopies;
  asked(row: number): Bytes;
}

type Sizes = ReadonlyMap<Bytes, number>;

/** Maximum number of tensors that an optimizer stores per parameter. */
const STATES = 2;
/** Share of the bytes whose sizes must be found again: fewer are equal by chance. */
const MATCHING = 0.9;
/** Categories of memory that each step replaces. */
const OF_TRAINING: ReadonlySet<CategoryCode> = new Set([CategoryCode.Gradients, CategoryCode.OptimizerState]);
/** Categories of memory that a forward pass leaves for the backward pass. */
const OF_PASS: ReadonlySet<CategoryCode> = new Set([CategoryCode.Activations, CategoryCode.WeightCopies]);
/** Share of older memory that a pass before must make up to be recognized. */
const MIN_PASS_SHARE = 0.5;
/** Threads that usually compute: the main thread and autograd's. */
const MAX_THREADS = 2;
/** Maximum number of sizes that are named. */
const MAX_SIZES = 4;
/** Fewer layers than this share a factor by chance; so few blocks are not of layers (embedding and head). */
const MIN_LAYERS = 4;
/** Share of the bytes that layers must hold. */
const LAYERED = 0.8;

/** Finds the use of memory that is older than the trace, by the sizes of what the trace allocates and by its end. */
export class OlderMemory {
  private readonly rows: readonly number[];
  private readonly codes = new Map<number, CategoryCode>();
  private evidence: WeightEvidence | null = null;

  /** @param rows of memory that is older than the trace, without a stack or with one */
  constructor(
    private readonly snapshot: Snapshot,
    private readonly history: DeviceHistory,
    rows: readonly number[],
    private readonly younger: Younger,
  ) {
    this.rows = rows.filter((row) => history.allocations.stack[row] <= EMPTY_STACK);
    if (this.rows.length > 0) this.classify();
  }

  categoryOf(row: number): CategoryCode {
    return this.codes.get(row) ?? CategoryCode.Other;
  }

  /** @param event ordinal in the trace, -1 for the state before it */
  at(event: number): OlderAt {
    const { death, bytes } = this.history.allocations;
    const end = this.history.trace.count;
    const freeStackOf = freeStacks(this.snapshot, this.history);
    const freed = new Map<StackId, { stack: StackId; bytes: Bytes; blocks: number }>();
    const sums = new Float64Array(CategoryCode.Other + 1);
    const sizes = new Map<Bytes, number>();
    const held = { bytes: 0, blocks: 0 };
    let all: Bytes = 0;
    for (const row of this.rows) {
      if (death[row] <= event) continue;
      sums[this.categoryOf(row)] += bytes[row];
      all += bytes[row];
      if (death[row] < end) {
        if (OF_TRAINING.has(this.categoryOf(row))) continue;
        const stack = freeStackOf(death[row]);
        const sum = getOrAdd(freed, stack, () => ({ stack, bytes: 0, blocks: 0 }));
        sum.bytes += bytes[row];
        sum.blocks++;
        continue;
      }
      held.bytes += bytes[row];
      held.blocks++;
      if (this.categoryOf(row) === CategoryCode.Workspace) continue;
      const size = this.younger.asked(row);
      sizes.set(size, (sizes.get(size) ?? 0) + 1);
    }
    return {
      bytes: all,
      evidence: this.evidence,
      parameterBytes: sums[CategoryCode.Parameters],
      stateBytes: sums[CategoryCode.OptimizerState],
      gradientBytes: sums[CategoryCode.Gradients],
      activationBytes: sums[CategoryCode.Activations],
      workspaceBytes: sums[CategoryCode.Workspace],
      freed: [...freed.values()],
      held,
      equal: largest(sizes),
      hasLayers: hasLayers(sizes),
    };
  }

  private classify(): void {
    const { death } = this.history.allocations;
    const end = this.history.trace.count;
    const held = this.rows.filter((row) => death[row] >= end);
    const freed = this.rows.filter((row) => death[row] < end);
    for (const row of held) {
      if (this.younger.asked(row) === CUBLAS_WORKSPACE) this.codes.set(row, CategoryCode.Workspace);
    }
    const weights = this.weights(held);
    if (weights !== null) {
      this.assign(held, weights, CategoryCode.Parameters);
      for (let i = this.recordedStates(weights); i < STATES && this.matches(held, weights); i++) {
        this.assign(held, weights, CategoryCode.OptimizerState);
      }
      // An optimizer that makes new tensors frees its state; what anything else frees are gradients.
      const freeStackOf = freeStacks(this.snapshot, this.history);
      const isReplaced = (row: number): boolean => this.younger.isOfStep(freeStackOf(death[row]));
      const replaced = freed.filter(isReplaced);
      for (let i = 0; i < STATES && this.matches(replaced, weights); i++) {
        this.assign(replaced, weights, CategoryCode.OptimizerState);
      }
      const others = freed.filter((row) => !isReplaced(row));
      if (this.matches(others, weights)) this.assign(others, weights, CategoryCode.Gradients);
    }
    this.classifyPass(freed.filter((row) => !this.codes.has(row)));
    this.classifyHopper(held);
  }

  /** A weight of the size of a workspace would have a gradient of this size; of frozen ones there are many. */
  private classifyHopper(held: readonly number[]): void {
    const gradients = this.gradientSizes();
    if (gradients.size === 0 || gradients.has(HOPPER_WORKSPACE)) return;
    const found = held.filter((row) => !this.codes.has(row) && this.younger.asked(row) === HOPPER_WORKSPACE);
    if (found.length > MAX_THREADS) return;
    for (const row of found) this.codes.set(row, CategoryCode.Workspace);
  }

  /** How many weights of each size there are, by the first evidence whose sizes the held memory has. */
  private weights(held: readonly number[]): Sizes | null {
    const sources: readonly [WeightEvidence, () => Sizes][] = [
      ['gradients', () => this.gradientSizes()],
      ['optimizerState', () => this.stateSizes()],
      ['weightCopies', () => this.younger.copies.weights],
    ];
    for (const [evidence, sizesOf] of sources) {
      const sizes = sizesOf();
      if (sizes.size === 0 || !this.matches(held, sizes)) continue;
      this.evidence = evidence;
      return sizes;
    }
    return null;
  }

  /** Sizes of the gradients that are live when the last one is made: then the backward pass has freed all others. */
  private gradientSizes(): Sizes {
    const { birth, death, stack, count } = this.history.allocations;
    const isGradient = (row: number): boolean =>
      birth[row] >= 0 &&
      this.younger.mayBeGradient(stack[row]) &&
      this.younger.categoryOf(row) === CategoryCode.Gradients;
    let last = count - 1;
    while (last >= 0 && !isGradient(last)) last--;
    return this.sizesOf((row) => birth[row] <= birth[last] && death[row] > birth[last] && isGradient(row));
  }

  /** Sizes of what one stack of an optimizer holds: a tensor per weight. */
  private stateSizes(): Sizes {
    return this.states().reduce<Sizes>((most, one) => (total(one) > total(most) ? one : most), new Map());
  }

  /** How many of an optimizer's tensors per weight have stacks. */
  private recordedStates(weights: Sizes): number {
    return this.states().filter((sizes) => total(overlap(sizes, weights)) >= MATCHING * total(weights)).length;
  }

  /** Sizes of what the stacks of optimizers hold at the end. */
  private states(): Sizes[] {
    const { death, stack, count } = this.history.allocations;
    const rows = new Map<StackId, number[]>();
    for (let row = 0; row < count; row++) {
      const isHeld = death[row] >= this.history.trace.count && stack[row] > EMPTY_STACK;
      if (!isHeld || this.younger.categoryOf(row) !== CategoryCode.OptimizerState) continue;
      getOrAdd(rows, stack[row], () => []).push(row);
    }
    return [...rows.values()].map((held) => this.sizesAmong(held));
  }

  /** Memory that a recorded pass replaces: what it frees has the sizes of that pass's activations. */
  private classifyPass(freed: readonly number[]): void {
    const { birth, death } = this.history.allocations;
    if (freed.length === 0) return;
    const first = freed.reduce((least, row) => Math.min(least, death[row]), this.history.trace.count);
    const activations = this.sizesOf(
      (row) => birth[row] >= 0 && birth[row] < first && death[row] > first && OF_PASS.has(this.younger.categoryOf(row)),
    );
    const own = this.sizesAmong(freed);
    if (total(overlap(own, activations)) < MATCHING * total(own)) return;
    if (total(own) < MIN_PASS_SHARE * total(activations)) return;
    for (const row of freed) this.codes.set(row, CategoryCode.Activations);
  }

  /** True if nearly all of these sizes are among rows of no known use. */
  private matches(rows: readonly number[], sizes: Sizes): boolean {
    const own = this.sizesAmong(rows.filter((row) => !this.codes.has(row)));
    return total(overlap(own, sizes)) >= MATCHING * total(sizes);
  }

  /** Gives as many rows of each size a category as there are weights. */
  private assign(rows: readonly number[], sizes: Sizes, code: CategoryCode): void {
    const left = new Map(sizes);
    for (const row of rows) {
      const size = this.younger.asked(row);
      const count = left.get(size) ?? 0;
      if (count === 0 || this.codes.has(row)) continue;
      left.set(size, count - 1);
      this.codes.set(row, code);
    }
  }

  /** Requested sizes of the allocations that a test picks. */
  private sizesOf(includes: (row: number) => boolean): Sizes {
    const rows: number[] = [];
    for (let row = 0; row < this.history.allocations.count; row++) if (includes(row)) rows.push(row);
    return this.sizesAmong(rows);
  }

  private sizesAmong(rows: readonly number[]): Sizes {
    const sizes = new Map<Bytes, number>();
    for (const row of rows) {
      const size = this.younger.asked(row);
      sizes.set(size, (sizes.get(size) ?? 0) + 1);
    }
    return sizes;
  }
}

function overlap(a: Sizes, b: Sizes): Sizes {
  return new Map([...a].map(([size, count]) => [size, Math.min(count, b.get(size) ?? 0)]));
}

function total(sizes: Sizes): Bytes {
  let bytes = 0;
  for (const [size, count] of sizes) bytes += size * count;
  return bytes;
}

function largest(sizes: Sizes): EqualBlocks[] {
  return [...sizes]
    .map(([size, blocks]) => ({ size, blocks }))
    .sort((a, b) => b.size * b.blocks - a.size * a.blocks)
    .slice(0, MAX_SIZES);
}

function hasLayers(sizes: Sizes): boolean {
  const all = total(sizes);
  const many = [...sizes].filter(([, count]) => count >= MIN_LAYERS).sort((a, b) => b[0] * b[1] - a[0] * a[1]);
  let held = 0;
  let factor = 0;
  for (const [i, [size, count]] of many.entries()) {
    factor = commonFactor(factor, count);
    held += size * count;
    if (factor < MIN_LAYERS) return false;
    if (i > 0 && held >= LAYERED * all) return true;
  }
  return false;
}

function commonFactor(a: number, b: number): number {
  return b === 0 ? a : commonFactor(b, a % b);
}
