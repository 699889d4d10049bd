import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import type { Report } from '../../../src/core/report/report.js';
import { FIXTURES } from '../../support/snapshots.js';
import { runHere } from './runHere.js';

type Row = Record<string, unknown>;

describe('The facts of a fleet', () => {
  let folder: string;
  let report: Report;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-facts-'));
    const out = join(folder, 'out');
    for (const set of ['recordings/two_ranks', 'recordings/aux_loss', 'shapes'])
      await runHere('digest', '--out', out, join(FIXTURES, set));
    report = JSON.parse((await runHere('report', '--json', out)).stdout) as Report;
    assert.equal((await runHere('facts', '--out', join(folder, 'facts'), out)).status, 0);
    assert.equal((await runHere('facts', '--json', '--out', join(folder, 'lines'), out)).status, 0);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  async function rowsOf(table: string): Promise<Row[]> {
    const parts = readdirSync(join(folder, 'facts', table)).sort();
    const rows = await Promise.all(
      parts.map(async (part) =>
        parquetReadObjects({ file: await asyncBufferFromFile(join(folder, 'facts', table, part)) }),
      ),
    );
    return rows.flat();
  }

  const sum = (rows: readonly Row[], column: string): bigint =>
    rows.reduce((all, row) => all + ((row[column] as bigint | null) ?? 0n), 0n);

  it('add up to the live bytes of the report, by run and by line', async () => {
    const lines = await rowsOf('lines');
    const snapshots = await rowsOf('snapshots');
    assert.equal((await rowsOf('ranks')).length, report.runs.length);
    for (const run of report.runs) {
      const last = run.snapshots[run.snapshots.length - 1];
      const live = last.devices.reduce((all, { liveBytes }) => all + BigInt(liveBytes), 0n);
      const own = lines.filter((row) => row['run'] === run.id);
      const held = own.filter(({ is_last: isLast }) => isLast === true);
      assert.equal(sum(held, 'bytes'), live, run.id);
      assert.equal(
        sum(
          snapshots.filter((row) => row['run'] === run.id && row['is_last'] === true),
          'live_bytes',
        ),
        live,
      );
      for (const { file, line, function: of, series } of run.lines) {
        const rows = own.filter(
          (row) => row['file'] === file && row['line'] === BigInt(line) && row['function'] === of,
        );
        assert.deepEqual(
          rows.map(({ bytes }) => bytes),
          series.map(BigInt),
        );
      }
    }
  });

  it('are the same as lines of JSON', async () => {
    for (const table of ['ranks', 'snapshots', 'lines']) {
      const text = readFileSync(join(folder, 'lines', table, 'part-00000.ndjson'), 'utf8');
      const rows = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Row);
      const plain = (await rowsOf(table)).map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([key, value]) => [key, typeof value === 'bigint' ? Number(value) : value]),
        ),
      );
      assert.deepEqual(plain, rows, table);
    }
  });

  it('are read by DuckDB', function () {
    const python = process.env['LEAKLINE_DUCKDB_PYTHON'] ?? 'python3';
    const query = `select sum(bytes) from '${folder}/facts/lines/*.parquet' where is_last`;
    const program = `import duckdb; print(int(duckdb.sql("""${query}""").fetchone()[0]))`;
    if (spawnSync(python, ['-c', 'import duckdb']).status !== 0) this.skip();
    const { stdout, stderr } = spawnSync(python, ['-c', program], { encoding: 'utf8' });
    const live = report.runs
      .flatMap(({ snapshots }) => snapshots.slice(-1))
      .flatMap(({ devices }) => devices)
      .reduce((all, { liveBytes }) => all + liveBytes, 0);
    assert.equal(stdout.trim(), String(live), stderr);
  });
});
