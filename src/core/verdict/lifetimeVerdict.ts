import type { DigestLifetimes } from '../digest/digest.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { Opinion } from './opinion.js';

/** Steps under which lifetimes say nothing. */
export const FEWEST_STEPS = 8;
/** Steps from which on what never stops growing is called a leak; before, it may be a buffer that fills. */
const LEAK_STEPS = 15;
/** Share of the steps that are warm-up, and their least number. */
const WARM_UP = { share: 0.1, steps: 2 };
/** How much longer than what the stack usually frees a survivor must have lived. */
const OUTLIVES = 1.5;
/** Share of the steps on which survivors must have been born, and their least number. */
const BORN = { share: 0.15, steps: 2 };
/** Survivors on fewer steps count if they come as regularly as this, and so often. */
const RARE = { births: 6, longestGap: 3 };
/** How many of the longest pause between births the last may be ago, and how many steps in any case. */
const OVERDUE = { gaps: 1.5, steps: 3 };
/** Standard deviations by which births must have become rarer. */
const SLOWING = 1.2;
/** Share of the earlier births per step that is left where they become fewer, and how many standard deviations less. */
const THINNED = 0.6;
const THINNING = 1.5;
/** What grows bit by bit rises at least so often, and stands still for no longer share of the steps. */
const FEWEST_RISES = 10;
const LONGEST_FLAT = 0.15;
/** A drop that takes this share of the highest floor goes back to the ground. */
const DEEP_DROP = 0.5;

/**
 * Judges a stack by how its allocations lived: a leak is what keeps being born, on many steps, and outlives everything
 * that the stack ever let go.
 * @param collects true if the line of a frame calls the garbage collector, null if its text is not to be had
 */
export function judgeLifetimes(lifetimes: DigestLifetimes, collects: (site: DigestFrame) => boolean | null): Opinion {
  const { steps, survivorBirths, usualFreedAge } = lifetimes;
  const warmUp = Math.max(WARM_UP.steps, Math.ceil(WARM_UP.share * steps));
  const oldEnough = steps - Math.max(2, OUTLIVES * (usualFreedAge ?? 0));
  const births = [...new Set(survivorBirths)].filter((birth) => birth > warmUp && birth <= oldEnough);
  const window = Math.max(0, Math.floor(oldEnough) - warmUp);
  const goesOn =
    births.length > 0 && births[births.length - 1] > oldEnough - window / 3 && !isOverdue(survivorBirths, steps);
  const rising = isRising(lifetimes.floors);
  const sure = 1 - 4 / steps;
  const often = births.length >= Math.max(BORN.steps, BORN.share * window);
  if (goesOn && rising && (often || isRegular(births))) {
    const confidence = sure * (0.6 + 0.4 * Math.min(1, births.length / window));
    const settled = steps >= LEAK_STEPS && !isSlowing(survivorBirths, oldEnough);
    return { verdict: settled ? 'leak' : 'growing', confidence };
  }
  // One tensor that every step replaces by a longer one has no old survivors.
  if (growsFromNothing(lifetimes)) return { verdict: steps >= LEAK_STEPS ? 'leak' : 'growing', confidence: sure };
  const deep = deepDrops(lifetimes);
  if (deep.length >= 2) return { verdict: isCollected(deep, collects) ? 'cycle' : 'periodic', confidence: sure };
  if (births.length === 0) return { verdict: (usualFreedAge ?? 0) > 2 ? 'plateau' : 'steady', confidence: sure };
  if (births.length === 1) return { verdict: 'oneOff', confidence: sure };
  return { verdict: goesOn && rising ? 'growing' : 'plateau', confidence: sure };
}

/**
 * True if births become rarer: a cache that has nearly all of its keys. The difference of the two halves of the window
 * is measured in standard deviations of chance.
 */
function isSlowing(survivorBirths: Uint32Array, oldEnough: number): boolean {
  const births = [...new Set(survivorBirths)].filter((birth) => birth > 0 && birth <= oldEnough);
  const early = births.filter((birth) => birth <= oldEnough / 2).length;
  return 2 * early - births.length > SLOWING * Math.sqrt(births.length) || isThinning(survivorBirths, oldEnough);
}

/** True if births of the same steps become fewer: each step still meets a new key, where the first ones met many. */
function isThinning(survivorBirths: Uint32Array, oldEnough: number): boolean {
  const from = WARM_UP.steps + 1;
  const perStep = new Array<number>(Math.max(0, Math.floor(oldEnough) - from + 1)).fill(0);
  for (const birth of survivorBirths) if (birth >= from && birth <= oldEnough) perStep[birth - from]++;
  const half = perStep.length >> 1;
  const early = spread(perStep.slice(0, half));
  const late = spread(perStep.slice(-half));
  const chance = Math.sqrt((early.variance + late.variance) / Math.max(1, half));
  return late.mean < THINNED * early.mean && early.mean - late.mean > THINNING * chance;
}

function spread(values: readonly number[]): { mean: number; variance: number } {
  const count = Math.max(1, values.length);
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  return { mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count };
}

/**
 * True if live bytes grow from nothing in proportion to the steps, again and again, and never fall. What grows with
 * longer and longer inputs starts from their first length.
 */
function growsFromNothing({ floors }: DigestLifetimes): boolean {
  // The last step is not over: what it lets go of is still there, unless it has dropped all.
  const end = floors.length - 2;
  const last = floors[end];
  if (end < FEWEST_STEPS || last === 0 || floors[end + 1] < last) return false;
  let flat = 0;
  let rises = 0;
  for (let i = 1; i <= end; i++) {
    if (floors[i] < floors[i - 1]) return false;
    flat = floors[i] > floors[i - 1] ? 0 : flat + 1;
    if (flat === 0) rises++;
    if (flat > LONGEST_FLAT * end) return false;
  }
  const share = (at: number): number => floors[Math.floor(at * end)] / last;
  return rises >= Math.min(FEWEST_RISES, end / 2) && share(0.25) < 0.32 && share(0.5) < 0.57 && share(0.75) < 0.8;
}

/** The drops that went back to the ground. */
export function deepDrops({ drops, floors }: DigestLifetimes): DigestLifetimes['drops'] {
  const highest = Math.max(...floors);
  return drops.filter((drop) => drop.bytes >= DEEP_DROP * highest);
}

/** True if the last quarter of the floors lies above the quarters before it. */
function isRising(floors: Float64Array): boolean {
  const quarter = Math.max(1, Math.floor(floors.length / 4));
  const mean = (from: number, to: number): number =>
    floors.subarray(from, to).reduce((sum, floor) => sum + floor, 0) / Math.max(1, to - from);
  const end = floors.length;
  const last = mean(end - quarter, end);
  return (
    last > mean(end - 2 * quarter, end - quarter) && last > mean(Math.max(0, end - 3 * quarter), end - 2 * quarter)
  );
}

/** True if nothing was born for longer than ever before: what grew is full. */
function isOverdue(survivorBirths: Uint32Array, steps: number): boolean {
  const births = [...new Set(survivorBirths)].filter((birth) => birth > 0);
  const longest = Math.max(0, ...births.slice(1).map((birth, i) => birth - births[i]));
  return steps - births[births.length - 1] > Math.max(OVERDUE.steps, OVERDUE.gaps * longest);
}

/** True if rare births come at an even pace. */
function isRegular(births: readonly number[]): boolean {
  if (births.length < RARE.births) return false;
  const gaps = births.slice(1).map((birth, i) => birth - births[i]);
  const sorted = [...gaps].sort((a, b) => a - b);
  return sorted[sorted.length - 1] <= RARE.longestGap * sorted[sorted.length >> 1];
}

/** The collector frees wherever it happens to run, or where it is called; a program lets go on the same line each time. */
function isCollected(
  drops: readonly { site: DigestFrame | null }[],
  collects: (site: DigestFrame) => boolean | null,
): boolean {
  const sites = drops.map((drop) => drop.site).filter((site) => site !== null);
  if (sites.length < drops.length) return false;
  if (sites.every((site) => collects(site) === true)) return true;
  return new Set(sites.map((site) => `${site.file}:${site.line}`)).size > 1;
}
