/** Growth in words and signs: more and less are told apart without colour. */
import type { CompareTable } from '../../src/protocol/compareData.js';
import { formatBytes, formatExactBytes } from '../format.js';
import { ownerName } from '../layer/bandText.js';
import { strings } from '../strings.js';

const GROWTH_SIGNS = { more: '▲', less: '▼', same: '=' } as const;

export type Growth = keyof typeof GROWTH_SIGNS;

export function growthOf(bytes: number): Growth {
  if (bytes === 0) return 'same';
  return bytes > 0 ? 'more' : 'less';
}

/** `▲ +1.2 GiB`. */
export function growthText(bytes: number): string {
  return `${GROWTH_SIGNS[growthOf(bytes)]} ${signedBytes(bytes)}`;
}

function signedBytes(bytes: number): string {
  return `${bytes > 0 ? '+' : ''}${formatBytes(bytes)}`;
}

export function signedExactBytes(bytes: number): string {
  return `${bytes > 0 ? '+' : ''}${formatExactBytes(bytes)}`;
}

/** From what to what, and by how much, exactly. */
export function changeText(before: number, after: number): string {
  return strings.changeOf(
    formatBytes(before),
    formatBytes(after),
    signedBytes(after - before),
    signedExactBytes(after - before),
  );
}

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
