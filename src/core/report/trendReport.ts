import { evenly } from '../model/evenly.js';
import { theilSen } from '../verdict/rate.js';
import type { Trend, TrendSeries } from '../model/trend.js';
import type { TrendReport, TrendSeriesReport } from './report.js';

/** Rows of a series that a report keeps. */
const MOST_ROWS = 64;

/** How much was held over time. */
export function trendReport(path: string, trend: Trend): TrendReport {
  const { format, fileBytes, count, timeUs, isWallClock, series, warnings } = trend;
  return {
    path,
    format,
    bytes: fileBytes,
    rows: count,
    startUs: timeUs?.at(0) ?? null,
    endUs: timeUs?.at(-1) ?? null,
    isWallClock,
    series: series.map(seriesReport),
    warnings: warnings.map((warning) => ({ ...warning })),
  };
}

/** Rows that do not say are left out. */
function seriesReport({ name, device, bytes, peakBytes }: TrendSeries): TrendSeriesReport {
  const rows = Array.from(bytes, (_, row) => row).filter((row) => !Number.isNaN(bytes[row]));
  const at = evenly(rows.length, MOST_ROWS).map((place) => rows[place]);
  const values = at.map((row) => bytes[row]);
  const first = values.at(0) ?? 0;
  const last = values.at(-1) ?? 0;
  return {
    name,
    device,
    firstBytes: first,
    lastBytes: last,
    peakBytes: rows.reduce((peak, row) => Math.max(peak, bytes[row]), peakBytes ?? 0),
    growthBytes: last - first,
    bytesPerRow: theilSen(at, values)?.median ?? null,
    series: values,
  };
}
