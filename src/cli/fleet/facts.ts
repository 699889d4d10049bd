/** A report as tables, for Parquet or lines of JSON. docs/fleet.md describes each column. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { visibleText } from '../../core/text/plainText.js';
import type { Report, RunReport } from '../../core/report/report.js';
import { FleetFolder } from '../../node/fleetFolder.js';
import type { FactColumn, FactValue } from './parquet.js';

const RUN = { job: 'text', run: 'text', rank: 'int' } as const;
const TABLES = {
  ranks: {
    ...RUN,
    verdict: 'text',
    snapshots: 'int',
    last_step: 'int',
    live_bytes: 'int',
    leaked_bytes: 'int',
    peak_bytes: 'int',
  },
  snapshots: {
    ...{ ...RUN, snapshot: 'int', is_last: 'flag', path: 'text', step: 'int', taken_at_us: 'int', device: 'int' },
    ...{ live_bytes: 'int', reserved_bytes: 'int', requested_bytes: 'int' },
  },
  lines: {
    ...{ ...RUN, snapshot: 'int', is_last: 'flag', step: 'int', file: 'text', line: 'int', function: 'text' },
    ...{ mapped: 'flag', category: 'text', verdict: 'text', ignored: 'flag', bytes: 'int' },
  },
} as const satisfies Record<string, Record<string, FactColumn['type']>>;
type Table = keyof typeof TABLES;

/** Maximum number of rows of one file. */
const MAX_ROWS = 200_000;

/** Replaces the tables `lines`, `snapshots` and `ranks` below a folder. @returns rows of each table */
export async function writeFacts(
  report: Report,
  path: string,
  format: 'parquet' | 'json',
): Promise<Record<Table, number>> {
  const folder = new FleetFolder(path);
  const suffix = format === 'parquet' ? '.parquet' : '.ndjson';
  const encode = format === 'parquet' ? (await import('./parquet.js')).parquetBytes : jsonLines;
  const counts = { ranks: 0, snapshots: 0, lines: 0 };
  for (const table of Object.keys(TABLES) as Table[]) {
    const target = join(path, table);
    const written = new Set<string>();
    const columns = Object.entries(TABLES[table]).map(([name, type]): FactColumn => ({ name, type, values: [] }));
    const flush = async (): Promise<void> => {
      const name = `part-${String(written.size).padStart(5, '0')}${suffix}`;
      await folder.write(join(target, name), encode(columns));
      written.add(name);
      for (const { values } of columns) values.length = 0;
    };
    for (const run of report.runs) {
      for (const row of rowsOf(table, run)) {
        columns.forEach(({ values }, i) => values.push(row[i] ?? null));
        counts[table]++;
      }
      if (columns[0].values.length >= MAX_ROWS) await flush();
    }
    // An empty table has its columns too.
    if (columns[0].values.length > 0 || written.size === 0) await flush();
    for (const name of await readdir(target))
      if (name.startsWith('part-') && !written.has(name)) await rm(join(target, name));
  }
  await rm(join(path, 'unfinished'), { recursive: true, force: true });
  return counts;
}

function jsonLines(columns: readonly FactColumn[]): string {
  const rows = columns[0].values.map((_, i) =>
    JSON.stringify(Object.fromEntries(columns.map(({ name, values }) => [name, values[i]]))),
  );
  return rows.map((row) => `${visibleText(row)}\n`).join('');
}

/** Rows in the order of the table's columns. */
function* rowsOf(table: Table, run: RunReport): Generator<FactValue[]> {
  const { job, id, rank, snapshots, lines, otherLines } = run;
  const name = [job, id, rank];
  const last = snapshots.length - 1;
  const liveOf = (at: number): number => snapshots[at].devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
  switch (table) {
    case 'ranks': {
      const leaked = lines.reduce((sum, { leakedBytes }) => sum + leakedBytes, otherLines.leakedBytes);
      yield [
        ...name,
        run.verdict,
        snapshots.length,
        snapshots[last].step,
        liveOf(last),
        leaked,
        run.peak?.liveBytes ?? null,
      ];
      break;
    }
    case 'snapshots':
      for (const [at, { path, step, takenAtUs, devices }] of snapshots.entries()) {
        for (const { device, liveBytes, reservedBytes, requestedBytes } of devices)
          yield [...name, at, at === last, path, step, takenAtUs, device, liveBytes, reservedBytes, requestedBytes];
      }
      break;
    case 'lines':
      for (const { file, line, function: of, mapped, category, verdict, ignored, series } of lines) {
        for (const [at, bytes] of series.entries())
          yield [
            ...name,
            at,
            at === last,
            snapshots[at].step,
            file,
            line,
            of,
            mapped,
            category,
            verdict,
            ignored,
            bytes,
          ];
      }
      // Memory without a line: the rows of the last snapshot add up to its live bytes.
      for (const [bucket, bytes] of Object.entries({
        ...(otherLines.lines === 0 ? {} : { otherLines: otherLines.liveBytes }),
        ...run.buckets,
      }))
        yield [...name, last, true, snapshots[last].step, null, null, bucket, false, null, null, false, bytes];
      break;
  }
}
