/** The pieces of a memory map in words. */
import { NO_OWNER, PIECES, type MapOwner, type MapPool, type MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { ownerName } from '../layer/bandText.js';
import { strings } from '../text/strings.js';
import type { TableCell, TableData } from '../parts/tableData.js';

/** The pool of everything that is in no CUDA graph and no MemPool. */
const DEFAULT_POOL = '0,0';

/** The owner of a piece, or of its largest block; null without an owner. */
export function ownerOfPiece({ pieces, owners }: MemoryMapAnswer, piece: number): MapOwner | null {
  const index = pieces.block[piece];
  return index === NO_OWNER ? null : owners[index];
}

/** The map's numbers in a sentence. */
export function mapSummary({ total }: MemoryMapAnswer): string {
  const { segments, reservedBytes, liveBytes, freeBytes, largestFreeBytes, pinnedSegments } = total;
  const inside = strings.mapInside(liveBytes, freeBytes, largestFreeBytes);
  const pinned = pinnedSegments === 0 ? '' : `; ${strings.mapPinned(pinnedSegments)}`;
  return `${strings.mapReserved(segments, reservedBytes)}: ${inside}${pinned}.`;
}

/** The kind of a pool: which one, and for which size of allocations. */
export function kindText({ pool, kind }: Pick<MapPool, 'pool' | 'kind'>): string {
  const named =
    pool === null ? strings.unknownPool : pool === DEFAULT_POOL ? strings.defaultPool : strings.poolNamed(pool);
  return `${strings.segmentKind[kind]} · ${named}`;
}

export function poolText({ pool, stream, kind }: Pick<MapPool, 'pool' | 'stream' | 'kind'>): string {
  return `${kindText({ pool, kind })} · ${strings.streamNamed(stream)}`;
}

/** Everything about a piece, in one sentence. */
export function pieceText(map: MemoryMapAnswer, piece: number): string {
  const { kind, bytes, liveBytes, blocks } = map.pieces;
  const name = PIECES[kind[piece]];
  const parts = [strings.pieceText(strings.pieceName[name], bytes[piece])];
  if (name === 'mixed') parts.push(strings.mixedText(liveBytes[piece], blocks[piece]));
  const owner = ownerOfPiece(map, piece);
  if (owner !== null) {
    const owned = ownerName(owner, 'whole');
    parts.push(name === 'mixed' ? strings.largestOf(owned) : owned);
    if (owner.calls !== '') parts.push(owner.calls);
  }
  return parts.join(', ');
}

/** A row for each piece that is drawn, and one for the segments that are not. */
export function mapTable(map: MemoryMapAnswer): TableData {
  const { pieces, segments, pools, others } = map;
  const from = new Map<number, number>();
  const rows = Array.from(pieces.bytes, (bytes, piece): TableCell[] => {
    const segment = pieces.row[piece];
    const offset = from.get(segment) ?? 0;
    from.set(segment, offset + bytes);
    const owner = ownerOfPiece(map, piece);
    return [
      segment + 1,
      poolText(pools[segments[segment].pool]),
      offset,
      strings.pieceName[PIECES[pieces.kind[piece]]],
      bytes,
      pieces.liveBytes[piece],
      pieces.blocks[piece],
      owner === null ? '' : ownerName(owner, 'whole'),
    ];
  });
  if (others.segments > 0) {
    rows.push([null, strings.restOfSegments, null, '', others.reservedBytes, others.liveBytes, null, '']);
  }
  return { columns: ['segment', 'pool', 'offset_bytes', 'kind', 'bytes', 'live_bytes', 'blocks', 'line'], rows };
}
