/** The visible curve as rows: its ends, its extremes, its peaks and its marks, in order of x. */
import type { TimelineMark, TimelineWindow } from '../../src/protocol/timelineData.js';
import { strings } from '../text/strings.js';
import { lastAtOrBelow, prominentPeaks } from '../model/points.js';
import type { Range } from '../model/range.js';
import type { TableCell, TableData } from '../parts/tableData.js';
import { t } from '../../src/core/text/translate.js';

const POINTS = {
  start: t('Start of the view'),
  end: t('End of the view'),
  lowest: t('Lowest'),
  highest: t('Highest'),
  peak: t('Peak'),
};

type PointKind = keyof typeof POINTS;
type CurveRowKind = PointKind | TimelineMark['kind'];

export interface CurveRow {
  kind: CurveRowKind;
  /** The label of a mark, else empty. */
  label: string;
  x: number;
  event: number;
  live: number;
  /** Null where not known. */
  reserved: number | null;
}

/** @param limit how many peaks, and how many marks, at most */
export function curveRows(curve: TimelineWindow, visible: Range, limit: number): CurveRow[] {
  const first = Math.max(0, lastAtOrBelow(curve.x, visible.from));
  const last = lastAtOrBelow(curve.x, visible.to);
  if (last < first) return [];
  const rowAt = (index: number, kind: CurveRowKind, x = curve.x[index], label = ''): CurveRow => ({
    kind,
    label,
    x: Math.max(x, visible.from),
    event: curve.event[index],
    live: curve.live[index],
    reserved: curve.reserved?.[index] ?? null,
  });
  const live = curve.live.subarray(first, last + 1);
  const highest = first + live.indexOf(Math.max(...live));
  const lowest = first + live.indexOf(Math.min(...live));
  const peaks = prominentPeaks({ live }, limit).map((index) => first + index);
  const marks = curve.marks.filter(({ x }) => x >= visible.from && x <= visible.to).slice(0, limit);
  return [
    rowAt(first, 'start'),
    ...peaks.filter((index) => index !== highest).map((index) => rowAt(index, 'peak')),
    rowAt(highest, 'highest'),
    rowAt(lowest, 'lowest'),
    ...marks.map((mark) => rowAt(Math.max(0, lastAtOrBelow(curve.x, mark.x)), mark.kind, mark.x, mark.label)),
    rowAt(last, 'end', visible.to),
  ].sort((a, b) => a.x - b.x);
}

export function rowName({ kind, label }: CurveRow): string {
  return isPoint(kind) ? POINTS[kind] : strings.mark({ kind, label });
}

function isPoint(kind: CurveRowKind): kind is PointKind {
  return kind in POINTS;
}

/** The points that are drawn. */
export function curveTable(curve: TimelineWindow): TableData {
  return {
    columns: [curve.axis === 'time' ? 'time_us' : 'event', 'event', 'live_bytes', 'reserved_bytes'].slice(
      curve.axis === 'time' ? 0 : 1,
    ),
    rows: Array.from(curve.x, (x, point): TableCell[] => [
      ...(curve.axis === 'time' ? [x] : []),
      curve.event[point],
      curve.live[point],
      curve.reserved?.[point] ?? null,
    ]),
  };
}
