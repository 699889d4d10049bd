/** Which band is pointed at, with the mouse or with keys. */
import type { BandDetail, BandOwner } from '../../src/protocol/bandData.js';
import { byteText, countText } from '../../src/core/text/numberText.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import type { BandRef, SourceLine, ViewState } from '../model/viewState.js';
import type { BandMark } from './bandInk.js';
import { detailLines, groupName, seriesName } from './bandText.js';
import { pieceAt, piecesAt, sampleAt, type Piece, type StackedBands } from '../model/stackedBands.js';

/** A band at a sample. */
export interface PointedBand {
  stacked: StackedBands;
  sample: number;
  piece: Piece;
}

export class BandPointer {
  constructor(private readonly store: Store<ViewState>) {}

  /** The visible series at a value of the x axis; null without one. */
  stackedAt(x: number): StackedBands | null {
    const { stacked, wholeBands, curve, layer } = this.store.get();
    if (!layer) return null;
    const fits = (one: StackedBands | null): one is StackedBands =>
      one !== null && one.bands.axis === curve?.axis && sampleAt(one, x) >= 0;
    return [stacked, wholeBands].find(fits) ?? null;
  }

  /** The band at a place of the plot; null above the series. */
  at(x: number, bytes: number): PointedBand | null {
    const stacked = this.stackedAt(x);
    if (stacked === null) return null;
    const sample = sampleAt(stacked, x);
    const piece = pieceAt(stacked, sample, bytes);
    return piece === null ? null : { stacked, sample, piece };
  }

  /** The band above or below another at the same instant; the uppermost, or the lowest, to begin with. */
  next(x: number, from: PointedBand | null, by: 1 | -1): PointedBand | null {
    const stacked = this.stackedAt(x);
    if (stacked === null) return null;
    const sample = sampleAt(stacked, x);
    const pieces = piecesAt(stacked, sample);
    const now = pieces.findIndex(({ series, block }) => series === from?.piece.series && block === from.piece.block);
    const to = now === -1 ? (by === 1 ? 0 : pieces.length - 1) : Math.min(Math.max(now + by, 0), pieces.length - 1);
    return to < 0 || pieces.length === 0 ? null : { stacked, sample, piece: pieces[to] };
  }
}

/** The band in the words of the worker; null for the others, which are many. */
export function refOf({ stacked, sample, piece }: PointedBand): BandRef | null {
  const { allSeries } = stacked.bands;
  if (piece.series >= allSeries.length) return null;
  const row = piece.block < 0 ? null : stacked.blocks.row[piece.block];
  return { series: allSeries[piece.series].id, row, event: stacked.event[sample] };
}

/** The owner of a band; null for _others_. */
export function ownerOf({ stacked, piece }: PointedBand): BandOwner | null {
  return stacked.bands.allSeries.at(piece.series) ?? null;
}

/** Live bytes at the instant of a band: the height of all bands. */
export function heightOf({ stacked, sample }: PointedBand): number {
  const last = stacked.values.length - 1;
  return stacked.floors[last][sample] + stacked.values[last][sample];
}

/** The short text of a band: its name, and the bytes of its selection. */
export function bandLines(band: PointedBand, detail: BandDetail | null): string[] {
  const { stacked, piece } = band;
  const ref = refOf(band);
  const known = ref !== null && detail?.series === ref.series && detail.row === ref.row && detail.event === ref.event;
  const group = groupName(stacked.bands, piece.series);
  return [
    seriesName(stacked.bands, piece.series, 'end') + (group === '' ? '' : ` \u00b7 ${group}`),
    known ? detailLines(detail)[0] : byteText(bytesOf(band)),
  ];
}

/** The bytes of an allocation, or of its whole series if it has no outline. */
function bytesOf({ stacked, sample, piece }: PointedBand): number {
  return piece.block < 0 ? stacked.values[piece.series][sample] : piece.to - piece.from;
}

/** The text of a band for screen readers, with its position among the bands. */
export function spokenBand(band: PointedBand): string {
  const pieces = piecesAt(band.stacked, band.sample);
  const { series, block } = band.piece;
  const at = pieces.findIndex((piece) => piece.series === series && piece.block === block);
  return t(
    '{0}. Series {1} of {2} from the top',
    bandLines(band, null).join(', '),
    countText(pieces.length - at),
    countText(pieces.length),
  );
}

/** The outlined bands: under the cursor, selected, and of the line at the editor's cursor. */
export function marksIn(
  stacked: StackedBands,
  looked: PointedBand | null,
  selected: BandRef | null,
  lines: readonly (SourceLine | null)[],
): BandMark[] {
  const marks: BandMark[] = [];
  stacked.bands.allSeries.forEach(({ place }, series) => {
    if (lines.some((line) => line !== null && place?.file === line.file && place.line === line.line)) {
      marks.push({ kind: 'line', series, block: -1 });
    }
  });
  if (selected !== null) {
    const series = stacked.bands.allSeries.findIndex(({ id }) => id === selected.series);
    const block = selected.row === null ? -1 : stacked.blocks.row.indexOf(selected.row);
    if (series >= 0 && (selected.row === null || block >= 0)) marks.push({ kind: 'selected', series, block });
  }
  if (looked?.stacked === stacked)
    marks.push({ kind: 'looked', series: looked.piece.series, block: looked.piece.block });
  return marks;
}
