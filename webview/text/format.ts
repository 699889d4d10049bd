/** Numbers as text: bytes in IEC units, counts with separators, shares. Durations are in `duration.ts`. */
import { t } from './translate.js';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;
const MINUS = '\u2212';
/** The translation of `en` names the language of the page's texts: its numbers are written as there. */
const counts = new Intl.NumberFormat(t('en'), { maximumFractionDigits: 0 });
const point = new Intl.NumberFormat(t('en')).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** `1.2 GiB`, as everywhere in Leakline; whole bytes below 1 KiB; a real minus sign where negative. */
export function formatBytes(bytes: number): string {
  const { value, unit } = scaled(Math.abs(bytes));
  const sign = bytes < 0 ? MINUS : '';
  return `${sign}${unit === 0 ? counts.format(value) : decimal(value.toFixed(value >= 99.95 ? 0 : 1))} ${UNITS[unit]}`;
}

/** `1,288,490,189 bytes`, for where the last byte matters. */
export function formatExactBytes(bytes: number): string {
  const sign = bytes < 0 ? MINUS : '';
  if (Math.abs(bytes) === 1) return sign + t('1 byte');
  return sign + t('{0} bytes', counts.format(Math.abs(bytes)));
}

/** A tick of a byte axis, without trailing zeros: `0`, `512 MiB`, `1.5 GiB`. */
export function byteTickLabel(bytes: number): string {
  if (bytes === 0) return '0';
  const { value, unit } = scaled(Math.abs(bytes));
  return `${bytes < 0 ? MINUS : ''}${decimal(trimZeros(value.toFixed(unit === 0 ? 0 : 3)))} ${UNITS[unit]}`;
}

/** Labels of ascending ticks. If digits cannot distinguish neighbors, labels are relative to the first tick. */
export function byteTickLabels(ticks: readonly number[]): string[] {
  const labels = ticks.map(byteTickLabel);
  if (new Set(labels).size === labels.length) return labels;
  return labels.map((label, i) => (i === 0 ? label : `+${byteTickLabel(ticks[i] - ticks[0])}`));
}

/** `12,345`. */
export function formatCount(count: number): string {
  return `${count < 0 ? MINUS : ''}${counts.format(Math.abs(count))}`;
}

/** Share of a whole as `34 %`, `0.3 %` or `< 0.1 %`; of nothing, nothing. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0) return '';
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 0.1) return `< ${decimal('0.1')} %`;
  return `${percent >= 10 || percent === 0 ? percent.toFixed(0) : decimal(percent.toFixed(1))} %`;
}

/** Digits with the decimal sign of the page's language. */
export function decimal(digits: string): string {
  return digits.replace('.', point);
}

/** Drops trailing zeros: `1.500` is `1.5`. */
export function trimZeros(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

function scaled(bytes: number): { value: number; unit: number } {
  let value = bytes;
  let unit = 0;
  // 1023.95 KiB would round to "1024 KiB": the next unit takes over where rounding would reach it.
  while (unit < UNITS.length - 1 && value >= (unit === 0 ? 1024 : 1023.5)) {
    value /= 1024;
    unit++;
  }
  return { value, unit };
}
