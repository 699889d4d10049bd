/** The columns of {@link Bands} in few bytes. */
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

export function packBands({ column, event, changes, blocks }: BandColumns): Uint8Array {
  const out = new NumberWriter();
  const { offset, sample, bytes } = changes;
  for (const values of [column, event, offset, sample, bytes]) out.column(values);
  const { series, row, from, to } = blocks;
  const pixels = to.map((end, i) => end - from[i]);
  for (const values of [series, row, from, pixels, blocks.bytes]) out.column(values);
  return out.take();
}

/** @throws RangeError if bytes are missing */
export function unpackBands(packed: Uint8Array): BandColumns {
  const input = new NumberReader(packed);
  const column = Uint16Array.from(input.column());
  const event = Int32Array.from(input.column());
  const offset = Uint32Array.from(input.column());
  const sample = Uint16Array.from(input.column());
  const changes = { offset, sample, bytes: input.column() };
  const series = Uint16Array.from(input.column());
  const row = Uint32Array.from(input.column());
  const from = Uint16Array.from(input.column());
  const to = Uint16Array.from(input.column(), (pixels, i) => from[i] + pixels);
  const blocks = { count: series.length, series, row, from, to, bytes: input.column() };
  return { column, event, changes, blocks };
}
