import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { Growable } from '../model/growable.js';
import type { TrendSeries } from '../model/trend.js';
import type { ReadContext } from './format.js';
import { JsonElements, type JsonValue } from './json/jsonValues.js';
import { JsonMachine } from './json/jsonMachine.js';
import { runJson } from './json/runJson.js';
import { type ReadResult, trendOf } from './readResult.js';
import { expectFewSamples } from './limits.js';
import { t } from '../text/translate.js';

/** The profiler's categories of memory, in the order of its files. */
const CATEGORIES = [
  'parameter',
  'optimizer_state',
  'input',
  'temporary',
  'activation',
  'gradient',
  'autograd_detail',
  'unknown',
] as const;

/** Epoch times above this are nanoseconds: in microseconds it lies in the year 5138. */
const NANOSECONDS_FROM = 1e17;
const NO_TIME = -1;

/** Older memory, and the creation, change and end of a tensor. */
const RAW_ACTIONS: ReadonlySet<number> = new Set([1, 2, 3, 4]);

/**
 * `export_memory_timeline` to `.json`: a list of times, and rows of bytes by category after a zero. @throws
 * SnapshotError
 */
export async function readMemoryTimeline(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const times = new Growable(Float64Array);
  const columns = CATEGORIES.map(() => new Growable(Float64Array));
  await readElements(source, context, 2, (value) => {
    expectFewSamples(source.name, times.length + columns[0].length * CATEGORIES.length);
    if (typeof value === 'number' || typeof value === 'bigint') times.push(microseconds(value));
    else if (Array.isArray(value) && value.length === CATEGORIES.length + 1) {
      columns.forEach((column, i) => {
        column.push(Number(value[i + 1]));
      });
    } else throw strange(source, t('row {0}', columns[0].length));
  });
  if (times.length !== columns[0].length)
    throw strange(source, t('{0} times for {1} rows', times.length, columns[0].length));
  return trend('memoryTimeline', source, times, columns);
}

/**
 * `export_memory_timeline` to `.raw.json.gz`: `[time, action, bytes, category]`. The first row includes older memory.
 * @throws SnapshotError
 */
export async function readRawTimeline(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const times = new Growable(Float64Array);
  const columns = CATEGORIES.map(() => new Growable(Float64Array));
  const held = CATEGORIES.map(() => 0);
  const addRow = (time: number): void => {
    expectFewSamples(source.name, times.length * CATEGORIES.length);
    times.push(time);
    columns.forEach((column, i) => {
      column.push(held[i]);
    });
  };
  let events = 0;
  await readElements(source, context, 1, (value) => {
    const numbers = Array.isArray(value) ? value.map(Number) : [];
    const [time, action, bytes, category] = numbers;
    if (numbers.length !== 4 || !(category in held) || !RAW_ACTIONS.has(action) || !Number.isFinite(bytes)) {
      throw strange(source, t('event {0}', events));
    }
    events++;
    held[category] += bytes;
    if (time !== NO_TIME) addRow(microseconds(time));
  });
  if (times.length === 0 && events > 0) addRow(Number.NaN);
  return trend('rawTimeline', source, times, columns);
}

async function readElements(
  source: ByteSource,
  context: ReadContext,
  depth: number,
  onElement: (value: JsonValue) => void,
): Promise<void> {
  const elements = new JsonElements(depth, onElement);
  await runJson(source, new JsonMachine(elements, source.name), context.chunkSize);
}

function microseconds(time: number | bigint): number {
  const value = Number(time);
  return value > NANOSECONDS_FROM ? value / 1000 : value;
}

function trend(
  format: string,
  source: ByteSource,
  times: Growable<Float64Array>,
  columns: readonly Growable<Float64Array>[],
): ReadResult {
  const count = times.length;
  const timeUs = times.take();
  const series: TrendSeries[] = columns.map((column, i) => ({
    name: CATEGORIES[i],
    device: null,
    bytes: column.take(),
    peakBytes: null,
  }));
  return trendOf(source, { format, count, timeUs: timeUs.every(Number.isNaN) ? null : timeUs, series, isSum: true });
}

function strange(source: ByteSource, where: string): SnapshotError {
  return new SnapshotError(
    'notASnapshot',
    t("{0} looks like a profiler's memory timeline, but not at {1}. Export it again.", source.name, where),
  );
}
