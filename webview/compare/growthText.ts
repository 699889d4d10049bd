/** Growth in words and signs: more and less are distinguished without color. */
import { byteText, signedByteText } from '../../src/core/text/numberText.js';
import { formatExactBytes } from '../text/format.js';

const GROWTH_SIGNS = { more: '▲', less: '▼', same: '=' } as const;

type Growth = keyof typeof GROWTH_SIGNS;

export function growthOf(bytes: number): Growth {
  if (bytes === 0) return 'same';
  return bytes > 0 ? 'more' : 'less';
}

/** `▲ +1.2 GiB`. */
export function growthText(bytes: number): string {
  return `${GROWTH_SIGNS[growthOf(bytes)]} ${signedByteText(bytes)}`;
}

export function signedExactBytes(bytes: number): string {
  return `${bytes > 0 ? '+' : ''}${formatExactBytes(bytes)}`;
}

/** Exact first value, last value and difference. */
export function changeText(before: number, after: number): string {
  return `${byteText(before)} → ${byteText(after)}, ${signedByteText(after - before)} (${signedExactBytes(after - before)})`;
}
