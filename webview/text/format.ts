/** Exact bytes, ticks and shares. Other numbers are written as everywhere in Leakline, by `core/text`. */
import { countText, decimalText, scaledBytes } from '../../src/core/text/numberText.js';
import { tCount } from '../../src/core/text/translate.js';

/** `1,288,490,189 bytes`, for where the last byte matters. */
export function formatExactBytes(bytes: number): string {
  return tCount(bytes, '1 byte', '{0} bytes');
}

/** A tick of a byte axis, without trailing zeros: `0`, `512 MiB`, `1.5 GiB`. */
export function byteTickLabel(bytes: number): string {
  if (bytes === 0) return '0';
  const { amount, unit } = scaledBytes(bytes);
  return `${shortDecimal(amount, 3)} ${unit}`;
}

/** Labels of ascending ticks. If digits cannot distinguish neighbors, labels are relative to the first tick. */
export function byteTickLabels(ticks: readonly number[]): string[] {
  const labels = ticks.map(byteTickLabel);
  if (new Set(labels).size === labels.length) return labels;
  return labels.map((label, i) => (i === 0 ? label : `+${byteTickLabel(ticks[i] - ticks[0])}`));
}

/** Share of a whole as `34 %`, `0.3 %` or `< 0.1 %`; of nothing, nothing. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0) return '';
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 0.1) return `< ${decimalText(0.1, 1)} %`;
  return `${percent >= 10 || percent === 0 ? countText(Math.round(percent)) : decimalText(percent, 1)} %`;
}

/** With so many decimals, one or more, but no trailing zeros: `1.500` is `1.5`. */
export function shortDecimal(value: number, digits: number): string {
  return decimalText(value, digits).replace(/[.,]?0+$/, '');
}
