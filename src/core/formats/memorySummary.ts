import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import type { Bytes } from '../model/units.js';
import type { Format, ReadContext } from './format.js';
import { type ReadResult, trendOf } from './readResult.js';
import { eachLine, textDecoder } from './text/eachLine.js';
import { TrendRows } from './text/trendRows.js';
import { t } from '../text/translate.js';

/** Rows of the table, and their names in `memory_stats()`. */
const QUANTITIES: ReadonlyMap<string, string> = new Map([
  ['Allocated memory', 'allocated'],
  ['GPU reserved memory', 'reserved'],
  ['Active memory', 'active'],
  ['Requested memory', 'requested'],
  ['Non-releasable memory', 'inactive_split'],
]);

/** Releases before 2.0 wrote `KB` for the same 1024 bytes. */
const UNITS: Readonly<Record<string, number>> = { B: 0, K: 1, M: 2, G: 3, T: 4, P: 5 };

/** The log may write something before each line of a table. */
const TITLE = /\|\s+PyTorch \w+ memory summary, device ID (\d{1,4})\s+\|$/;
/** A quantity, its current value, and its peak. */
const ROW = /\| ([A-Z][\w -]*)\| +(\d{1,15}) ([BKMGTP])(?:i?B)? +\|(?: +(\d{1,15}) ([BKMGTP])(?:i?B)? +\|)?/;

/** `torch.cuda.memory_summary()`, printed into a file: a row per round of devices. Its amounts are rounded down. */
export const memorySummary: Format = {
  id: 'memorySummary',
  sniff: (head) => /\|={20,}\|\r?$/m.test(textDecoder(head).decode(head)),
  read,
};

async function read(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const rows = new TrendRows(source.name);
  let device: number | null = null;
  let coarsest = 0;
  await eachLine(
    source,
    (line) => {
      const text = line.trim();
      const title = TITLE.exec(text);
      if (title !== null) {
        device = Number(title[1]);
        rows.begin(String(device), Number.NaN);
        return;
      }
      const row = device === null ? null : ROW.exec(text);
      const quantity = row === null ? undefined : QUANTITIES.get(row[1].trimEnd());
      if (row === null || quantity === undefined) return;
      coarsest = Math.max(coarsest, UNITS[row[3]]);
      const peak = row.at(4) === undefined ? null : amount(row[4], row[5]);
      rows.set(quantity, device, amount(row[2], row[3]), peak);
    },
    context.chunkSize,
  );
  const { count, series } = rows.take();
  if (series.length === 0) {
    throw new SnapshotError(
      'truncated',
      t(
        '{0} ends inside a table of memory_summary(): it is still being written or truncated. ' +
          'Wait until it is complete.',
        source.name,
      ),
    );
  }
  const unit = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][coarsest];
  const rounded = {
    code: 'rounded',
    message: t('The table is rounded down to {0}: log torch.cuda.memory_stats() as JSON for exact bytes.', unit),
  };
  return trendOf(source, { format: memorySummary.id, count, series, warnings: coarsest === 0 ? [] : [rounded] });
}

function amount(digits: string, unit: string): Bytes {
  return Number(digits) * 1024 ** UNITS[unit];
}
