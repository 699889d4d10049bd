import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import type { Bytes } from '../model/units.js';
import type { ReadContext } from './format.js';
import { JsonMachine } from './json/jsonMachine.js';
import { isJsonObject, JsonElements, type JsonObject, type JsonValue } from './json/jsonValues.js';
import { runJson } from './json/runJson.js';
import { type ReadResult, trendOf } from './readResult.js';
import { TrendRows } from './text/trendRows.js';
import { t } from '../text/translate.js';

const QUANTITIES = ['allocated', 'reserved', 'active', 'requested', 'inactive_split'] as const;

/** PyTorch counts bytes in 64 bits. */
const MAX_COUNT: Bytes = 2 ** 63;

/** How deep a log line may wrap the statistics. */
const MAX_WRAPPING = 4;

/**
 * `torch.cuda.memory_stats()`, flat or nested: one object, one per line, or a list. One row each. @throws SnapshotError
 */
export async function readMemoryStats(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const rows = new TrendRows(source.name);
  // A list of a gigabyte is read item by item, like lines.
  const elements = new JsonElements('items', (value) => {
    const stats = findStats(value, MAX_WRAPPING);
    if (stats === null) return;
    rows.begin('', Number.NaN);
    for (const quantity of QUANTITIES) {
      const peak = amountOf(stats, quantity, 'peak');
      rows.set(quantity, null, amountOf(stats, quantity, 'current'), Number.isNaN(peak) ? null : peak);
    }
  });
  await runJson(source, new JsonMachine(elements, source.name, true), context.chunkSize);
  const { count, series } = rows.take();
  if (count === 0) {
    throw new SnapshotError(
      'notASnapshot',
      t('{0} holds no complete memory statistics. Write torch.cuda.memory_stats() as JSON, one per line.', source.name),
    );
  }
  const known = series.filter(({ bytes }) => !bytes.every(Number.isNaN));
  return trendOf(source, { format: 'memoryStats', count, series: known });
}

function findStats(value: JsonValue, depth: number): JsonObject | null {
  if (!isJsonObject(value)) return null;
  if (!Number.isNaN(amountOf(value, 'allocated', 'current'))) return value;
  if (depth === 0) return null;
  for (const inner of Object.values(value)) {
    const found = findStats(inner, depth - 1);
    if (found !== null) return found;
  }
  return null;
}

/** Current and peak bytes, NaN if unknown. */
function amountOf(stats: JsonObject, quantity: string, which: 'current' | 'peak'): number {
  const flat = stats[`${quantity}_bytes.all.${which}`];
  const nested = stats[`${quantity}_bytes`];
  const pools = isJsonObject(nested) ? nested['all'] : undefined;
  const value = flat ?? (isJsonObject(pools) ? pools[which] : undefined);
  const bytes = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
  return bytes >= 0 && bytes < MAX_COUNT ? bytes : Number.NaN;
}
