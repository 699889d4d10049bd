import { Growable } from '../../model/growable.js';
import type { TrendSeries } from '../../model/trend.js';
import type { Bytes, DeviceOrdinal, Microseconds } from '../../model/units.js';
import { expectFewSamples } from '../limits.js';

/** Maximum number of devices, processes and quantities of one log; more are made to tire us. */
const MAX_SERIES = 256;

/** Maximum duration of one round of devices. */
const ONE_ROUND_US: Microseconds = 250_000;

interface Open {
  readonly name: string;
  readonly device: DeviceOrdinal | null;
  readonly bytes: Growable<Float64Array>;
  peak: Bytes | null;
}

/** Collects a log: a repeated source begins the next row. */
export class TrendRows {
  /** Series beyond the maximum are left out. */
  leftOut = false;

  private readonly times = new Growable(Float64Array);
  private readonly series = new Map<string, Open>();
  private inRow = new Set<string>();

  /** @param source names the input in messages */
  constructor(private readonly source: string) {}

  get count(): number {
    return this.times.length;
  }

  /**
   * Begins the amounts of a source such as a device.
   * @param teller begins a new row if it is in the current row already, or much later
   * @param time NaN if unknown; a row has the time of its first source
   */
  begin(teller: string, time: Microseconds): void {
    const isLater = time - this.times.data[this.count - 1] > ONE_ROUND_US;
    if (this.count > 0 && !this.inRow.has(teller) && !isLater) {
      this.inRow.add(teller);
      return;
    }
    this.inRow = new Set([teller]);
    this.times.push(time);
    expectFewSamples(this.source, this.count * this.series.size);
  }

  /**
   * An amount in the current row.
   * @param bytes NaN if unknown
   * @param peak the maximum so far, null if unknown
   */
  set(name: string, device: DeviceOrdinal | null, bytes: Bytes, peak: Bytes | null = null): void {
    const key = `${device ?? ''}/${name}`;
    let series = this.series.get(key);
    if (series === undefined) {
      if (this.series.size >= MAX_SERIES) {
        this.leftOut = true;
        return;
      }
      series = { name, device, bytes: new Growable(Float64Array), peak: null };
      this.series.set(key, series);
    }
    if (peak !== null) series.peak = Math.max(series.peak ?? 0, peak);
    fill(series.bytes, this.count - 1);
    if (series.bytes.length < this.count) series.bytes.push(bytes);
  }

  /** Null if no row has a time. Of no use afterwards. */
  take(): { count: number; timeUs: Float64Array | null; series: TrendSeries[] } {
    const { count } = this;
    const series = [...this.series.values()].map(({ name, device, bytes, peak }) => {
      fill(bytes, count);
      return { name, device, bytes: bytes.take(), peakBytes: peak };
    });
    const timeUs = this.times.take();
    return { count, timeUs: timeUs.every(Number.isNaN) ? null : timeUs, series };
  }
}

/** Missing values up to `length` are unknown. */
function fill(column: Growable<Float64Array>, length: number): void {
  while (column.length < length) column.push(Number.NaN);
}
