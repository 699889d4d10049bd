import { countUpTo } from '../../model/ascending.js';
import { getOrAdd } from '../../maps.js';
import type { DeviceHistory } from '../../model/history.js';
import type { Snapshot } from '../../model/snapshot.js';
import type { Bytes } from '../../model/units.js';

/**
 * Live memory of a device at the start and the end of a scope, and the highest in between, older memory included. The
 * amounts are those of the repeat with the highest peak.
 */
export interface Scope {
  device: number;
  /** With `N` in place of a number that each repeat has for itself, as in `ProfilerStep#N`. */
  name: string;
  repeats: number;
  startBytes: Bytes;
  endBytes: Bytes;
  peakBytes: Bytes;
}

/** Maximum number of scopes of one device, those of the highest peaks. */
const MAX_SCOPES = 32;
/** Minimum number of names, each met once, that become one name because they differ only in numbers. */
const MIN_NUMBERED = 3;

/** The scopes of a device that begin and end in its trace, by name, in the order in which they first begin. */
export function scopesOf(snapshot: Snapshot, history: DeviceHistory): Scope[] {
  const { startUs, time, trace } = history;
  if (startUs === null || time === null || snapshot.annotations.count === 0) return [];
  const hasLostEvents = snapshot.warnings.some(
    ({ code, device }) => code === 'ringOverflow' && device === trace.device,
  );
  const spans = spansOf(snapshot, trace.device).filter(({ startAtUs }) => !hasLostEvents || startAtUs >= startUs);
  if (spans.length === 0) return [];
  const names = numberedNames(spans.map(({ name }) => name));
  const { live } = history;
  const highest = new RangeMaximum(live);
  const stateAt = (timeUs: number): number => countUpTo(time, timeUs - startUs);
  const scopes = new Map<string, Scope>();
  for (const { name, startAtUs, endAtUs } of spans) {
    const [start, end] = [stateAt(startAtUs), stateAt(endAtUs)];
    const peakBytes = highest.of(start, end);
    const scope = getOrAdd(scopes, names.get(name) ?? name, () => ({
      device: trace.device,
      name: names.get(name) ?? name,
      repeats: 0,
      startBytes: 0,
      endBytes: 0,
      peakBytes: -1,
    }));
    scope.repeats++;
    if (peakBytes > scope.peakBytes) {
      scope.startBytes = live[start];
      scope.endBytes = live[end];
      scope.peakBytes = peakBytes;
    }
  }
  const all = [...scopes.values()];
  const shown = new Set([...all].sort((a, b) => b.peakBytes - a.peakBytes).slice(0, MAX_SCOPES));
  return all.filter((scope) => shown.has(scope));
}

interface Span {
  readonly name: string;
  readonly startAtUs: number;
  readonly endAtUs: number;
}

/** Starts with their ends, in the order of the starts. A scope inside one of its own name ends first. */
function spansOf({ annotations, strings, traces }: Snapshot, device: number): Span[] {
  const traced = new Set(traces.filter(({ count }) => count > 0).map((trace) => trace.device));
  // A scope names the device that was current, which may be another than the one that allocates.
  const [fallback] = traced;
  const spans: { name: string; startAtUs: number; endAtUs: number }[] = [];
  const open = new Map<number, number[]>();
  for (let i = 0; i < annotations.count; i++) {
    const own = annotations.device[i];
    if ((traced.has(own) ? own : fallback) !== device) continue;
    const running = getOrAdd(open, annotations.name[i], () => []);
    const startAtUs = annotations.timeUs[i];
    if (annotations.isStart[i] === 1) {
      running.push(spans.length);
      spans.push({ name: strings.text(annotations.name[i]), startAtUs, endAtUs: Number.NaN });
    } else {
      const begun = running.pop();
      if (begun !== undefined) spans[begun].endAtUs = annotations.timeUs[i];
    }
  }
  return spans.filter(({ endAtUs }) => !Number.isNaN(endAtUs));
}

/** The common name of each name that occurs once and differs from others in its numbers. */
function numberedNames(all: readonly string[]): Map<string, string> {
  const counts = new Map<string, number>();
  for (const name of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  const alike = new Map<string, string[]>();
  for (const [name, count] of counts) {
    if (count === 1 && /\d/.test(name)) getOrAdd(alike, name.replace(/\d+/g, 'N'), () => []).push(name);
  }
  return new Map(
    [...alike]
      .filter(([, names]) => names.length >= MIN_NUMBERED)
      .flatMap(([common, names]) => names.map((name) => [name, common] as const)),
  );
}

/** Values of a leaf, as a power of two: a tree over each value would take 16 bytes of it. */
const LEAF_BITS = 6;

/** The maximum of any range of a column, in logarithmic time: scopes may overlap. */
class RangeMaximum {
  private readonly tree: Float64Array;
  private readonly leaves: number;

  constructor(private readonly values: Float64Array) {
    this.leaves = (values.length >> LEAF_BITS) + 1;
    this.tree = new Float64Array(2 * this.leaves).fill(-Infinity);
    for (let leaf = 0; leaf < this.leaves; leaf++) {
      this.tree[this.leaves + leaf] = this.scan(leaf << LEAF_BITS, (leaf + 1) << LEAF_BITS);
    }
    for (let i = this.leaves - 1; i > 0; i--) this.tree[i] = Math.max(this.tree[2 * i], this.tree[2 * i + 1]);
  }

  /** The maximum of a range, both ends included. */
  of(from: number, to: number): number {
    const first = (from >> LEAF_BITS) + 1;
    const last = to >> LEAF_BITS;
    if (first >= last) return this.scan(from, to + 1);
    let highest = Math.max(this.scan(from, first << LEAF_BITS), this.scan(last << LEAF_BITS, to + 1));
    let left = first + this.leaves;
    let right = last + this.leaves;
    while (left < right) {
      if (left % 2 === 1) highest = Math.max(highest, this.tree[left++]);
      if (right % 2 === 1) highest = Math.max(highest, this.tree[--right]);
      left >>= 1;
      right >>= 1;
    }
    return highest;
  }

  private scan(from: number, end: number): number {
    const stop = Math.min(end, this.values.length);
    let highest = -Infinity;
    for (let i = from; i < stop; i++) if (this.values[i] > highest) highest = this.values[i];
    return highest;
  }
}
