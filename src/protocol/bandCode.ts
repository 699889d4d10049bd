/**
 * The columns of {@link Bands} as few bytes: whole numbers of seven bits a byte, differences where neighbours are alike.
 * Sizes are counted in the largest unit that divides them all.
 */
import { NumberReader, NumberWriter } from './numberCode.js';

/** From `sample[i]` on, `bytes[i]` are live; row `s` of `offset` begins series `s`, the last row ends the others. */
export interface BandSeries {
  offset: Uint32Array;
  sample: Uint16Array;
  bytes: Float64Array;
}

/** Single allocations: by series, then by birth. */
export interface BandBlockColumns {
  count: number;
  /** Position in the strands. */
  strand: Uint16Array;
  /** Row of the allocation table. */
  row: Uint32Array;
  /** First and last sample at which it is live. */
  from: Uint16Array;
  to: Uint16Array;
  bytes: Float64Array;
}

export interface BandColumns {
  /** First pixel column of each sample. */
  column: Uint16Array;
  /** The state of a sample is the one after this event; -1 is before the first. */
  event: Int32Array;
  series: BandSeries;
  blocks: BandBlockColumns;
}

/** @param unit divides every size */
export function packBands({ column, event, series, blocks }: BandColumns, unit: number): Uint8Array {
  const out = new NumberWriter();
  out.whole(unit);
  out.whole(column.length);
  column.forEach((value, i) => {
    out.whole(value - (i === 0 ? 0 : column[i - 1]));
    out.whole(event[i] - (i === 0 ? -1 : event[i - 1]));
  });
  out.whole(series.offset.length - 1);
  for (let strand = 0; strand + 1 < series.offset.length; strand++) {
    out.whole(series.offset[strand + 1] - series.offset[strand]);
    let sample = 0;
    let bytes = 0;
    for (let at = series.offset[strand]; at < series.offset[strand + 1]; at++) {
      out.whole(series.sample[at] - sample);
      out.signed((series.bytes[at] - bytes) / unit);
      sample = series.sample[at];
      bytes = series.bytes[at];
    }
  }
  out.whole(blocks.count);
  for (let i = 0; i < blocks.count; i++) {
    const sameStrand = i > 0 && blocks.strand[i] === blocks.strand[i - 1];
    out.whole(blocks.strand[i] - (i === 0 ? 0 : blocks.strand[i - 1]));
    out.signed(blocks.row[i] - (i === 0 ? 0 : blocks.row[i - 1]));
    out.signed(blocks.from[i] - (sameStrand ? blocks.from[i - 1] : 0));
    out.whole(blocks.to[i] - blocks.from[i]);
    out.whole(blocks.bytes[i] / unit);
  }
  return out.take();
}

export function unpackBands(packed: Uint8Array): BandColumns {
  const from = new NumberReader(packed);
  const unit = from.whole();
  const samples = from.whole();
  const column = new Uint16Array(samples);
  const event = new Int32Array(samples);
  for (let i = 0; i < samples; i++) {
    column[i] = (i === 0 ? 0 : column[i - 1]) + from.whole();
    event[i] = (i === 0 ? -1 : event[i - 1]) + from.whole();
  }
  const strands = from.whole();
  const offset = new Uint32Array(strands + 1);
  const sampleOf: number[] = [];
  const bytesOf: number[] = [];
  for (let strand = 0; strand < strands; strand++) {
    let sample = 0;
    let bytes = 0;
    for (let left = from.whole(); left > 0; left--) {
      sample += from.whole();
      bytes += from.signed() * unit;
      sampleOf.push(sample);
      bytesOf.push(bytes);
    }
    offset[strand + 1] = sampleOf.length;
  }
  const series = { offset, sample: Uint16Array.from(sampleOf), bytes: Float64Array.from(bytesOf) };
  return { column, event, series, blocks: unpackBlocks(from, unit) };
}

function unpackBlocks(from: NumberReader, unit: number): BandBlockColumns {
  const count = from.whole();
  const blocks = {
    count,
    strand: new Uint16Array(count),
    row: new Uint32Array(count),
    from: new Uint16Array(count),
    to: new Uint16Array(count),
    bytes: new Float64Array(count),
  };
  for (let i = 0; i < count; i++) {
    const step = from.whole();
    const sameStrand = i > 0 && step === 0;
    blocks.strand[i] = (i === 0 ? 0 : blocks.strand[i - 1]) + step;
    blocks.row[i] = (i === 0 ? 0 : blocks.row[i - 1]) + from.signed();
    blocks.from[i] = (sameStrand ? blocks.from[i - 1] : 0) + from.signed();
    blocks.to[i] = blocks.from[i] + from.whole();
    blocks.bytes[i] = from.whole() * unit;
  }
  return blocks;
}
