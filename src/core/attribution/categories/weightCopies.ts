import type { DeviceHistory } from '../../model/history.js';
import type { Snapshot } from '../../model/snapshot.js';
import type { Bytes, StackId } from '../../model/units.js';
import { getOrAdd } from '../../maps.js';
import { StackRole, type StackRoles } from '../stackRole.js';

/** Copies of weights in half precision, as autocast makes them in a forward pass. */
export interface WeightCopies {
  readonly rows: ReadonlySet<number>;
  /** Requested bytes of the copied weights: how many of each size have a copy at the same time. */
  readonly weights: ReadonlyMap<Bytes, number>;
}

/** The function of autocast that copies an argument. */
const CASTS = /^at::autocast::cached_cast\b/;
/** Any operator's C++ frame. */
const OPERATOR = 'at::';
/** Without C++ frames: a size class below this share of the weights is not compared, nor are so few weights. */
const COMPARED_SHARE = 0.05;
const FEW_WEIGHTS = 2;
const MIN_CLASSES = 2;
/** Share of the held memory that has copies: below it, only inputs are cast, some of a weight's size by chance. */
const MIN_COPIED = 0.15;
/** Maximum number of tensors of one size per weight: the weight, its gradient and two of the optimizer. */
const MAX_PER_WEIGHT = 4;

const NONE: WeightCopies = { rows: new Set(), weights: new Map() };

/**
 * Finds them by autocast's own frame. Recordings without C++ frames show them by size alone: then all weights must have
 * copies, and nothing else may have their sizes.
 * @param asked requested bytes by row
 */
export function weightCopies(
  snapshot: Snapshot,
  history: DeviceHistory,
  roles: StackRoles,
  asked: (row: number) => Bytes,
): WeightCopies {
  const { birth, death, stack, count } = history.allocations;
  const casts = castingStacks(snapshot);
  if (casts?.size === 0) return NONE;
  const isCast = (row: number): boolean =>
    birth[row] >= 0 && (casts === null ? roles.of(stack[row]) === StackRole.Forward : casts.has(stack[row]));
  let first = 0;
  while (first < count && !isCast(first)) first++;
  if (first === count) return NONE;
  const weights = new Map<Bytes, number>();
  for (let row = 0; row < count; row++) {
    // A weight outlives its copies; what an earlier pass left does not outlive this one.
    const isHeld = birth[row] < birth[first] && death[row] >= history.trace.count;
    if (isHeld && roles.of(stack[row]) !== StackRole.Forward)
      weights.set(asked(row), (weights.get(asked(row)) ?? 0) + 1);
  }
  const bySize = new Map<Bytes, number[]>();
  for (let row = first; row < count; row++) {
    if (isCast(row) && weights.has(2 * asked(row))) getOrAdd(bySize, asked(row), () => []).push(row);
  }
  const found = [...bySize].map(([size, rows]) => {
    const held = weights.get(2 * size) ?? 0;
    return { weight: 2 * size, held, ...copiesOf(history, rows, held) };
  });
  const copied = found.reduce((sum, { weight, held, highest }) => sum + weight * Math.min(held, highest), 0);
  if (casts === null ? !isWhole(found, weights) : copied < MIN_COPIED * bytesOf(weights)) return NONE;
  return {
    rows: new Set(found.flatMap(({ rows }) => rows)),
    weights: new Map(found.map(({ weight, highest, held }) => [weight, Math.min(highest, held)])),
  };
}

/** Stacks with autocast's frame; null if the recording has no C++ frames of operators. */
function castingStacks({ frames, stacks, strings }: Snapshot): ReadonlySet<StackId> | null {
  const names = Array.from(frames.name, (name) => strings.text(name));
  if (!names.some((name) => name.startsWith(OPERATOR))) return null;
  const casting = new Set(names.flatMap((name, frame) => (CASTS.test(name) ? [frame] : [])));
  const found = new Set<StackId>();
  for (let stack = 0; casting.size > 0 && stack < stacks.count; stack++) {
    for (let i = stacks.offset[stack]; i < stacks.offset[stack + 1]; i++) {
      if (casting.has(stacks.frames[i])) found.add(stack);
    }
  }
  return found;
}

/** The allocations of one size that are copies: at no time more than there are weights. @param rows by birth */
function copiesOf(history: DeviceHistory, rows: readonly number[], held: number): { rows: number[]; highest: number } {
  const { birth, death } = history.allocations;
  const byDeath = [...rows].sort((a, b) => death[a] - death[b]);
  const copies = new Set<number>();
  let next = 0;
  let copied = 0;
  let live = 0;
  let highest = 0;
  for (const row of rows) {
    for (; next < byDeath.length && death[byDeath[next]] <= birth[row]; next++) {
      live--;
      if (copies.has(byDeath[next])) copied--;
    }
    highest = Math.max(highest, ++live);
    if (copied === held) continue;
    copies.add(row);
    copied++;
  }
  return { rows: [...copies], highest };
}

function bytesOf(sizes: ReadonlyMap<Bytes, number>): Bytes {
  return [...sizes].reduce((sum, [size, count]) => sum + size * count, 0);
}

/** True if every large class of weights has copies, the same number for each of its tensors. */
function isWhole(
  found: readonly { weight: Bytes; held: number; highest: number }[],
  weights: ReadonlyMap<Bytes, number>,
): boolean {
  const all = bytesOf(weights);
  const classes = [...weights].filter(([size, count]) => count > FEW_WEIGHTS && size * count >= COMPARED_SHARE * all);
  const ratios = classes.map(([size, count]) => {
    const copies = found.find(({ weight }) => weight === size)?.highest ?? 0;
    return copies === 0 ? 0 : count / copies;
  });
  const [ratio] = ratios;
  return (
    classes.length >= MIN_CLASSES &&
    Number.isInteger(ratio) &&
    ratio >= 1 &&
    ratio <= MAX_PER_WEIGHT &&
    ratios.every((one) => one === ratio)
  );
}
