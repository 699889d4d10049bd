import { Growable } from '../model/growable.js';
import type { Bytes } from '../model/units.js';
import type { AllocationIndex } from './allocationIndex.js';
import { bandSamples, type BandSamples } from './bandSamples.js';
import { HistoryAxis, type Axis, type Stretch } from '../model/historyAxis.js';
import type { SeriesLayout } from './seriesLayout.js';
import { type SeriesChanges, seriesInView } from './seriesChanges.js';

interface BandRequest {
  axis: Axis;
  /** The window in units of the axis; null for the whole history. */
  window: Stretch | null;
  /** Size of the plot. */
  pixels: number;
  rows: number;
  /** The part of the height that the rows show; null for all of it. */
  bytes: Stretch | null;
  /** Series that are wanted whatever their size: those of the line at the cursor. */
  wanted: (series: number) => boolean;
}

/** Level of detail: the bands of a window that are large enough to see, and the sums of the others. */
export interface BandWindow {
  axis: Axis;
  extent: Stretch;
  window: Stretch;
  /** Columns of the window. */
  pixels: number;
  samples: BandSamples;
  /** Most live bytes of any sample. */
  highest: Bytes;
  /** Series with a band of their own, as indices of the layout, from the bottom of the series up. */
  allSeries: Uint32Array;
  /**
   * Live bytes over the samples: series `i` changes in rows `offset[i]` to `offset[i + 1]`. The others follow, as one
   * series on top.
   */
  changes: SeriesChanges;
  /** How many series the others are that are live at some sample. */
  otherSeries: number;
  blocks: BandBlocks;
}

/** Single allocations that are large enough to be seen, parts of their series: by series, then by birth. */
interface BandBlocks {
  readonly count: number;
  /** Position among the chosen. */
  readonly series: Uint16Array;
  /** Row of the allocation table. */
  readonly row: Uint32Array;
  /** First and last sample at which it is live. */
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  readonly bytes: Float64Array;
}

const MAX_PIXELS = 4096;
/** Together, these keep an answer far below 200 kB: a change takes three to five bytes, a block eight. */
const MAX_SERIES = 64;
/** Maximum number of series if a part of the height is viewed, which users do to see thin series. */
const MAX_SERIES_OF_PART = 256;
const MAX_CHANGES = 24_000;
const MAX_BLOCKS = 2500;
/** A series that is nowhere as high as this many pixels is too thin to see; so is an allocation below twice that. */
const THINNEST = 0.75;
/** An allocation that spans fewer columns has no outline of its own. */
const NARROWEST = 2;
const NONE = -1;

/** Linear in the events of the window. Sums of a level include the omitted items, so totals stay exact. */
export function bandWindow(index: AllocationIndex, layout: SeriesLayout, request: BandRequest): BandWindow {
  const { history } = index;
  const axis = new HistoryAxis(history, request.axis);
  const window = axis.window(request.window);
  const pixels = Math.min(MAX_PIXELS, Math.max(1, Math.floor(request.pixels)));
  const samples = bandSamples(history, axis, window, pixels);
  const highest = samples.event.reduce((most, event) => Math.max(most, history.live[event + 1]), 0);
  const { bytes, wanted } = request;
  const perRow = (bytes === null ? highest : bytes.to - bytes.from) / Math.max(1, request.rows);
  const edges = edgesOf(samples, pixels);
  const all = changesOf(index, layout, samples, edges);
  const count = samples.event.length;
  const max = bytes === null ? MAX_SERIES : MAX_SERIES_OF_PART;
  const chosen = chooseSeries(all, count, max, perRow * THINNEST, wanted);
  const { changes, otherSeries } = splitChanges(all, chosen, layout.allSeries.length, count);
  const inView = bytes === null ? null : seriesInView(changes, count, bytes);
  return {
    axis: axis.axis,
    extent: axis.extent,
    window,
    pixels,
    samples,
    highest,
    allSeries: chosen,
    changes,
    otherSeries,
    blocks: blocksOf(index, layout, samples, edges, chosen, inView, perRow * THINNEST * 2),
  };
}

/** Every change of every series from one sample to the next, in order of samples. */
interface Changes {
  readonly series: Uint32Array;
  readonly sample: Uint16Array;
  readonly bytes: Float64Array;
  /** The number of changes of each series. */
  readonly count: Uint32Array;
  readonly peak: Float64Array;
  readonly area: Float64Array;
}

/** Column at which each sample begins, and the one at which the last ends. */
function edgesOf({ column }: BandSamples, pixels: number): Uint32Array {
  const edges = new Uint32Array(column.length + 1).fill(pixels);
  edges.set(column);
  return edges;
}

function changesOf(index: AllocationIndex, layout: SeriesLayout, { event }: BandSamples, edges: Uint32Array): Changes {
  const { history, sourceOf, allocatedAt, freedAt, nextFreed } = index;
  const { seriesOf } = layout;
  const { bytes } = history.allocations;
  const allSeries = layout.allSeries.length;
  const out = {
    series: new Growable(Uint32Array),
    sample: new Growable(Uint32Array),
    bytes: new Growable(Float64Array),
  };
  const count = new Uint32Array(allSeries);
  const peak = new Float64Array(allSeries);
  const area = new Float64Array(allSeries);
  const live = new Float64Array(allSeries);
  const shown = new Float64Array(allSeries);
  const since = new Uint16Array(allSeries);
  const touched = new Uint32Array(allSeries);
  const isTouched = new Uint8Array(allSeries);
  let touches = 0;
  let at = startAt(index, layout, event[0], live);
  for (let series = 0; series < allSeries; series++) {
    if (live[series] === 0) continue;
    isTouched[series] = 1;
    touched[touches++] = series;
  }
  const add = (row: number, sign: 1 | -1): void => {
    const series = seriesOf[sourceOf[row]];
    live[series] += sign * bytes[row];
    if (isTouched[series] === 1) return;
    isTouched[series] = 1;
    touched[touches++] = series;
  };
  for (let sample = 0; sample < event.length; sample++) {
    for (; at <= event[sample]; at++) {
      if (allocatedAt[at] !== NONE) add(allocatedAt[at], 1);
      for (let row = freedAt[at]; row !== NONE; row = nextFreed[row]) add(row, -1);
    }
    for (let i = 0; i < touches; i++) {
      const series = touched[i];
      isTouched[series] = 0;
      if (live[series] === shown[series]) continue;
      area[series] += shown[series] * (edges[sample] - since[series]);
      since[series] = edges[sample];
      shown[series] = live[series];
      peak[series] = Math.max(peak[series], live[series]);
      count[series]++;
      out.series.push(series);
      out.sample.push(sample);
      out.bytes.push(live[series]);
    }
    touches = 0;
  }
  for (let series = 0; series < allSeries; series++)
    area[series] += shown[series] * (edges[event.length] - since[series]);
  return {
    series: out.series.take(),
    sample: Uint16Array.from(out.sample.take()),
    bytes: out.bytes.take(),
    count,
    peak,
    area,
  };
}

/** Fills `live` with the state of the nearest checkpoint. @returns the first event after it */
function startAt(index: AllocationIndex, layout: SeriesLayout, event: number, live: Float64Array): number {
  const { every, bySource } = index.checkpoints;
  const { count } = index.sources;
  const row = Math.max(0, Math.floor(event / every));
  for (let source = 0; source < count; source++) live[layout.seriesOf[source]] += bySource[row * count + source];
  return row * every;
}

/** The series that get a band: wanted ones, then by the area that they cover, while there is room. */
function chooseSeries(
  all: Changes,
  samples: number,
  max: number,
  thinnest: Bytes,
  wanted: (series: number) => boolean,
): Uint32Array {
  const candidates: number[] = [];
  for (let series = 0; series < all.count.length; series++) {
    if (all.count[series] > 0 && (all.peak[series] >= thinnest || wanted(series))) candidates.push(series);
  }
  candidates.sort((a, b) => Number(wanted(b)) - Number(wanted(a)) || all.area[b] - all.area[a]);
  const chosen: number[] = [];
  // The series of the others may change at each sample.
  let room = MAX_CHANGES - samples;
  for (const series of candidates) {
    if (chosen.length === max) break;
    if (all.count[series] > room) continue;
    room -= all.count[series];
    chosen.push(series);
  }
  return Uint32Array.from(chosen).sort();
}

function splitChanges(
  all: Changes,
  chosen: Uint32Array,
  allSeries: number,
  samples: number,
): { changes: SeriesChanges; otherSeries: number } {
  const position = positionsOf(chosen, allSeries);
  const others = otherChanges(all, position, allSeries, samples);
  const offset = new Uint32Array(chosen.length + 2);
  chosen.forEach((series, i) => {
    offset[i + 1] = offset[i] + all.count[series];
  });
  const own = offset[chosen.length];
  offset[chosen.length + 1] = own + others.sample.length;
  const changes = {
    offset,
    sample: new Uint16Array(own + others.sample.length),
    bytes: new Float64Array(offset[chosen.length + 1]),
  };
  changes.sample.set(others.sample, own);
  changes.bytes.set(others.bytes, own);
  const next = offset.slice();
  for (let i = 0; i < all.series.length; i++) {
    const at = position[all.series[i]];
    if (at === NONE) continue;
    changes.sample[next[at]] = all.sample[i];
    changes.bytes[next[at]++] = all.bytes[i];
  }
  let otherSeries = 0;
  for (let series = 0; series < allSeries; series++)
    if (position[series] === NONE && all.count[series] > 0) otherSeries++;
  return { changes, otherSeries };
}

/** The sum of the series that have no position. */
function otherChanges(
  all: Changes,
  position: Int32Array,
  allSeries: number,
  samples: number,
): { sample: number[]; bytes: number[] } {
  const before = new Float64Array(allSeries);
  const change = new Float64Array(samples);
  for (let i = 0; i < all.series.length; i++) {
    const series = all.series[i];
    if (position[series] !== NONE) continue;
    change[all.sample[i]] += all.bytes[i] - before[series];
    before[series] = all.bytes[i];
  }
  const sample: number[] = [];
  const bytes: number[] = [];
  let sum = 0;
  change.forEach((by, at) => {
    if (by === 0) return;
    sum += by;
    sample.push(at);
    bytes.push(sum);
  });
  return { sample, bytes };
}

/** The position of each series among the chosen ones, or -1. */
function positionsOf(chosen: Uint32Array, allSeries: number): Int32Array {
  const position = new Int32Array(allSeries).fill(NONE);
  chosen.forEach((series, i) => {
    position[series] = i;
  });
  return position;
}

function blocksOf(
  index: AllocationIndex,
  layout: SeriesLayout,
  { event }: BandSamples,
  edges: Uint32Array,
  chosen: Uint32Array,
  inView: Uint8Array | null,
  thinnest: Bytes,
): BandBlocks {
  const { allocations } = index.history;
  const { birth, death, bytes } = allocations;
  const position = positionsOf(chosen, layout.allSeries.length);
  chosen.forEach((series, i) => {
    if (inView?.[i] === 0) position[series] = NONE;
  });
  const first = event[0];
  const last = event[event.length - 1];
  const sampleFrom = firstSamples(event);
  const fromOf = (row: number): number => (birth[row] <= first ? 0 : sampleFrom[birth[row] - first]);
  const toOf = (row: number): number => (death[row] > last ? event.length : sampleFrom[death[row] - first]) - 1;
  const scores = new Float64Array(allocations.count);
  const histogram = new Uint32Array(2048);
  for (let row = 0; row < allocations.count; row++) {
    if (bytes[row] < thinnest || birth[row] > last || death[row] <= first || bytes[row] === 0) continue;
    const columns = edges[toOf(row) + 1] - edges[fromOf(row)];
    if (columns < NARROWEST) continue;
    if (position[layout.seriesOf[index.sourceOf[row]]] === NONE) continue;
    scores[row] = bytes[row] * columns;
    histogram[scoreClass(scores[row])]++;
  }
  // The smallest class of areas down to which all fit.
  let lowest = histogram.length;
  for (let room = MAX_BLOCKS; lowest > 0 && histogram[lowest - 1] <= room; lowest--) room -= histogram[lowest - 1];
  const rows: number[] = [];
  for (let row = 0; row < scores.length; row++)
    if (scores[row] > 0 && scoreClass(scores[row]) >= lowest) rows.push(row);
  const seriesOf = (row: number): number => position[layout.seriesOf[index.sourceOf[row]]];
  rows.sort((a, b) => seriesOf(a) - seriesOf(b) || birth[a] - birth[b] || a - b);
  return {
    count: rows.length,
    series: Uint16Array.from(rows, seriesOf),
    row: Uint32Array.from(rows),
    from: Uint16Array.from(rows, fromOf),
    to: Uint16Array.from(rows, toOf),
    bytes: Float64Array.from(rows, (row) => bytes[row]),
  };
}

/** Classes of equal ratio, 32 to a doubling. */
function scoreClass(score: number): number {
  return Math.min(2047, Math.max(0, Math.floor(Math.log2(score) * 32)));
}

/** For each event from that of the first sample on, the first sample that is not before it. */
function firstSamples(event: Int32Array): Uint16Array {
  const table = new Uint16Array(event[event.length - 1] - event[0] + 1);
  for (let i = 0, sample = 0; i < table.length; i++) {
    while (event[sample] < event[0] + i) sample++;
    table[i] = sample;
  }
  return table;
}
