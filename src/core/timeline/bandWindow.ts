import { Growable } from '../model/growable.js';
import type { Bytes } from '../model/units.js';
import type { AllocationIndex } from './allocationIndex.js';
import { bandSamples, type BandSamples } from './bandSamples.js';
import { HistoryAxis, type Axis, type Stretch } from '../model/historyAxis.js';
import type { StrandLayout } from './strands.js';
import type { StrandSeries } from './strandSeries.js';
import { strandsInView } from './strandsInView.js';

export interface BandRequest {
  axis: Axis;
  /** In units of the axis; null for everything. */
  window: Stretch | null;
  /** Size of the plot. */
  pixels: number;
  rows: number;
  /** What of the series's height the rows show; null for all of it. */
  bytes: Stretch | null;
  /** Strands that are wanted whatever their size: those of the line at the cursor. */
  wanted: (strand: number) => boolean;
}

/** Level of detail: the bands of a window that are large enough to be seen, and what the others add up to. */
export interface BandWindow {
  axis: Axis;
  extent: Stretch;
  window: Stretch;
  /** Columns of the window. */
  pixels: number;
  samples: BandSamples;
  /** Most live bytes of any sample. */
  highest: Bytes;
  /** Strands with a series of their own, as indices of the layout, from the bottom of the series up. */
  strands: Uint32Array;
  /**
   * Live bytes over the samples: the changes of series `i` are rows `offset[i]` to `offset[i + 1]`. Behind the series
   * come the others, together: they lie on top of the series.
   */
  series: StrandSeries;
  /** How many series the others are that are live at some sample. */
  otherStrands: number;
  blocks: BandBlocks;
}

/** Single allocations that are large enough to be seen, parts of their series: by series, then by birth. */
export interface BandBlocks {
  readonly count: number;
  /** Position in `strands`. */
  readonly strand: Uint16Array;
  /** Row of the allocation table. */
  readonly row: Uint32Array;
  /** First and last sample at which it is live. */
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  readonly bytes: Float64Array;
}

const MOST_PIXELS = 4096;
/** Together these keep an answer far below 200 kB: a change takes three to five bytes on the wire, a block eight. */
const MOST_STRANDS = 64;
/** Who looks at a part of the height looks for what is thin: names cost little beside the series. */
const MOST_STRANDS_OF_PART = 256;
const MOST_CHANGES = 24_000;
const MOST_BLOCKS = 2500;
/** A series that is nowhere as high as this many pixels is too thin to see; so is an allocation below twice that. */
const THINNEST = 0.75;
/** An allocation that spans fewer columns has no outline of its own. */
const NARROWEST = 2;
const NONE = -1;

/** Linear in the events of the window. What is left out of one level is in the sums of the next: totals stay exact. */
export function bandWindow(index: AllocationIndex, layout: StrandLayout, request: BandRequest): BandWindow {
  const { history } = index;
  const axis = new HistoryAxis(history, request.axis);
  const window = axis.window(request.window);
  const pixels = Math.min(MOST_PIXELS, Math.max(1, Math.floor(request.pixels)));
  const samples = bandSamples(history, axis, window, pixels);
  const highest = samples.event.reduce((most, event) => Math.max(most, history.live[event + 1]), 0);
  const { bytes, wanted } = request;
  const perRow = (bytes === null ? highest : bytes.to - bytes.from) / Math.max(1, request.rows);
  const edges = edgesOf(samples, pixels);
  const all = changesOf(index, layout, samples, edges);
  const count = samples.event.length;
  const most = bytes === null ? MOST_STRANDS : MOST_STRANDS_OF_PART;
  const chosen = chooseStrands(all, count, most, perRow * THINNEST, wanted);
  const { series, otherStrands } = splitChanges(all, chosen, layout.strands.length, count);
  const inView = bytes === null ? null : strandsInView(series, count, bytes);
  return {
    axis: axis.axis,
    extent: axis.extent,
    window,
    pixels,
    samples,
    highest,
    strands: chosen,
    series,
    otherStrands,
    blocks: blocksOf(index, layout, samples, edges, chosen, inView, perRow * THINNEST * 2),
  };
}

/** Every change of every series from one sample to the next, in order of samples. */
interface Changes {
  readonly strand: Uint32Array;
  readonly sample: Uint16Array;
  readonly bytes: Float64Array;
  /** By series: how many changes, the highest value, and the values summed over the columns. */
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

function changesOf(index: AllocationIndex, layout: StrandLayout, { event }: BandSamples, edges: Uint32Array): Changes {
  const { history, sourceOf, bornAt, diesAt, nextDying } = index;
  const { strandOf } = layout;
  const { bytes } = history.allocations;
  const strands = layout.strands.length;
  const out = {
    strand: new Growable(Uint32Array),
    sample: new Growable(Uint32Array),
    bytes: new Growable(Float64Array),
  };
  const count = new Uint32Array(strands);
  const peak = new Float64Array(strands);
  const area = new Float64Array(strands);
  const live = new Float64Array(strands);
  const shown = new Float64Array(strands);
  const since = new Uint16Array(strands);
  const touched = new Uint32Array(strands);
  const isTouched = new Uint8Array(strands);
  let touches = 0;
  let at = startAt(index, layout, event[0], live);
  for (let strand = 0; strand < strands; strand++) {
    if (live[strand] === 0) continue;
    isTouched[strand] = 1;
    touched[touches++] = strand;
  }
  const add = (row: number, sign: 1 | -1): void => {
    const strand = strandOf[sourceOf[row]];
    live[strand] += sign * bytes[row];
    if (isTouched[strand] === 1) return;
    isTouched[strand] = 1;
    touched[touches++] = strand;
  };
  for (let sample = 0; sample < event.length; sample++) {
    for (; at <= event[sample]; at++) {
      if (bornAt[at] !== NONE) add(bornAt[at], 1);
      for (let row = diesAt[at]; row !== NONE; row = nextDying[row]) add(row, -1);
    }
    for (let i = 0; i < touches; i++) {
      const strand = touched[i];
      isTouched[strand] = 0;
      if (live[strand] === shown[strand]) continue;
      area[strand] += shown[strand] * (edges[sample] - since[strand]);
      since[strand] = edges[sample];
      shown[strand] = live[strand];
      peak[strand] = Math.max(peak[strand], live[strand]);
      count[strand]++;
      out.strand.push(strand);
      out.sample.push(sample);
      out.bytes.push(live[strand]);
    }
    touches = 0;
  }
  for (let strand = 0; strand < strands; strand++)
    area[strand] += shown[strand] * (edges[event.length] - since[strand]);
  return {
    strand: out.strand.take(),
    sample: Uint16Array.from(out.sample.take()),
    bytes: out.bytes.take(),
    count,
    peak,
    area,
  };
}

/**
 * Fills `live` with the state of the nearest checkpoint.
 * @returns the first event that is not in it
 */
function startAt(index: AllocationIndex, layout: StrandLayout, event: number, live: Float64Array): number {
  const { every, bySource } = index.checkpoints;
  const { count } = index.sources;
  const row = Math.max(0, Math.floor(event / every));
  for (let source = 0; source < count; source++) live[layout.strandOf[source]] += bySource[row * count + source];
  return row * every;
}

/** The series that get a series: wanted ones, then by the area that they cover, while there is room. */
function chooseStrands(
  all: Changes,
  samples: number,
  most: number,
  thinnest: Bytes,
  wanted: (strand: number) => boolean,
): Uint32Array {
  const candidates: number[] = [];
  for (let strand = 0; strand < all.count.length; strand++) {
    if (all.count[strand] > 0 && (all.peak[strand] >= thinnest || wanted(strand))) candidates.push(strand);
  }
  candidates.sort((a, b) => Number(wanted(b)) - Number(wanted(a)) || all.area[b] - all.area[a]);
  const chosen: number[] = [];
  // The series of the others may change at each sample.
  let room = MOST_CHANGES - samples;
  for (const strand of candidates) {
    if (chosen.length === most) break;
    if (all.count[strand] > room) continue;
    room -= all.count[strand];
    chosen.push(strand);
  }
  return Uint32Array.from(chosen).sort();
}

function splitChanges(
  all: Changes,
  chosen: Uint32Array,
  strands: number,
  samples: number,
): { series: StrandSeries; otherStrands: number } {
  const position = positionsOf(chosen, strands);
  const others = otherChanges(all, position, strands, samples);
  const offset = new Uint32Array(chosen.length + 2);
  chosen.forEach((strand, i) => {
    offset[i + 1] = offset[i] + all.count[strand];
  });
  const own = offset[chosen.length];
  offset[chosen.length + 1] = own + others.sample.length;
  const series = {
    offset,
    sample: new Uint16Array(own + others.sample.length),
    bytes: new Float64Array(offset[chosen.length + 1]),
  };
  series.sample.set(others.sample, own);
  series.bytes.set(others.bytes, own);
  const next = offset.slice();
  for (let i = 0; i < all.strand.length; i++) {
    const at = position[all.strand[i]];
    if (at === NONE) continue;
    series.sample[next[at]] = all.sample[i];
    series.bytes[next[at]++] = all.bytes[i];
  }
  let otherStrands = 0;
  for (let strand = 0; strand < strands; strand++)
    if (position[strand] === NONE && all.count[strand] > 0) otherStrands++;
  return { series, otherStrands };
}

/** The sum of the series that have no position. */
function otherChanges(
  all: Changes,
  position: Int32Array,
  strands: number,
  samples: number,
): { sample: number[]; bytes: number[] } {
  const before = new Float64Array(strands);
  const change = new Float64Array(samples);
  for (let i = 0; i < all.strand.length; i++) {
    const strand = all.strand[i];
    if (position[strand] !== NONE) continue;
    change[all.sample[i]] += all.bytes[i] - before[strand];
    before[strand] = all.bytes[i];
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

/** By series: its place among the chosen, -1 where it has none. */
function positionsOf(chosen: Uint32Array, strands: number): Int32Array {
  const position = new Int32Array(strands).fill(NONE);
  chosen.forEach((strand, i) => {
    position[strand] = i;
  });
  return position;
}

function blocksOf(
  index: AllocationIndex,
  layout: StrandLayout,
  { event }: BandSamples,
  edges: Uint32Array,
  chosen: Uint32Array,
  inView: Uint8Array | null,
  thinnest: Bytes,
): BandBlocks {
  const { allocations } = index.history;
  const { birth, death, bytes } = allocations;
  const position = positionsOf(chosen, layout.strands.length);
  chosen.forEach((strand, i) => {
    if (inView?.[i] === 0) position[strand] = NONE;
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
    if (position[layout.strandOf[index.sourceOf[row]]] === NONE) continue;
    scores[row] = bytes[row] * columns;
    histogram[scoreClass(scores[row])]++;
  }
  // The smallest class of areas down to which all fit.
  let lowest = histogram.length;
  for (let room = MOST_BLOCKS; lowest > 0 && histogram[lowest - 1] <= room; lowest--) room -= histogram[lowest - 1];
  const rows: number[] = [];
  for (let row = 0; row < scores.length; row++)
    if (scores[row] > 0 && scoreClass(scores[row]) >= lowest) rows.push(row);
  const strandOf = (row: number): number => position[layout.strandOf[index.sourceOf[row]]];
  rows.sort((a, b) => strandOf(a) - strandOf(b) || birth[a] - birth[b] || a - b);
  return {
    count: rows.length,
    strand: Uint16Array.from(rows, strandOf),
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

/** By event, counted from that of the first sample: the first sample that is not before it. */
function firstSamples(event: Int32Array): Uint16Array {
  const table = new Uint16Array(event[event.length - 1] - event[0] + 1);
  for (let i = 0, sample = 0; i < table.length; i++) {
    while (event[sample] < event[0] + i) sample++;
    table[i] = sample;
  }
  return table;
}
