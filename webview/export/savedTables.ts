/** The lists and pictures of the page as tables. */
import type { CompareCell, CompareRow, SeriesAnswer } from '../../src/protocol/compareData.js';
import { PIECES, type MemoryMapAnswer } from '../../src/protocol/mapData.js';
import type { TimelineWindow } from '../../src/protocol/timelineData.js';
import type { ComparedItem } from '../compare/compareFlame.js';
import type { FlameItem } from '../flame/flameItems.js';
import { itemName } from '../flame/flameText.js';
import { ownerName } from '../layer/bandText.js';
import type { LiveRow } from '../live/rows.js';
import { ownerOfPiece, poolText } from '../map/mapText.js';
import { placeText } from '../place.js';
import { strings } from '../strings.js';
import type { WhatIfRow } from '../whatIf/whatIfRows.js';
import type { TableData } from './tableData.js';

type Cell = string | number | null;

/** @param others the unlisted lines, if they belong to the view */
export function comparedTable(rows: readonly CompareRow[], others: CompareCell | null): TableData {
  const flow = (row: CompareCell, key: 'survived' | 'allocated' | 'freed'): Cell[] => [
    row.flow?.[key].bytes ?? null,
    row.flow?.[key].blocks ?? null,
  ];
  const cells = (row: CompareCell): Cell[] => [
    ...[row.bytesA, row.bytesB, row.growthBytes, row.blocksA, row.blocksB],
    ...(['survived', 'allocated', 'freed'] as const).flatMap((key) => flow(row, key)),
  ];
  return {
    columns: [
      ...['file', 'line', 'function', 'bytes_a', 'bytes_b', 'growth_bytes', 'blocks_a', 'blocks_b'],
      ...['survived_bytes', 'survived_blocks', 'new_bytes', 'new_blocks', 'freed_bytes', 'freed_blocks'],
    ],
    rows: [
      ...rows.map((row) => {
        const { place } = row;
        return [place?.file ?? ownerName(row, 'whole'), place?.line ?? null, place?.function ?? '', ...cells(row)];
      }),
      ...(others === null ? [] : [[strings.restOfLines, null, '', ...cells(others)]]),
    ],
  };
}

export function liveTable(rows: readonly LiveRow[]): TableData {
  return {
    columns: ['file', 'line', 'function', 'bytes', 'blocks', 'stack'],
    rows: rows.map((row) => {
      if (row.kind !== 'line') return [strings[row.kind], null, '', row.bytes, row.blocks, ''];
      const { file, line, function: name, frames, hiddenFrames } = row.line;
      const stack = (frames ?? []).map((frame) => `${placeText(frame.file, frame.line)} ${frame.function}`).join(' ← ');
      const hidden = hiddenFrames === 0 ? '' : ` (${strings.hiddenNative(hiddenFrames)})`;
      return [file, line, name, row.bytes, row.blocks, stack + hidden];
    }),
  };
}

/** A row for each box, callers before callees. */
export function flameTable(items: readonly FlameItem[]): TableData {
  return {
    columns: ['depth', 'call', 'file', 'line', 'bytes', 'self_bytes', 'blocks', 'merged_calls'],
    rows: items.map((item) => [...callCells(item), item.bytes, item.self, item.blocks, item.merged]),
  };
}

export function comparedFlameTable(items: readonly ComparedItem[]): TableData {
  return {
    columns: ['depth', 'call', 'file', 'line', 'bytes_a', 'bytes_b', 'growth_bytes', 'blocks_a', 'blocks_b'],
    rows: items.map((item) => {
      const { bytesA, bytesB, blocksA, blocksB } = item;
      return [...callCells(item), bytesA, bytesB, bytesB - bytesA, blocksA, blocksB];
    }),
  };
}

function callCells(item: FlameItem): Cell[] {
  const { call, level } = item;
  const isFrame = call !== null && call.file !== '';
  return [level - 1, isFrame ? call.function : itemName(item), isFrame ? call.file : '', isFrame ? call.line : null];
}

/** A row for each piece that is drawn, and one for the segments that are not. */
export function mapTable(map: MemoryMapAnswer): TableData {
  const { pieces, segments, pools, others } = map;
  const from = new Map<number, number>();
  const rows = Array.from(pieces.bytes, (bytes, piece): Cell[] => {
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

export function whatIfTable(rows: readonly WhatIfRow[]): TableData {
  return {
    columns: ['change', 'reserved_peak_bytes', 'saved_bytes', 'reserved_at_end_bytes', 'left_bytes', 'is_estimate'],
    rows: rows.map((row): Cell[] => [
      row.change?.name ?? strings.asRecorded,
      ...[row.reservedPeakBytes, row.savedBytes, row.reservedEndBytes, row.leftBytes, Number(row.isEstimate)],
    ]),
  };
}

/** The points that are drawn. */
export function curveTable(curve: TimelineWindow): TableData {
  return {
    columns: [curve.axis === 'time' ? 'time_us' : 'event', 'event', 'live_bytes', 'reserved_bytes'].slice(
      curve.axis === 'time' ? 0 : 1,
    ),
    rows: Array.from(curve.x, (x, point): Cell[] => [
      ...(curve.axis === 'time' ? [x] : []),
      curve.event[point],
      curve.live[point],
      curve.reserved?.[point] ?? null,
    ]),
  };
}

/** The points of all curves, one curve after the other. @param names of the curves */
export function seriesTable({ axis, curves }: SeriesAnswer, names: readonly string[]): TableData {
  return {
    columns: ['curve', axis === 'time' ? 'time_us' : axis, 'live_bytes'],
    rows: curves.flatMap(({ x, live }, index) => Array.from(x, (at, point): Cell[] => [names[index], at, live[point]])),
  };
}
