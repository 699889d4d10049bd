/** The page's bands: the place of each at each sample, exact to the byte. */
import { unpackBands, type BandBlockColumns } from '../../src/protocol/bandCode.js';
import type { Bands } from '../../src/protocol/bandData.js';
import { lastAtOrBelow } from './points.js';
import type { Range } from './range.js';

export interface StackedBands {
  bands: Bands;
  /** First column of each sample, and the end of the last one. */
  edges: Uint16Array;
  /** A sample is the state after its event. */
  event: Int32Array;
  /** Live bytes over the samples: the series from the bottom up, then the others. */
  values: Float64Array[];
  /** Bytes below each series. */
  floors: Float64Array[];
  blocks: BandBlockColumns;
  /** The blocks of series `s` are `blockOffset[s]` to `blockOffset[s + 1]`. */
  blockOffset: Uint32Array;
}

/** One band at one sample: a block, or the rest of a series. */
export interface Piece {
  /** Position in `allSeries`; their number for the others. */
  series: number;
  /** Position in the blocks, -1 for the rest of the series. */
  block: number;
  /** Bytes below it, and with it. */
  from: number;
  to: number;
}

export function stackBands(bands: Bands): StackedBands {
  const { column, event, changes, blocks } = unpackBands(bands.packed);
  const edges = new Uint16Array(column.length + 1).fill(bands.pixels);
  edges.set(column);
  const values = Array.from({ length: bands.allSeries.length + 1 }, (_, series) => {
    const of = new Float64Array(event.length);
    for (let at = changes.offset[series]; at < changes.offset[series + 1]; at++) {
      const until = at + 1 < changes.offset[series + 1] ? changes.sample[at + 1] : event.length;
      of.fill(changes.bytes[at], changes.sample[at], until);
    }
    return of;
  });
  const blockOffset = new Uint32Array(values.length + 1);
  for (const series of blocks.series) blockOffset[series + 1]++;
  for (let series = 0; series < values.length; series++) blockOffset[series + 1] += blockOffset[series];
  return { bands, edges, event, values, floors: floorsOf(values), blocks, blockOffset };
}

function floorsOf(values: readonly Float64Array[]): Float64Array[] {
  let floor = new Float64Array(values[0].length);
  return values.map((own) => {
    const below = floor;
    floor = new Float64Array(below.length);
    // A loop, not map(): made again for each answer while one zooms.
    for (let sample = 0; sample < below.length; sample++) floor[sample] = below[sample] + own[sample];
    return below;
  });
}

/**
 * Each piece of each sample, from the bottom up, the oldest blocks of a series lowest. Creates no objects, for speed.
 */
export function forEachPiece(stacked: StackedBands, visit: (sample: number, piece: Readonly<Piece>) => void): void {
  const { event, values, blocks, blockOffset } = stacked;
  const { from, to, bytes } = blocks;
  const open = values.map((): number[] => []);
  const next = blockOffset.slice();
  const piece: Piece = { series: 0, block: -1, from: 0, to: 0 };
  for (let sample = 0; sample < event.length; sample++) {
    let height = 0;
    for (let series = 0; series < values.length; series++) {
      const live = open[series];
      let rest = values[series][sample];
      // Most series are absent from most samples, and have no live or new blocks there.
      if (rest === 0) {
        if (live.length > 0) live.length = 0;
        continue;
      }
      let count = 0;
      for (const block of live) {
        if (to[block] < sample) continue;
        live[count++] = block;
        rest -= bytes[block];
      }
      if (count < live.length) live.length = count;
      for (; next[series] < blockOffset[series + 1] && from[next[series]] === sample; next[series]++) {
        live.push(next[series]);
        rest -= bytes[next[series]];
      }
      piece.series = series;
      for (let at = -1; at < live.length; at++) {
        const size = at < 0 ? rest : bytes[live[at]];
        if (size <= 0) continue;
        piece.block = at < 0 ? -1 : live[at];
        piece.from = height;
        piece.to = height += size;
        visit(sample, piece);
      }
    }
  }
}

/** The pieces of one sample, from the bottom up. */
export function piecesAt({ values, blocks, blockOffset }: StackedBands, sample: number): Piece[] {
  const pieces: Piece[] = [];
  let height = 0;
  for (let series = 0; series < values.length; series++) {
    const live: number[] = [];
    for (let block = blockOffset[series]; block < blockOffset[series + 1]; block++) {
      if (blocks.from[block] <= sample && blocks.to[block] >= sample) live.push(block);
    }
    const rest = live.reduce((left, block) => left - blocks.bytes[block], values[series][sample]);
    for (const block of [-1, ...live]) {
      const size = block < 0 ? rest : blocks.bytes[block];
      if (size > 0) pieces.push({ series, block, from: height, to: height + size });
      height += Math.max(0, size);
    }
  }
  return pieces;
}

/** The piece at a height; null above the series. */
export function pieceAt(stacked: StackedBands, sample: number, bytes: number): Piece | null {
  return piecesAt(stacked, sample).find(({ from, to }) => bytes >= from && bytes < to) ?? null;
}

/** The places of a band by sample: parallel columns. */
export interface Outline {
  sample: number[];
  from: number[];
  to: number[];
}

/** A series as a whole, or one block of it; its stretches may be apart. */
export function outlineOf(stacked: StackedBands, series: number, block: number): Outline {
  const { values, floors, blocks, blockOffset } = stacked;
  const outline: Outline = { sample: [], from: [], to: [] };
  const first = block < 0 ? 0 : blocks.from[block];
  const last = block < 0 ? stacked.event.length - 1 : blocks.to[block];
  for (let sample = first; sample <= last; sample++) {
    let from = floors[series][sample];
    let to = from + values[series][sample];
    if (to === from) continue;
    if (block >= 0) {
      // The part above: the younger blocks of the series.
      for (let other = block + 1; other < blockOffset[series + 1]; other++) {
        if (blocks.from[other] <= sample && blocks.to[other] >= sample) to -= blocks.bytes[other];
      }
      from = to - blocks.bytes[block];
    }
    outline.sample.push(sample);
    outline.from.push(from);
    outline.to.push(to);
  }
  return outline;
}

/** The sample that is drawn at a value of the x axis; -1 beside the window. */
export function sampleAt({ bands, edges }: StackedBands, x: number): number {
  const { window, pixels } = bands;
  if (x < window.from || x > window.to) return -1;
  const column = Math.min(pixels - 1, Math.floor(((x - window.from) / (window.to - window.from)) * pixels));
  return lastAtOrBelow(edges.subarray(0, -1), column);
}

/** Where a sample begins on the x axis; the end of the last one for the number of samples. */
export function xOfSample({ bands, edges }: StackedBands, sample: number): number {
  const { window, pixels } = bands;
  return window.from + (edges[sample] / pixels) * (window.to - window.from);
}

/** The samples that show in a range: first and last; last below first if there are none. */
export function samplesIn(stacked: StackedBands, { from, to }: Range): { first: number; last: number } {
  const { window } = stacked.bands;
  if (to < window.from || from > window.to) return { first: 0, last: -1 };
  return { first: sampleAt(stacked, Math.max(from, window.from)), last: sampleAt(stacked, Math.min(to, window.to)) };
}
