import type { CompareTable } from '../../src/protocol/compareData.js';
import { formatBytes } from '../format.js';
import { ownerName } from '../layer/bandText.js';
import { strings } from '../strings.js';
import { signedBytes, signedExactBytes } from './growthText.js';

/** The comparison in two sentences. */
export function compareSummary({ a, b, rows, total, reused }: CompareTable): string {
  const grown = rows.filter(({ growthBytes }) => growthBytes > 0);
  const shrunk = rows.filter(({ growthBytes }) => growthBytes < 0).length;
  const most = grown.reduce<(typeof grown)[number] | null>(
    (best, row) => (row.place !== null && row.growthBytes > (best?.growthBytes ?? 0) ? row : best),
    null,
  );
  const change = strings.compareSummary(
    formatBytes(a.liveBytes),
    formatBytes(b.liveBytes),
    signedBytes(total.growthBytes),
    signedExactBytes(total.growthBytes),
  );
  const lines =
    most === null
      ? strings.comparedLines(grown.length, shrunk)
      : strings.comparedLinesMost(
          grown.length,
          shrunk,
          `${ownerName(most, 'whole')} (${signedBytes(most.growthBytes)})`,
        );
  return [change, lines, ...(reused ? [strings.addressesReused] : [])].join(' ');
}
