/**
 * The columns of {@link Bands} in few bytes: seven bits per byte, differences of similar neighbors, sizes in their
 * largest common unit.
 */
import type { BandWindow } from '../core/timeline/bandWindow.js';
import type { SeriesChanges } from '../core/timeline/seriesChanges.js';
import { NumberReader, NumberWriter } from './numberCode.js';

export type BandBlockColumns = BandWindow['blocks'];

export interface BandColumns {
  /** First pixel column of each sample. */
  column: Uint16Array;
  /** The state of a sample is the one after this event; -1 is before the first. */
  event: Int32Array;
  /** Row `s` of `offset` begins series `s`, the last row ends the others. */
  changes: SeriesChanges;
  blocks: BandBlockColumns;
}

/** @param unit divides every size */
export function packBands({ column, event, changes, blocks }: BandColumns, unit: number): Uint8Array {
  const out = new NumberWriter();
  out.whole(unit);
  out.whole(column.length);
  column.forEach((value, i) => {
    out.whole(value - (i === 0 ? 0 : column[i - 1]));
    out.whole(event[i] - (i === 0 ? -1 : event[i - 1]));
  });
  out.whole(changes.offset.length - 1);
  for (let series = 0; series + 1 < changes.offset.length; series++) {
    out.whole(changes.offset[series + 1] - changes.offset[series]);
    let sample = 0;
    let bytes = 0;
    for (let at = changes.offset[series]; at < changes.offset[series + 1]; at++) {
      out.whole(changes.sample[at] - sample);
      out.signed((changes.bytes[at] - bytes) / unit);
      sample = changes.sample[at];
      bytes = changes.bytes[at];
    }
  }
  out.whole(blocks.count);
  for (let i = 0; i < blocks.count; i++) {
    const sameSeries = i > 0 && blocks.series[i] === blocks.series[i - 1];
    out.whole(blocks.series[i] - (i === 0 ? 0 : blocks.series[i - 1]));
    out.signed(blocks.row[i] - (i === 0 ? 0 : blocks.row[i - 1]));
    out.signed(blocks.from[i] - (sameSeries ? blocks.from[i - 1] : 0));
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
  const allSeries = from.whole();
  const offset = new Uint32Array(allSeries + 1);
  const sampleOf: number[] = [];
  const bytesOf: number[] = [];
  for (let series = 0; series < allSeries; series++) {
    let sample = 0;
    let bytes = 0;
    for (let left = from.whole(); left > 0; left--) {
      sample += from.whole();
      bytes += from.signed() * unit;
      sampleOf.push(sample);
      bytesOf.push(bytes);
    }
    offset[series + 1] = sampleOf.length;
  }
  const changes = { offset, sample: Uint16Array.from(sampleOf), bytes: Float64Array.from(bytesOf) };
  return { column, event, changes, blocks: unpackBlocks(from, unit) };
}

function unpackBlocks(from: NumberReader, unit: number): BandBlockColumns {
  const count = from.whole();
  const blocks = {
    count,
    series: new Uint16Array(count),
    row: new Uint32Array(count),
    from: new Uint16Array(count),
    to: new Uint16Array(count),
    bytes: new Float64Array(count),
  };
  for (let i = 0; i < count; i++) {
    const step = from.whole();
    const sameSeries = i > 0 && step === 0;
    blocks.series[i] = (i === 0 ? 0 : blocks.series[i - 1]) + step;
    blocks.row[i] = (i === 0 ? 0 : blocks.row[i - 1]) + from.signed();
    blocks.from[i] = (sameSeries ? blocks.from[i - 1] : 0) + from.signed();
    blocks.to[i] = blocks.from[i] + from.whole();
    blocks.bytes[i] = from.whole() * unit;
  }
  return blocks;
}
