import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import type { SnapshotWarning } from '../model/snapshot.js';
import type { Format, ReadContext } from './format.js';
import { type ReadResult, trendOf } from './readResult.js';
import {
  guessedColumns,
  hasZone,
  headerColumns,
  smiBytes,
  smiFields,
  smiTime,
  type SmiColumns,
} from './smi/smiColumns.js';
import { eachLine, textDecoder } from './text/eachLine.js';
import { TrendRows } from './text/trendRows.js';
import { t, tCount } from '../text/translate.js';

const SEPARATED = /^[^,\n]*[^,\s][^,\n]*,/;

/** Samples of `nvidia-smi --query-gpu` or `--query-compute-apps` as CSV. A row is one round of devices or processes. */
export const nvidiaSmi: Format = {
  id: 'nvidiaSmi',
  sniff: (head) => {
    const line = textDecoder(head).decode(head).split(/\r?\n/, 1)[0];
    const fields = smiFields(line);
    return SEPARATED.test(line) && (headerColumns(fields) ?? guessedColumns(fields)) !== null;
  },
  read,
};

async function read(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const rows = new TrendRows(source.name);
  const capacities = new Map<number, number>();
  let columns: SmiColumns | null = null;
  let strange = 0;
  let isZoned = false;
  await eachLine(
    source,
    (line, isWhole) => {
      if (line.trim() === '') return;
      const fields = smiFields(line);
      const header = headerColumns(fields);
      // A log that was appended to has its header several times.
      if (header !== null) {
        columns = header;
        return;
      }
      columns ??= guessedColumns(fields);
      const sample = columns === null ? null : sampleOf(columns, fields);
      // A file that is being written may end inside a number.
      if (!isWhole && rows.count > 0 && !/[A-Za-z\]]$/.test(line)) return;
      if (sample === null) {
        if (isWhole) strange++;
        return;
      }
      isZoned ||= sample.isZoned;
      rows.begin(sample.teller, sample.time);
      rows.set(sample.name, sample.device, sample.used);
      if (sample.device !== null && sample.total > 0) capacities.set(sample.device, sample.total);
    },
    context.chunkSize,
  );
  const { count, timeUs, series } = rows.take();
  if (count === 0) throw withoutSamples(source, strange);
  return trendOf(source, {
    format: nvidiaSmi.id,
    count,
    timeUs,
    isWallClock: timeUs !== null && !isZoned,
    series,
    capacities: [...capacities].map(([device, bytes]) => ({ device, bytes })),
    warnings: warningsOf(strange, rows.leftOut),
  });
}

interface Sample {
  /** The source of a sample: a device or a process. */
  teller: string;
  name: string;
  device: number | null;
  time: number;
  isZoned: boolean;
  used: number;
  total: number;
}

/** The content of a line, null for other lines than rows. */
function sampleOf(columns: SmiColumns, line: readonly string[]): Sample | null {
  const fields = withoutCommasInNames(columns, line);
  if (fields.length !== columns.count) return null;
  const of = (place: number): string => (place === -1 ? '' : fields[place]);
  const time = smiTime(of(columns.time));
  const used = smiBytes(of(columns.used));
  if ((columns.time !== -1 && Number.isNaN(time)) || (Number.isNaN(used) && !/^\[.*\]$/.test(of(columns.used)))) {
    return null;
  }
  const device = columns.pid === -1 && /^\d{1,4}$/.test(of(columns.index)) ? Number(of(columns.index)) : null;
  const gpu = of(columns.gpu);
  const name =
    columns.pid === -1
      ? device === null && gpu !== ''
        ? `used (${gpu})`
        : 'used'
      : `pid ${of(columns.pid)}${columns.process === -1 ? '' : ` (${of(columns.process)})`}${gpu === '' ? '' : ` on ${gpu}`}`;
  return {
    teller: `${device ?? ''}/${name}`,
    name,
    device,
    time,
    isZoned: hasZone(of(columns.time)),
    used,
    total: smiBytes(of(columns.total)),
  };
}

function withoutCommasInNames({ count, process }: SmiColumns, fields: readonly string[]): readonly string[] {
  const more = fields.length - count;
  if (process === -1 || more <= 0) return fields;
  const name = fields.slice(process, process + more + 1).join(', ');
  return [...fields.slice(0, process), name, ...fields.slice(process + more + 1)];
}

function warningsOf(strange: number, leftOut: boolean): SnapshotWarning[] {
  const warnings: SnapshotWarning[] = [];
  if (strange > 0) {
    warnings.push({
      code: 'strangeLines',
      message: tCount(
        strange,
        '1 line is not a sample and is ignored: check the log for errors.',
        '{0} lines are not samples and are ignored: check the log for errors.',
      ),
    });
  }
  if (leftOut) {
    warnings.push({
      code: 'moreSeries',
      message: t('The log contains more devices and processes than Leakline shows: query fewer.'),
    });
  }
  return warnings;
}

function withoutSamples(source: ByteSource, strange: number): SnapshotError {
  return strange === 0
    ? new SnapshotError(
        'truncated',
        t('{0} has the header of nvidia-smi but no sample yet. Wait until it has one.', source.name),
      )
    : new SnapshotError(
        'notASnapshot',
        t(
          '{0} has the header of nvidia-smi but no line that matches it. ' +
            'Log with nvidia-smi --query-gpu=timestamp,index,memory.used,memory.total --format=csv -l 1.',
          source.name,
        ),
      );
}
