/** Durations as text. All in microseconds. */
import { shortDecimal } from './format.js';

const MS = 1e3;
const SECOND = 1e6;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

type DurationUnit = 'µs' | 'ms' | 's' | 'min:s' | 'h:min:s';

/** The unit in which times up to `largestUs` read well. */
export function durationUnit(largestUs: number): DurationUnit {
  const size = Math.abs(largestUs);
  if (size < MS) return 'µs';
  if (size < SECOND) return 'ms';
  if (size < 2 * MINUTE) return 's';
  return size < HOUR ? 'min:s' : 'h:min:s';
}

/** A time in the given unit, without its name, to the microsecond at most and without trailing zeros. */
export function durationIn(us: number, unit: DurationUnit): string {
  const sign = us < 0 ? '\u2212' : '';
  const size = Math.abs(Math.round(us));
  switch (unit) {
    case 'µs':
      return `${sign}${size}`;
    case 'ms':
      return sign + shortDecimal(size / MS, 3);
    case 's':
      return sign + shortDecimal(size / SECOND, 6);
    case 'min:s':
      return `${sign}${Math.floor(size / MINUTE)}:${paddedSeconds(size % MINUTE)}`;
    case 'h:min:s': {
      const minutes = String(Math.floor((size % HOUR) / MINUTE)).padStart(2, '0');
      return `${sign}${Math.floor(size / HOUR)}:${minutes}:${paddedSeconds(size % MINUTE)}`;
    }
  }
}

/**
 * A time: `12.3 s`, `3:05 min`, `1:03 h`. @param stepUs the least shown difference, by default a hundredth; 1 for exact
 */
export function formatDuration(us: number, stepUs = Math.abs(us) / 100): string {
  const unit = durationUnit(us);
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, stepUs))));
  const name = { µs: 'µs', ms: 'ms', s: 's', 'min:s': 'min', 'h:min:s': 'h' }[unit];
  return `${durationIn(Math.round(us / step) * step, unit)} ${name}`;
}

function paddedSeconds(us: number): string {
  return shortDecimal(us / SECOND, 6).replace(/^\d(?!\d)/, '0$&');
}
