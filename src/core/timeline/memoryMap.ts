/** The blocks of a device in its segments at the end of the recording, in the detail of a picture. */
import { BlockState, NO_INDEX, NO_STACK, type Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import { isPinned } from '../attribution/segmentFacts.js';

/** Maximum number of segments that are drawn one by one, the largest; the others are one box. */
export const MAX_SEGMENTS = 300;
/** Pieces of all drawn segments. */
export const MAX_PIECES = 2400;
/** Minimum width in pixels; narrower neighbors are merged. */
const NARROWEST = 4;

/** Sums over segments. `reserved` is `live` and `free`. */
export interface SegmentSums {
  segments: number;
  reservedBytes: Bytes;
  /** Held by tensors, or still used by another stream. */
  liveBytes: Bytes;
  freeBytes: Bytes;
  /** The largest piece that one allocation could have without asking the driver. */
  largestFreeBytes: Bytes;
  pinnedSegments: number;
}

export interface MappedSegment extends Omit<SegmentSums, 'segments' | 'pinnedSegments'> {
  segment: number;
  isPinned: boolean;
}

/** `live` and `pending` and `free` are one block; `mixed` are neighbors too narrow to be seen; `unknown` no block has. */
export const PIECE_KINDS = ['live', 'pending', 'free', 'mixed', 'unknown'] as const;

export type PieceKind = (typeof PIECE_KINDS)[number];

/** Pieces of segments, in the order of the segments, then of their addresses. */
export interface MapPieces {
  /** Index of the segment in the list. */
  readonly row: Uint32Array;
  /** Index into {@link PIECE_KINDS}. */
  readonly kind: Uint8Array;
  readonly bytes: Float64Array;
  readonly liveBytes: Float64Array;
  readonly blocks: Uint32Array;
  /** The largest live block in it; `NO_INDEX` where there is none. */
  readonly block: Uint32Array;
}

interface MemoryMap {
  total: SegmentSums;
  /** All segments, the largest first. */
  all: MappedSegment[];
  segments: MappedSegment[];
  /** The segments that are not drawn. */
  others: SegmentSums;
  pieces: MapPieces;
}

interface MapSize {
  /** The width of a row. */
  pixels: number;
  /** Over so many rows all segments are drawn. */
  rows: number;
  /** Index of the segment that fills a row alone; null for all. */
  only: number | null;
}

export function memoryMap(snapshot: Snapshot, device: number, { pixels, rows, only }: MapSize): MemoryMap {
  const all: MappedSegment[] = [];
  for (let segment = 0; segment < snapshot.segments.count; segment++) {
    if (snapshot.segments.device[segment] === device) all.push(mappedSegment(snapshot, segment));
  }
  all.sort((a, b) => b.reservedBytes - a.reservedBytes || b.liveBytes - a.liveBytes || a.segment - b.segment);
  const total = sumSegments(all);
  const isDrawn = ({ segment }: MappedSegment, rank: number): boolean =>
    only === null ? rank < MAX_SEGMENTS : segment === only;
  const segments = all.filter(isDrawn);
  const largest = segments.at(0)?.reservedBytes ?? 0;
  const row = only === null ? Math.max(total.reservedBytes / rows, largest) : largest;
  return {
    total,
    all,
    segments,
    others: sumSegments(all.filter((segment, rank) => !isDrawn(segment, rank))),
    pieces: piecesOf(snapshot, segments, row / pixels),
  };
}

export function sumSegments(segments: readonly MappedSegment[]): SegmentSums {
  const sums = {
    segments: segments.length,
    reservedBytes: 0,
    liveBytes: 0,
    freeBytes: 0,
    largestFreeBytes: 0,
    pinnedSegments: 0,
  };
  for (const segment of segments) {
    sums.reservedBytes += segment.reservedBytes;
    sums.liveBytes += segment.liveBytes;
    sums.freeBytes += segment.freeBytes;
    sums.largestFreeBytes = Math.max(sums.largestFreeBytes, segment.largestFreeBytes);
    sums.pinnedSegments += Number(segment.isPinned);
  }
  return sums;
}

/** The stack that speaks for a block, and that of the forward pass. */
export function stacksOfBlock({ blocks, events }: Snapshot, block: number): { stack: number; forward: number } {
  const event = blocks.allocEvent[block];
  return {
    stack: blocks.stack[block],
    forward: event === NO_INDEX ? NO_STACK : (events.forwardStack?.[event] ?? NO_STACK),
  };
}

function mappedSegment(snapshot: Snapshot, segment: number): MappedSegment {
  const { segments, blocks } = snapshot;
  let live = 0;
  let largestFreeBytes = 0;
  for (let block = segments.firstBlock[segment]; block < segments.firstBlock[segment + 1]; block++) {
    if (blocks.state[block] !== BlockState.Inactive) live += blocks.size[block];
    else largestFreeBytes = Math.max(largestFreeBytes, blocks.size[block]);
  }
  const reservedBytes = Math.max(segments.totalSize[segment], live);
  return {
    segment,
    reservedBytes,
    liveBytes: live,
    freeBytes: reservedBytes - live,
    largestFreeBytes: Math.min(largestFreeBytes, reservedBytes - live),
    isPinned: isPinned(snapshot, segment, live),
  };
}

interface Piece {
  kind: PieceKind;
  bytes: Bytes;
  liveBytes: Bytes;
  blocks: number;
  block: number;
}

/** @param scale bytes of a pixel */
function piecesOf(snapshot: Snapshot, segments: readonly MappedSegment[], scale: number): MapPieces {
  let narrowest = NARROWEST;
  let rows: Piece[][];
  // Coarser until it is few enough; at worst each segment is one piece.
  do {
    const min = narrowest * scale;
    rows = segments.map((segment) => piecesOfSegment(snapshot, segment, min));
    narrowest *= 2;
  } while (rows.reduce((count, row) => count + row.length, 0) > MAX_PIECES);
  const flat = rows.flatMap((pieces, row) => pieces.map((piece) => ({ ...piece, row })));
  return {
    row: Uint32Array.from(flat, ({ row }) => row),
    kind: Uint8Array.from(flat, ({ kind }) => PIECE_KINDS.indexOf(kind)),
    bytes: Float64Array.from(flat, ({ bytes }) => bytes),
    liveBytes: Float64Array.from(flat, ({ liveBytes }) => liveBytes),
    blocks: Uint32Array.from(flat, ({ blocks }) => blocks),
    block: Uint32Array.from(flat, ({ block }) => block),
  };
}

/** The pieces of a segment; together they are its reserved bytes. */
function piecesOfSegment(snapshot: Snapshot, { segment, freeBytes }: MappedSegment, min: Bytes): Piece[] {
  const { segments, blocks } = snapshot;
  const pieces: Piece[] = [];
  let freeLeft = freeBytes;
  const add = (piece: Piece): void => {
    const last = pieces.at(-1);
    if (last === undefined || last.bytes >= min || piece.bytes >= min) {
      pieces.push(piece);
      return;
    }
    const larger = piece.liveBytes > last.liveBytes ? piece : last;
    pieces[pieces.length - 1] = {
      kind: 'mixed',
      bytes: last.bytes + piece.bytes,
      liveBytes: last.liveBytes + piece.liveBytes,
      blocks: last.blocks + piece.blocks,
      block: larger.block,
    };
  };
  for (let block = segments.firstBlock[segment]; block < segments.firstBlock[segment + 1]; block++) {
    const bytes = blocks.size[block];
    const isFree = blocks.state[block] === BlockState.Inactive;
    // Blocks that are larger than their segment are in no real snapshot.
    if (bytes === 0 || (isFree && bytes > freeLeft)) continue;
    if (isFree) {
      freeLeft -= bytes;
      add({ kind: 'free', bytes, liveBytes: 0, blocks: 0, block: NO_INDEX });
    } else {
      const kind = blocks.state[block] === BlockState.PendingFree ? 'pending' : 'live';
      add({ kind, bytes, liveBytes: bytes, blocks: 1, block });
    }
  }
  if (freeLeft > 0) add({ kind: 'unknown', bytes: freeLeft, liveBytes: 0, blocks: 0, block: NO_INDEX });
  return pieces;
}
