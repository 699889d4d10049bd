/** The pieces of a memory map in words. */
import {
  NO_OWNER,
  PIECES,
  type MapOwner,
  type MapPool,
  type MemoryMapAnswer,
  type PieceKind,
} from '../../src/protocol/mapData.js';
import { ownerName } from '../layer/bandText.js';
import { t, tCount } from '../../src/core/text/translate.js';
import { byteText } from '../../src/core/text/numberText.js';
import { strings } from '../text/strings.js';
import type { TableCell, TableData } from '../parts/tableData.js';
import { formatExactBytes } from '../text/format.js';

/** The pool of everything that is in no CUDA graph and no MemPool. */
const DEFAULT_POOL = '0,0';

const PIECE_NAMES: Record<PieceKind, string> = {
  live: t('Live block'),
  pending: t('Freed, still used by another stream'),
  free: t('Free'),
  mixed: t('Small neighbors'),
  unknown: t('In no block'),
};

/** The owner of a piece, or of its largest block; null without an owner. */
export function ownerOfPiece({ pieces, owners }: MemoryMapAnswer, piece: number): MapOwner | null {
  const index = pieces.block[piece];
  return index === NO_OWNER ? null : owners[index];
}

/** The map's numbers in a sentence. */
export function mapSummary({ total }: MemoryMapAnswer): string {
  const { segments, reservedBytes, liveBytes, freeBytes, largestFreeBytes, pinnedSegments } = total;
  const inside = t(
    '{0} live, {1} free inside, the largest piece {2}',
    byteText(liveBytes),
    byteText(freeBytes),
    byteText(largestFreeBytes),
  );
  const pinned =
    pinnedSegments === 0
      ? ''
      : `; ${tCount(
          pinnedSegments,
          '1 large segment is pinned: less than a tenth of it is live',
          '{0} large segments are pinned: less than a tenth of each is live',
        )}`;
  return `${tCount(segments, '{1} reserved in 1 segment', '{1} reserved in {0} segments', byteText(reservedBytes))}: ${inside}${pinned}.`;
}

/** The kind of a pool: which one, and for which size of allocations. */
export function kindText({ pool, kind }: Pick<MapPool, 'pool' | 'kind'>): string {
  const named =
    pool === null ? t('pool not recorded') : pool === DEFAULT_POOL ? t('default pool') : t('pool {0}', pool);
  return `${{ small: t('small'), large: t('large'), expandable: t('expandable') }[kind]} · ${named}`;
}

export function poolText({ pool, stream, kind }: Pick<MapPool, 'pool' | 'stream' | 'kind'>): string {
  return `${kindText({ pool, kind })} · ${stream === '' ? t('stream not known') : t('stream {0}', stream)}`;
}

/** Everything about a piece, in one sentence. */
export function pieceText(map: MemoryMapAnswer, piece: number): string {
  const { kind, bytes, liveBytes, blocks } = map.pieces;
  const name = PIECES[kind[piece]];
  const parts = [`${PIECE_NAMES[name]}: ${byteText(bytes[piece])} (${formatExactBytes(bytes[piece])})`];
  if (name === 'mixed')
    parts.push(tCount(blocks[piece], '{1} live in 1 block', '{1} live in {0} blocks', byteText(liveBytes[piece])));
  const owner = ownerOfPiece(map, piece);
  if (owner !== null) {
    const owned = ownerName(owner, 'whole');
    parts.push(name === 'mixed' ? t('the largest of {0}', owned) : owned);
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
      PIECE_NAMES[PIECES[pieces.kind[piece]]],
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
