import type { DigestLifetimes } from '../digest/digest.js';
import { countUpTo, distinctOf } from '../model/ascending.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { limit } from './thresholds.js';

/** The features of one stack's lifetimes that rules use. */
export class LifetimeFeatures {
  readonly steps: number;
  readonly usualFreedAge: number;
  /** Steps after warm-up on which old survivors were allocated. */
  readonly births: Uint32Array;
  /** Steps on which survivors were allocated; before the first step is set-up, on no step. */
  private readonly allBirths: Uint32Array;
  private readonly oldEnough: number;
  private readonly window: number;

  /** @param collects true if the line of a frame calls the garbage collector, null if its text is unavailable */
  constructor(
    private readonly lifetimes: DigestLifetimes,
    private readonly collects: (site: DigestFrame) => boolean | null,
  ) {
    const { steps, survivorBirths, usualFreedAge } = lifetimes;
    this.steps = steps;
    this.usualFreedAge = usualFreedAge ?? 0;
    const warmUp = Math.max(limit('warmUpSteps'), Math.ceil(limit('warmUpShare') * steps));
    this.oldEnough = steps - Math.max(2, limit('outlives') * this.usualFreedAge);
    const births = distinctOf([survivorBirths]);
    this.allBirths = births.subarray(countUpTo(births, 0));
    this.births = births.subarray(countUpTo(births, warmUp), countUpTo(births, this.oldEnough));
    this.window = Math.max(0, Math.floor(this.oldEnough) - warmUp);
  }

  /** Share of the observations that fit; lower for a short recording. @param weighed by the share of steps with births */
  confidence(weighed: boolean): number {
    const sure = 1 - 4 / this.steps;
    return weighed ? sure * (0.6 + 0.4 * Math.min(1, this.births.length / this.window)) : sure;
  }

  /** True if survivors are allocated up to the end, and the minimum rises up to the end. */
  get goesOn(): boolean {
    const { births, oldEnough, window } = this;
    const last = births.at(-1);
    return last !== undefined && last > oldEnough - window / 3 && !this.isOverdue() && this.isRising();
  }

  /** True if survivors are allocated on enough steps: many of a short run, or as many of any. */
  get isOften(): boolean {
    const { births, window } = this;
    const share = limit('allocatedShare') * window;
    const min = this.areNumbers ? share : Math.min(share, limit('manyBirths'));
    return births.length >= Math.max(limit('allocatedSteps'), min);
  }

  /** True if each survivor is no larger than a number. One per epoch is a history of losses. */
  private get areNumbers(): boolean {
    return (this.lifetimes.floors.at(-1) ?? 0) <= limit('numberBytes') * this.allBirths.length;
  }

  /** True if survivors are allocated in equal intervals, as once per epoch. */
  get isRegular(): boolean {
    const { births } = this;
    if (births.length < limit('regularBirths') || this.areNumbers) return false;
    const gaps = Array.from(births.subarray(1), (birth, i) => birth - births[i]);
    return Math.max(...gaps) - Math.min(...gaps) <= 1;
  }

  /** True if what is live is of one step, such as a tensor that each step replaces. */
  get isOne(): boolean {
    return this.births.length <= 1;
  }

  /** True if survivors become rarer, as in a cache that has nearly all of its keys. */
  get isSlowing(): boolean {
    const births = countUpTo(this.allBirths, this.oldEnough);
    const early = countUpTo(this.allBirths, this.oldEnough / 2);
    return 2 * early - births > limit('slowing') * Math.sqrt(births);
  }

  /** True if memory repeatedly dropped to its minimum. */
  get isDropped(): boolean {
    return deepDrops(this.lifetimes).length >= limit('fewestDrops');
  }

  /** True if the garbage collector freed. It runs on any line; a program frees mostly on one. */
  get isCollected(): boolean {
    const drops = deepDrops(this.lifetimes);
    const sites = drops.map((drop) => drop.site).filter((site) => site !== null);
    if (sites.length < drops.length) return false;
    if (sites.every((site) => this.collects(site) === true)) return true;
    const lines = sites.map((site) => `${site.file}:${site.line}`);
    return lines.every((line) => 2 * lines.filter((other) => other === line).length <= lines.length);
  }

  /**
   * True if live bytes grow from zero in proportion to the steps, and never fall. Memory of longer inputs starts above
   * zero.
   */
  get growsFromNothing(): boolean {
    const { floors } = this.lifetimes;
    // The last step is not complete: its frees are still to come, unless it has freed all.
    const end = floors.length - 2;
    const last = floors[end];
    if (end < limit('fewestSteps') || last === 0 || floors[end + 1] < floors[end - 1]) return false;
    let flat = 0;
    for (let i = 1; i <= end; i++) {
      // A queue that fills faster than it empties falls by less than it has just risen.
      if (floors[i] < floors[Math.max(0, i - 2)]) return false;
      flat = floors[i] > floors[i - 1] ? 0 : flat + 1;
      if (flat > limit('longestFlat') * end) return false;
    }
    return [0.25, 0.5, 0.75].every((at) => floors[Math.floor(at * end)] / last < at + limit('proportion'));
  }

  /**
   * True if each of the last sixteenths of the minima is above the one before, and nothing was freed at once: a queue is
   * emptied too slowly. Its items are of more steps than the freed ones lived.
   */
  get risesToTheEnd(): boolean {
    if (this.allBirths.length < this.usualFreedAge) return false;
    const means = Array.from({ length: 5 }, (_, part) => this.meanFloor(part, 16));
    const isSteady = deepDrops(this.lifetimes).length === 0 && means[0] > 0;
    return isSteady && means.slice(1).every((before, later) => means[later] >= limit('stillRising') * before);
  }

  /** True if the last quarter of the minima is above the quarters before it. */
  private isRising(): boolean {
    const last = this.meanFloor(0, 4);
    return last > this.meanFloor(1, 4) && last > this.meanFloor(2, 4);
  }

  /** True if the second half of the minima has more than the first half ever had. */
  get isHighest(): boolean {
    const { floors } = this.lifetimes;
    const at = floors.length >> 1;
    return Math.max(...floors.subarray(at)) > Math.max(0, ...floors.subarray(0, at));
  }

  /** Mean of the minima in one of some equal parts of the steps, counted from the end. */
  private meanFloor(part: number, parts: number): number {
    const { floors } = this.lifetimes;
    const length = Math.max(1, Math.floor(floors.length / parts));
    const end = Math.max(0, floors.length - part * length);
    const own = floors.subarray(Math.max(0, end - length), end);
    return own.reduce((sum, floor) => sum + floor, 0) / Math.max(1, own.length);
  }

  /** True if no survivor was allocated for longer than ever before: the container is full. */
  private isOverdue(): boolean {
    const births = this.allBirths;
    const longest = births.reduce((most, birth, i) => (i === 0 ? 0 : Math.max(most, birth - births[i - 1])), 0);
    return this.steps - births[births.length - 1] > limit('overdueGap') * longest;
  }
}

/** The drops to the minimum. */
export function deepDrops({ drops, floors }: DigestLifetimes): DigestLifetimes['drops'] {
  if (drops.length === 0) return drops;
  const highest = floors.reduce((most, floor) => Math.max(most, floor), -Infinity);
  return drops.filter((drop) => drop.bytes >= limit('deepDrop') * highest);
}
