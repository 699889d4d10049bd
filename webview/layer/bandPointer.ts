/** Which band is pointed at, with the mouse or with keys. */
import type { BandDetail, BandOwner } from '../../src/protocol/bandData.js';
import { formatBytes } from '../format.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import type { BandRef, SourceLine, ViewState } from '../viewState.js';
import type { BandMark } from './bandInk.js';
import { detailLines, groupName, strandName } from './bandText.js';
import { pieceAt, piecesAt, sampleAt, type Piece, type Pile } from './pile.js';

/** A band at a sample of a pile. */
export interface PointedBand {
  pile: Pile;
  sample: number;
  piece: Piece;
}

export class BandPointer {
  constructor(private readonly store: Store<ViewState>) {}

  /** The series that shows at a value of the x axis; null where none is drawn. */
  pileAt(x: number): Pile | null {
    const { pile, wholePile, curve, layer } = this.store.get();
    if (!layer) return null;
    const fits = (one: Pile | null): one is Pile =>
      one !== null && one.bands.axis === curve?.axis && sampleAt(one, x) >= 0;
    return [pile, wholePile].find(fits) ?? null;
  }

  /** The band at a place of the plot; null above the series. */
  at(x: number, bytes: number): PointedBand | null {
    const pile = this.pileAt(x);
    if (pile === null) return null;
    const sample = sampleAt(pile, x);
    const piece = pieceAt(pile, sample, bytes);
    return piece === null ? null : { pile, sample, piece };
  }

  /** The band above or below another at the same instant; the uppermost, or the lowest, to begin with. */
  next(x: number, from: PointedBand | null, by: 1 | -1): PointedBand | null {
    const pile = this.pileAt(x);
    if (pile === null) return null;
    const sample = sampleAt(pile, x);
    const pieces = piecesAt(pile, sample);
    const now = pieces.findIndex(({ strand, block }) => strand === from?.piece.strand && block === from.piece.block);
    const to = now === -1 ? (by === 1 ? 0 : pieces.length - 1) : Math.min(Math.max(now + by, 0), pieces.length - 1);
    return to < 0 || pieces.length === 0 ? null : { pile, sample, piece: pieces[to] };
  }
}

/** The band in the words of the worker; null for the others, which are many. */
export function refOf({ pile, sample, piece }: PointedBand): BandRef | null {
  const { strands } = pile.bands;
  if (piece.strand >= strands.length) return null;
  const row = piece.block < 0 ? null : pile.blocks.row[piece.block];
  return { strand: strands[piece.strand].id, row, event: pile.event[sample] };
}

/** Who owns a band; null for the others. */
export function ownerOf({ pile, piece }: PointedBand): BandOwner | null {
  return pile.bands.strands.at(piece.strand) ?? null;
}

/** Live bytes at the instant of a band: the height of the whole pile. */
export function heightOf({ pile, sample }: PointedBand): number {
  const last = pile.values.length - 1;
  return pile.floors[last][sample] + pile.values[last][sample];
}

/** What is said of a band in short: its name, and its bytes as its selection has them. */
export function bandLines(band: PointedBand, detail: BandDetail | null): string[] {
  const { pile, piece } = band;
  const ref = refOf(band);
  const known = ref !== null && detail?.strand === ref.strand && detail.row === ref.row && detail.event === ref.event;
  const group = groupName(pile.bands, piece.strand);
  return [
    strandName(pile.bands, piece.strand, 'end') + (group === '' ? '' : ` \u00b7 ${group}`),
    known ? detailLines(detail)[0] : formatBytes(bytesOf(band)),
  ];
}

/** Of an allocation, or of all of its series: what of a series has no outline is no thing of its own. */
function bytesOf({ pile, sample, piece }: PointedBand): number {
  return piece.block < 0 ? pile.values[piece.strand][sample] : piece.to - piece.from;
}

/** For the ear: where among the bands of its instant it is, besides. */
export function spokenBand(band: PointedBand): string {
  const pieces = piecesAt(band.pile, band.sample);
  const { strand, block } = band.piece;
  const at = pieces.findIndex((piece) => piece.strand === strand && piece.block === block);
  return strings.bandOfBands(bandLines(band, null).join(', '), pieces.length - at, pieces.length);
}

/** What is pointed out in a pile: the band under the cursor, the picked one, and those of the line at the editor's cursor. */
export function marksIn(
  pile: Pile,
  looked: PointedBand | null,
  picked: BandRef | null,
  lines: readonly (SourceLine | null)[],
): BandMark[] {
  const marks: BandMark[] = [];
  pile.bands.strands.forEach(({ place }, strand) => {
    if (lines.some((line) => line !== null && place?.file === line.file && place.line === line.line)) {
      marks.push({ kind: 'line', strand, block: -1 });
    }
  });
  if (picked !== null) {
    const strand = pile.bands.strands.findIndex(({ id }) => id === picked.strand);
    const block = picked.row === null ? -1 : pile.blocks.row.indexOf(picked.row);
    if (strand >= 0 && (picked.row === null || block >= 0)) marks.push({ kind: 'picked', strand, block });
  }
  if (looked?.pile === pile) marks.push({ kind: 'looked', strand: looked.piece.strand, block: looked.piece.block });
  return marks;
}
