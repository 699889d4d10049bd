/** The segments as tables: one by one, and by pool. */
import type { MapSegment, MemoryMapAnswer } from '../../src/protocol/mapData.js';
import type { Store } from '../model/store.js';
import type { SegmentSort, ViewState } from '../model/viewState.js';
import { bytesColumn, countColumn, DataTable, nameColumn, textColumn, type Column } from '../parts/dataTable.js';
import { countText } from '../../src/core/text/numberText.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { kindText, poolText } from './mapText.js';

type Amounts = Pick<MapSegment, 'reservedBytes' | 'liveBytes' | 'freeBytes' | 'largestFreeBytes'>;
type SegmentRow = Amounts & { name: string; kind: string; stream: string; pinned: string };

/** A row for each segment that is drawn, then the sum of the others and of all; the same by pool. */
export function segmentTables(map: MemoryMapAnswer, store: Store<ViewState>): HTMLElement[] {
  const { others, total, pools } = map;
  const { mapSort } = store.get();
  const amounts: readonly Column<Amounts, SegmentSort>[] = [
    bytesColumn(t('Size'), (row) => row.reservedBytes, 'reservedBytes'),
    bytesColumn(t('Live'), (row) => row.liveBytes, 'liveBytes'),
    bytesColumn(t('Free inside'), (row) => row.freeBytes, 'freeBytes'),
    bytesColumn(t('Largest free'), (row) => row.largestFreeBytes, 'largestFreeBytes'),
  ];
  const table = new DataTable<SegmentRow, SegmentSort>({
    class: 'segment-table',
    label: t('Segments'),
    onSort: (sort) => store.update({ mapSort: sort }),
  });
  const sumRow = (name: string, of: typeof total): SegmentRow => ({
    ...of,
    name,
    kind: '',
    stream: '',
    pinned: countText(of.pinnedSegments),
  });
  const rows = map.segments.map((segment): SegmentRow => {
    const pool = pools[segment.pool];
    const stream = pool.stream === '' ? strings.unknown : pool.stream;
    return {
      ...segment,
      name: segment.address,
      kind: kindText(pool),
      stream,
      pinned: segment.isPinned ? strings.pinned : '',
    };
  });
  table.show({
    columns: [
      nameColumn(t('Address'), ({ name }) => ({ content: name }), 'address', byAddress),
      textColumn(t('Pool'), ({ kind }) => kind),
      textColumn(t('Stream'), ({ stream }) => stream),
      ...amounts,
      textColumn(t('Pinned'), ({ pinned }) => pinned),
    ],
    rows,
    sort: mapSort,
    sums: [...(others.segments > 0 ? [sumRow(strings.restOfSegments, others)] : []), sumRow(strings.total, total)],
  });
  type PoolRow = typeof total & { name: string };
  const byPool = new DataTable<PoolRow>({ class: 'pool-table', label: t('Segments by pool, stream and kind') });
  byPool.show({
    columns: [
      nameColumn(t('Pool, stream and kind'), ({ name }) => ({ content: name })),
      countColumn(t('Segments'), ({ segments }) => segments),
      ...amounts.map(({ text, kind = 'number', cell }): Column<PoolRow> => ({ text, kind, cell })),
      countColumn(t('Pinned'), ({ pinnedSegments }) => pinnedSegments),
    ],
    rows: pools.map((pool) => ({ ...pool, name: poolText(pool) })),
    sums: [{ ...total, name: strings.total }],
  });
  return [table.element, byPool.element];
}

/** Orders by address. The longer of two numbers without leading zeros is the larger one. */
function byAddress({ name: a }: SegmentRow, { name: b }: SegmentRow): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
