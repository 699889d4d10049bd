import type { DigestLifetimes } from '../digest/digest.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { limit } from './thresholds.js';

/** What rules ask of how one stack's allocations lived. */
export class LifetimeFeatures {
  readonly steps: number;
  readonly usualFreedAge: number;
  /** Steps after warm-up on which old survivors were allocated. */
  readonly births: readonly number[];
  private readonly oldEnough: number;
  private readonly window: number;

  /** @param collects true if the line of a frame calls the garbage collector, null if its text is not to be had */
  constructor(
    private readonly lifetimes: DigestLifetimes,
    private readonly collects: (site: DigestFrame) => boolean | null,
  ) {
    const { steps, survivorBirths, usualFreedAge } = lifetimes;
    this.steps = steps;
    this.usualFreedAge = usualFreedAge ?? 0;
    const warmUp = Math.max(limit('warmUpSteps'), Math.ceil(limit('warmUpShare') * steps));
    this.oldEnough = steps - Math.max(2, limit('outlives') * this.usualFreedAge);
    this.births = [...new Set(survivorBirths)].filter((birth) => birth > warmUp && birth <= this.oldEnough);
    this.window = Math.max(0, Math.floor(this.oldEnough) - warmUp);
  }

  /** How much of what was seen fits, less for a short look. @param weighed by the share of steps with births */
  confidence(weighed: boolean): number {
    const sure = 1 - 4 / this.steps;
    return weighed ? sure * (0.6 + 0.4 * Math.min(1, this.births.length / this.window)) : sure;
  }

  /** True if survivors are allocated to the end, and the floor rises to the end. */
  get goesOn(): boolean {
    const { births, oldEnough, window } = this;
    const last = births.at(-1);
    return last !== undefined && last > oldEnough - window / 3 && !this.isOverdue() && this.isRising();
  }

  /** True if survivors are allocated on enough steps. */
  get isOften(): boolean {
    const { births, window } = this;
    return births.length >= Math.max(limit('allocatedSteps'), limit('allocatedShare') * window);
  }

  /** True if births become rarer: a cache that has nearly all of its keys. */
  get isSlowing(): boolean {
    const births = [...new Set(this.lifetimes.survivorBirths)].filter((birth) => birth > 0 && birth <= this.oldEnough);
    const early = births.filter((birth) => birth <= this.oldEnough / 2).length;
    return 2 * early - births.length > limit('slowing') * Math.sqrt(births.length);
  }

  /** True if drops returned to the ground, again and again. */
  get isDropped(): boolean {
    return deepDrops(this.lifetimes).length >= limit('fewestDrops');
  }

  /** True if the collector freed: where it is called, or wherever it happened to run. A program frees mostly on one line. */
  get isCollected(): boolean {
    const drops = deepDrops(this.lifetimes);
    const sites = drops.map((drop) => drop.site).filter((site) => site !== null);
    if (sites.length < drops.length) return false;
    if (sites.every((site) => this.collects(site) === true)) return true;
    const lines = sites.map((site) => `${site.file}:${site.line}`);
    return lines.every((line) => 2 * lines.filter((other) => other === line).length <= lines.length);
  }

  /**
   * True if live bytes grow from nothing in proportion to the steps, and never fall. What grows with longer and longer
   * inputs starts from their first length.
   */
  get growsFromNothing(): boolean {
    const { floors } = this.lifetimes;
    // The last step is not over: what it frees is still there, unless it has dropped all.
    const end = floors.length - 2;
    const last = floors[end];
    if (end < limit('fewestSteps') || last === 0 || floors[end + 1] < floors[end - 1]) return false;
    let flat = 0;
    for (let i = 1; i <= end; i++) {
      // A queue that is filled faster than it is emptied falls by less than it has just risen.
      if (floors[i] < floors[Math.max(0, i - 2)]) return false;
      flat = floors[i] > floors[i - 1] ? 0 : flat + 1;
      if (flat > limit('longestFlat') * end) return false;
    }
    return [0.25, 0.5, 0.75].every((at) => floors[Math.floor(at * end)] / last < at + limit('proportion'));
  }

  /** True if the last quarter of the floors lies above the quarters before it. */
  private isRising(): boolean {
    const { floors } = this.lifetimes;
    const quarter = Math.max(1, Math.floor(floors.length / 4));
    const mean = (from: number, to: number): number =>
      floors.subarray(from, to).reduce((sum, floor) => sum + floor, 0) / Math.max(1, to - from);
    const end = floors.length;
    const last = mean(end - quarter, end);
    return (
      last > mean(end - 2 * quarter, end - quarter) && last > mean(Math.max(0, end - 3 * quarter), end - 2 * quarter)
    );
  }

  /** True if nothing was allocated for longer than ever before: what grew is full. */
  private isOverdue(): boolean {
    const births = [...new Set(this.lifetimes.survivorBirths)].filter((birth) => birth > 0);
    const longest = Math.max(0, ...births.slice(1).map((birth, i) => birth - births[i]));
    return this.steps - births[births.length - 1] > limit('overdueGap') * longest;
  }
}

/** The drops that went back to the ground. */
export function deepDrops({ drops, floors }: DigestLifetimes): DigestLifetimes['drops'] {
  if (drops.length === 0) return drops;
  const highest = floors.reduce((most, floor) => Math.max(most, floor), -Infinity);
  return drops.filter((drop) => drop.bytes >= limit('deepDrop') * highest);
}
