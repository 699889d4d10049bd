/** Logs of memory as text: nvidia-smi's samples and PyTorch's tables. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import type { ReadOptions } from '../../../src/core/formats/format.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import { trendReport } from '../../../src/core/report/buildReport.js';
import type { Trend } from '../../../src/core/model/trend.js';
import { bytesSource } from '../../support/bytesSource.js';
import { FIXTURES } from '../../support/snapshots.js';

const MiB = 2 ** 20;

async function trendOf(content: string | Uint8Array, options?: ReadOptions): Promise<Trend> {
  const result = await readInput(bytesSource('log', Buffer.from(content)), options);
  assert.equal(result.kind, 'trend');
  return result.trend;
}

async function errorOf(content: string | Uint8Array): Promise<SnapshotError> {
  const error: unknown = await readInput(bytesSource('log', Buffer.from(content))).then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(SnapshotError.is(error), `read, or failed with ${String(error)}`);
  return error;
}

/** Series by device and name, in MiB. */
function amounts({ series }: Trend): Record<string, number[]> {
  return Object.fromEntries(
    series.map(({ name, device, bytes }) => [`${device ?? ''} ${name}`, Array.from(bytes, (value) => value / MiB)]),
  );
}

const HEADER = 'timestamp, index, memory.used [MiB], memory.total [MiB]';
/** Two rounds over two devices. */
const SAMPLES = [
  ['2026/11/20 16:41:02.123', 0, 1234, 81559],
  ['2026/11/20 16:41:02.125', 1, 7, 40960],
  ['2026/11/20 16:41:03.123', 0, 1300, 81559],
  ['2026/11/20 16:41:03.126', 1, 7, 40960],
] as const;

function table(header: boolean, units: boolean, end = '\n'): string {
  const unit = units ? ' MiB' : '';
  const lines = SAMPLES.map(([time, index, used, total]) => `${time}, ${index}, ${used}${unit}, ${total}${unit}`);
  return [...(header ? [HEADER] : []), ...lines].join(end) + end;
}

describe('Samples of nvidia-smi', () => {
  it('are the same with and without header and units, packed, from Windows, and whatever the size of the reads', async () => {
    const whole = await trendOf(table(true, true));
    assert.equal(whole.format, 'nvidiaSmi');
    assert.deepEqual(amounts(whole), { '0 used': [1234, 1300], '1 used': [7, 7] });
    assert.deepEqual(whole.capacities, [
      { device: 0, bytes: 81559 * MiB },
      { device: 1, bytes: 40960 * MiB },
    ]);
    assert.deepEqual(
      [...(whole.timeUs ?? [])],
      [Date.UTC(2026, 10, 20, 16, 41, 2, 123), Date.UTC(2026, 10, 20, 16, 41, 3, 123)].map((ms) => ms * 1000),
    );
    assert.equal(whole.isWallClock, true);
    assert.deepEqual(whole.warnings, []);
    const forms: Record<string, Uint8Array> = {
      'no header': Buffer.from(table(false, true)),
      'no units': Buffer.from(table(true, false)),
      neither: Buffer.from(table(false, false)),
      windows: Buffer.from(table(true, true, '\r\n')),
      powershell: Buffer.from(`\ufeff${table(true, true, '\r\n')}`, 'utf16le'),
      marked: Buffer.from(`\ufeff${table(true, true)}`),
    };
    for (const [form, bytes] of Object.entries(forms)) {
      const same = { ...whole, fileBytes: bytes.length };
      assert.deepEqual(await trendOf(bytes), same, form);
      for (const chunkSize of [1, 7, 4096])
        assert.deepEqual(await trendOf(bytes, { chunkSize }), same, `${form} by ${chunkSize}`);
    }
    assert.equal((await trendOf(gzipSync(table(true, true)))).format, 'gzip/nvidiaSmi');
  });

  it('have their columns in any order, and others between them', async () => {
    const trend = await trendOf(
      'index, name, memory.total [MiB], utilization.gpu [%], memory.used [MiB], timestamp\n' +
        '0, NVIDIA H100, 80GB, 81559 MiB, 35 %, 12 MiB, 2026/11/20 16:41:02.123\n',
    );
    assert.deepEqual(amounts(trend), { '0 used': [12] }, 'a comma in the name of a device');
    assert.deepEqual(trend.capacities, [{ device: 0, bytes: 81559 * MiB }]);
  });

  it('have times by ISO 8601, further columns, and prefixes', async () => {
    const rows = [
      '# timestamp, index, memory.used [MiB], memory.total [MiB], utilization.gpu [%], power.draw [W]',
      '2026-11-20T17:41:02.5+01:00, 0, 12 MiB, 81559 MiB, 35 %, 120.50 W',
      '2026-11-20T17:41:03.5+0100, 0, 13 MiB, 81559 MiB, 36 %, [N/A]',
    ];
    const trend = await trendOf(rows.join('\n') + '\n');
    assert.deepEqual(amounts(trend), { '0 used': [12, 13] });
    const first = Date.UTC(2026, 10, 20, 16, 41, 2, 500) * 1000;
    assert.deepEqual([...(trend.timeUs ?? [])], [first, first + 1e6]);
    assert.equal(trend.isWallClock, false, 'the zone is known');
    const bare = await trendOf(rows.slice(1).join('\n') + '\n');
    assert.deepEqual([amounts(bare), bare.timeUs], [amounts(trend), trend.timeUs], 'without a header');
    const local = await trendOf(rows.join('\n').replaceAll(/\+01:?00/g, ''));
    assert.deepEqual([local.timeUs?.[0], local.isWallClock], [first + 3600e6, true]);
    for (const prefix of ['gpu-log-1  | ', '[rank0] ', '2026-11-20 16:41:02,123 ', 'box | 2026-11-20T16:41:02Z # ']) {
      const log = rows.map((row) => `${prefix}${row}\n`).join('');
      assert.deepEqual(amounts(await trendOf(log)), amounts(trend), prefix);
    }
  });

  it('of processes are a curve each', async () => {
    const apps =
      'pid, process_name, used_gpu_memory [MiB]\n41, /usr/bin/python, 500 MiB\n42, a, b, 70 MiB\n41, /usr/bin/python, 510 MiB\n';
    assert.deepEqual(amounts(await trendOf(apps)), {
      ' pid 41 (/usr/bin/python)': [500, 510],
      ' pid 42 (a, b)': [70, Number.NaN],
    });
    assert.deepEqual(amounts(await trendOf('4711, 500 MiB\n4711, 510 MiB\n')), { ' pid 4711': [500, 510] });
    const timed = await trendOf('timestamp, pid, used_gpu_memory [MiB]\n2026/11/20 16:41:02.123, 41, 5 MiB\n');
    assert.deepEqual([timed.timeUs?.length, timed.capacities], [1, []]);
  });

  it('that are unavailable are unknown, and a device that appears later begins there', async () => {
    const trend = await trendOf(
      `${HEADER}\n2026/11/20 16:41:02.123, 0, [N/A], 81559 MiB\n2026/11/20 16:41:03.123, 0, 5 MiB, 81559 MiB\n` +
        '2026/11/20 16:41:03.125, 1, [Insufficient Permissions], [N/A]\n2026/11/20 16:41:09.125, 1, 6 MiB, 81559 MiB\n',
    );
    assert.deepEqual(amounts(trend), { '0 used': [Number.NaN, 5, Number.NaN], '1 used': [Number.NaN, Number.NaN, 6] });
  });

  it('in a log that is still written, was appended to or holds errors are read as far as they are samples', async () => {
    const whole = amounts(await trendOf(table(true, true)));
    const text = table(true, true);
    assert.deepEqual(amounts(await trendOf(text.trimEnd())), whole, 'the last line has its unit');
    for (let cut = 1; cut < 40; cut++) {
      const { '0 used': used } = amounts(await trendOf(text.slice(0, -cut)));
      assert.deepEqual(used, [1234, 1300], text.slice(0, -cut).slice(-20));
    }
    // Without units the end of a number does not show.
    assert.deepEqual(amounts(await trendOf(table(true, false).slice(0, -3)))['1 used'], [7, Number.NaN]);
    const twice = await trendOf(text + text);
    assert.deepEqual([twice.count, twice.warnings.length], [4, 0]);
    const bad = await trendOf(text.replace('\n', '\nUnable to determine the device handle\n'));
    assert.deepEqual(amounts(bad), whole);
    assert.deepEqual(
      bad.warnings.map(({ code, message }) => [code, message.split(':')[0]]),
      [['strangeLines', '1 line is not a sample and is ignored']],
    );
  });

  it('without a sample, and other tables, are reported by their kind', async () => {
    assert.equal((await errorOf(`${HEADER}\n`)).reason, 'truncated');
    const none = await errorOf(`${HEADER}\nNo devices were found\n`);
    assert.equal(none.reason, 'notASnapshot');
    assert.match(none.message, /no line that matches it.*--query-gpu=/);
    for (const other of [
      'name,price\napple,3\n',
      'step, loss\n1, 0.5\n',
      'timestamp, loss\n2026/11/20 16:41:02.123, 5\n',
      '2026/11/20 16:41:02.123, 1, 2, 3, 4, 5\n',
      '1,2,3\n4,5,6\n',
      'a,memory.free [MiB]\n1,2\n',
    ]) {
      assert.equal((await errorOf(other)).reason, 'notASnapshot', other);
    }
    assert.equal((await errorOf(`${HEADER}\n${'x'.repeat(1 << 18)}\n`)).reason, 'notASnapshot');
  });

  it('of too many processes are limited, with a warning', async () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `${1000 + i}, ${i} MiB`);
    const { series, warnings } = await trendOf(lines.join('\n') + '\n');
    assert.equal(series.length, 256);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['moreSeries'],
    );
  });
});

describe('Tables of memory_summary()', () => {
  const text = readFileSync(join(FIXTURES, 'shapes/memory_summary.txt'), 'utf8');

  it('are a row each, by device, rounded as printed', async () => {
    const one = await trendOf(text);
    assert.deepEqual([one.count, one.timeUs], [1, null]);
    assert.deepEqual(
      one.series.map(({ name, bytes }) => [name, bytes[0] / 1024]),
      [
        ['allocated', 120_563],
        ['active', 120_563],
        ['requested', 120_563],
        ['reserved', 120_563],
        ['inactive_split', 120_563],
      ],
    );
    assert.match(one.warnings[0].message, /rounded down to KiB: log torch\.cuda\.memory_stats\(\)/);
    const later = text.replaceAll('120563 KiB', '    96 MB ');
    const many = await trendOf(`epoch 1\n${text}epoch 2\n${later}${later.replaceAll('device ID 0', 'device ID 1')}`);
    const allocated = many.series.filter(({ name }) => name === 'allocated');
    assert.deepEqual(
      allocated.map(({ device, bytes }) => [device, ...bytes]),
      [
        [0, 120_563 * 1024, 96 * MiB],
        [1, Number.NaN, 96 * MiB],
      ],
    );
    assert.match(many.warnings[0].message, /MiB/);
    for (const chunkSize of [1, 7]) assert.deepEqual(await trendOf(text, { chunkSize }), one);
  });

  it('have the highest of their peak columns as their peak', async () => {
    const table = (device: number, now: string, peak: string): string =>
      [
        `|      PyTorch CUDA memory summary, device ID ${device}      |`,
        '|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |',
        `| Allocated memory      | ${now} | ${peak} |   9463 MiB |   9346 MiB |`,
        `| GPU reserved memory   | ${now} |\n`,
      ].join('\n');
    const bar = `|${'='.repeat(75)}|\n`;
    const trend = await trendOf(
      `${bar}${table(0, '  4096 KiB', '  9216 KiB')}${table(0, '  8192 KiB', '  8192 KiB')}${table(1, '     1 MiB', '     2 MiB')}`,
    );
    assert.deepEqual(
      trendReport('log', trend).series.map(({ name, device, lastBytes, peakBytes }) => [
        `${device ?? ''} ${name}`,
        lastBytes / MiB,
        peakBytes / MiB,
      ]),
      [
        ['0 allocated', 8, 9],
        ['0 reserved', 8, 8],
        ['1 allocated', 1, 2],
        ['1 reserved', 1, 1],
      ],
    );
    const stats = { 'allocated_bytes.all.current': 5, 'allocated_bytes.all.peak': 9 };
    const { series } = trendReport('stats.json', await trendOf(JSON.stringify(stats)));
    assert.deepEqual([series[0].lastBytes, series[0].peakBytes], [5, 9], 'as of memory_stats()');
  });

  it('are the same with a logger’s prefix on each line', async () => {
    const bare = amounts(await trendOf(text));
    for (const prefix of ['trainer-1  | ', '# ', '2026-11-20 16:41:02,123 INFO ', '[rank0]: ']) {
      const log = text.replace(/^(?=.)/gm, prefix);
      assert.deepEqual(amounts(await trendOf(log)), bare, prefix);
    }
  });

  it('that end before their numbers are truncated', async () => {
    assert.equal((await errorOf(text.slice(0, 500))).reason, 'truncated');
  });
});
