/** What other programs hand over: digests and summaries of ranks, conversations of agents, patterns of ranks. */
import { join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import { summaryText, workspaceKey } from '../../src/cli/fleet/summary.js';
import { digestSnapshot, type SnapshotDigest } from '../../src/core/digest/digest.js';
import { buildReport } from '../../src/core/report/buildReport.js';
import { columnBytes } from '../../src/node/columnFile.js';
import { digestFile } from '../../src/node/storedReading.js';
import { writeFleetFile } from '../../src/node/fleetFile.js';
import { VERSION } from '../../src/node/version.js';
import { FIXTURES, picklesUnder, readBytes, readFile } from '../support/snapshots.js';
import { entry, frame, MB, oddParts, segment, snapshot, times, type Attack } from './made.js';

type Files = Record<string, string | Uint8Array>;

const OUTPUTS = [['--json'], ['--markdown'], ['--sarif'], ['--github'], [], ['--all']];
const REPORTS = [...OUTPUTS.map((output) => ['report', ...output, 'FOLDER']), ['facts', '--json', 'FOLDER']];

const summaryPath = (rank: number): string => `ranks/job/rank${String(rank).padStart(5, '0')}.json`;
const digestPath = (rank: number): string => `digests/job/rank${String(rank).padStart(5, '0')}/x-0.lkd`;

async function digestsOf(): Promise<SnapshotDigest[]> {
  const paths = picklesUnder(join(FIXTURES, 'recordings/aux_loss'));
  return Promise.all(paths.map(async (path) => digestSnapshot(path, await readFile(path))));
}

/** A summary's content. @param digests of one rank */
function summaryOf(digests: readonly SnapshotDigest[], rank: number, jobs: number): object {
  const workspace = { files: [], rules: [] };
  const { runs } = buildReport(digests, workspace).report;
  const text = summaryText({
    workspace: workspaceKey(workspace),
    digests: [],
    files: [['/a/b.py', null]],
    runs: runs.map((run) => ({
      run: { ...run, id: `run ${rank}`, rank, worldSize: jobs },
      names: { rank, exact: 'job', loose: 'job' },
    })),
  });
  return JSON.parse(text) as object;
}

function lkd(facts: object, columns = {}): Uint8Array {
  return gzipSync(columnBytes({ facts: { schema: 'leakline.digest/1', version: VERSION, ...facts }, columns }));
}

/** A digest of so many stacks. */
async function large(stacks: number, depth: number, names: number, length: number, rank = 0): Promise<Uint8Array> {
  const digest = digestSnapshot(
    'x.pickle',
    await readBytes(snapshot([segment(0, 512, (w) => w.list([frame('f', '/a.py', 1)]))])),
  );
  const [group] = digest.groups;
  return writeFleetFile({
    members: 1,
    digest: {
      ...digest,
      path: `rank${rank}.pickle`,
      rank,
      frames: times(names, (i) => ({ file: '/a.py', line: i, function: `f${i}`.padEnd(length, '\u0007') })),
      groups: times(stacks, (i) => ({
        ...group,
        frames: times(depth, (level) => (level === 0 ? i : level) % names),
      })),
    },
  });
}

const request = (id: number | string, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const HELLO =
  request(0, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  }) + `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`;
const call = (id: number | string, name: string, args: object = {}): string =>
  request(id, 'tools/call', { name, arguments: args });

/** A server of a folder of a few snapshots. */
function agent(name: string, said: () => string): Attack {
  return {
    name: `an agent: ${name}`,
    files: () =>
      Object.fromEntries(
        times(4, (step) => [
          `step_${step}.pickle`,
          snapshot(
            times(300 * (step + 1), (i) =>
              segment(0, 512 * (i + 1), (w) => w.list([frame('`f`\n# x', '/a/b.py', i % 40)])),
            ),
            [[entry('alloc', 512)]],
          ),
        ]),
      ),
    commands: [['mcp', '--root', 'FOLDER', 'FOLDER']],
    input: () => HELLO + said() + call('last', 'list_gpu_memory_leaks'),
  };
}

function patterns(name: string, ...texts: readonly string[]): Attack {
  return {
    name: `a pattern of ranks: ${name}`,
    files: () =>
      Object.fromEntries(
        ['x', 'a', '1', 'rank', '_', 'x1'].map((part) => [
          `${part.repeat(200 / part.length)}.pickle`,
          snapshot([segment(0, 512, (w) => w.list([frame('f', '/a/b.py', 1)]))]),
        ]),
      ),
    commands: texts.flatMap((text) => [
      ['analyze', '--json', '--rank-pattern', text, 'FILES'],
      ['digest', '--shard', '0/1', '--out', 'OUT', '--rank-pattern', text, 'FILES'],
    ]),
  };
}

export const FLEETS: readonly Attack[] = [
  {
    name: '5,000 summaries',
    files: async () => {
      const digests = await digestsOf();
      return Object.fromEntries(
        times(5000, (rank) => [summaryPath(rank), JSON.stringify(summaryOf(digests.slice(-1), rank, 5000))]),
      );
    },
    commands: REPORTS.slice(0, 1),
  },
  {
    name: '2,000 summaries of 40 lines that leak on some ranks',
    files: async () => {
      const [digest] = await digestsOf();
      const one = summaryOf([digest], 0, 2000) as { runs: [{ run: { lines: [object]; job: string } }] };
      const [{ run }] = one.runs;
      return Object.fromEntries(
        times(2000, (rank) => [
          summaryPath(rank),
          JSON.stringify({
            ...one,
            runs: [
              {
                ...one.runs[0],
                run: {
                  ...run,
                  id: `r${rank}`,
                  rank,
                  lines: times(40, (i) => ({
                    ...run.lines[0],
                    line: i,
                    verdict: (rank + i) % 2 === 0 ? 'leak' : 'steady',
                    stacks: [],
                  })),
                },
              },
            ],
          }),
        ]),
      );
    },
    commands: REPORTS,
  },
  {
    name: '5,000 digests',
    files: async () => {
      const small = snapshot([segment(0, 512, (w) => w.list([frame('f', '/a.py', 1)]))]);
      const digest = digestSnapshot('x.pickle', await readBytes(small));
      const files: Files = {};
      for (let rank = 0; rank < 5000; rank++)
        files[digestPath(rank)] = await writeFleetFile({
          digest: { ...digest, path: `rank${rank}.pickle`, rank },
          members: 1,
        });
      return files;
    },
    commands: [
      ['report', '--json', 'FOLDER'],
      ['summarize', 'FOLDER'],
      ['clean', 'FOLDER'],
    ],
  },
  {
    name: '20 digests of 3,000 stacks',
    files: async () => {
      const files: Files = {};
      for (let rank = 0; rank < 20; rank++) files[digestPath(rank)] = await large(3000, 30, 3000, 20, rank);
      return files;
    },
    commands: [
      ['report', '--json', 'FOLDER'],
      ['summarize', 'FOLDER'],
      ['report', '--json', 'FOLDER'],
    ],
  },
  {
    name: 'summaries with something odd in each place',
    files: async () => {
      const summary = summaryOf(await digestsOf(), 0, 8);
      return Object.fromEntries(
        [...oddParts(summary, (odd) => odd)].map((odd, rank) => [summaryPath(rank), JSON.stringify(odd)]),
      );
    },
    commands: REPORTS,
  },
  {
    name: 'summaries that are not',
    files: () => ({
      [summaryPath(0)]: '['.repeat(20 * MB),
      [summaryPath(1)]: `{"schema":"leakline.rank/1","version":"${VERSION}","runs":[${'{},'.repeat(3_000_000)}{}]}`,
      [summaryPath(2)]:
        `{"schema":"leakline.rank/1","version":"${VERSION}","digests":[${'"a",'.repeat(5_000_000)}"a"],"runs":[],"files":[],"workspace":"x"}`,
      [summaryPath(3)]: '"'.repeat(100 * MB),
    }),
    commands: REPORTS.slice(0, 2),
  },
  {
    name: 'one summary of 100,000 lines',
    files: async () => {
      const summary = summaryOf(await digestsOf(), 0, 2) as { runs: [{ run: { lines: object[] } }] };
      const [{ run }] = summary.runs;
      run.lines = times(100_000, (line) => ({
        ...run.lines[0],
        line,
        function: '\u001b'.repeat(300),
        verdict: 'leak',
      }));
      return { [summaryPath(0)]: JSON.stringify(summary) };
    },
    commands: REPORTS,
  },
  {
    name: 'digests with something odd in each place',
    files: async () => {
      const [digest] = await digestsOf();
      const { facts, columns } = digestFile({ digest, members: 1 });
      const files: Files = {};
      let rank = 0;
      for (const odd of oddParts(facts, (one) => one))
        if (typeof odd === 'object' && odd !== null) files[digestPath(rank++)] = lkd(odd, columns);
      return files;
    },
    commands: REPORTS,
  },
  {
    name: 'digests of nothing, packed',
    files: () => {
      const zeros = gzipSync(new Uint8Array(255 * MB));
      return Object.fromEntries(times(8, (rank) => [digestPath(rank), zeros]));
    },
    commands: REPORTS.slice(0, 1),
  },
  {
    name: 'a digest whose facts are lists in lists',
    files: () => ({ [digestPath(0)]: lkd({ digest: times(3_000_000, () => []) }) }),
    commands: REPORTS.slice(0, 1),
  },
  {
    name: 'a digest whose facts are in each other',
    files: () => {
      const text = Buffer.from('['.repeat(90 * MB));
      const prologue = Buffer.alloc(24);
      prologue.write('LKLNcol\0', 'latin1');
      prologue.writeDoubleLE(24 + text.length, 8);
      prologue.writeUInt32LE(text.length, 16);
      prologue.writeUInt32LE(crc32(text), 20);
      return { [digestPath(0)]: gzipSync(Buffer.concat([prologue, text])) };
    },
    commands: REPORTS.slice(0, 1),
  },
  {
    name: 'a digest whose facts are many',
    files: () => ({
      [digestPath(0)]: lkd({ digest: Object.fromEntries(times(2_000_000, (i) => [`k${i}`, i])) }),
    }),
    commands: REPORTS.slice(0, 1),
  },
  {
    name: 'a digest of 20,000 stacks of 500 frames',
    files: async () => ({ [digestPath(0)]: await large(20_000, 500, 600, 5) }),
    commands: REPORTS.slice(0, 1),
  },
  {
    name: 'a digest of names of 100 MB',
    files: async () => ({ [digestPath(0)]: await large(6000, 3, 6000, 2700) }),
    commands: REPORTS.slice(0, 1),
  },
  {
    name: 'a digest of 200,000 lines',
    files: async () => ({ [digestPath(0)]: await large(200_000, 1, 200_000, 100) }),
    commands: REPORTS.slice(0, 1),
  },
  {
    name: 'inputs in digests',
    files: async () => ({
      [digestPath(0)]: await writeFleetFile({ name: 'x.pickle', bytes: gzipSync(new Uint8Array(512 * MB)) }),
      [digestPath(1)]: await writeFleetFile({
        name: 'nvidia-smi.csv',
        bytes: Buffer.from(
          `timestamp, index, memory.used [MiB]\n${'2026/01/01 00:00:00.000, 0, 5 MiB\n'.repeat(2_000_000)}`,
        ),
      }),
      [digestPath(2)]: await writeFleetFile({
        name: '\u001b]0;\u0007'.repeat(9000),
        bytes: Buffer.from('digraph {\na -> b}'),
      }),
      [digestPath(3)]: await writeFleetFile({ name: 'x.json', bytes: Buffer.from('['.repeat(60 * MB)) }),
    }),
    commands: REPORTS.slice(0, 2),
  },
  {
    name: 'notes on files that failed',
    files: () =>
      Object.fromEntries<string>([
        ...times(20_000, (i): [string, string] => [
          `failed/job/rank00000/x-${i}.json`,
          JSON.stringify({ path: `x${i}`, message: `${'\u001b]0;\u0007'.repeat(100)}.` }),
        ]),
        ['failed/job/rank00001/y.json', '['.repeat(60_000)],
        [digestPath(0), 'torn'],
      ]),
    commands: REPORTS,
  },

  agent('every tool, and none', () =>
    [
      'list_gpu_memory_leaks',
      'explain_gpu_memory_leak',
      'compare_gpu_memory_snapshots',
      'gpu_memory_at_peak',
      'gpu_memory_rank_differences',
      'how_to_record_gpu_memory',
      'toString',
      '__proto__',
    ]
      .flatMap((name, i) => [
        call(10 * i + 1, name),
        call(10 * i + 2, name, { file: '/a/b.py', line: 1, before: 'step_0.pickle', after: 'step_3.pickle' }),
        call(10 * i + 3, name, { file: 1, line: 'x', before: [], after: {}, rank: 1.5, script: null }),
        call(10 * i + 4, name, {
          file: '../'.repeat(100_000),
          line: 1e308,
          before: '/dev/zero',
          after: '/proc/self/mem',
        }),
        call(10 * i + 5, name, { file: '\0', line: -1, before: '\\\\host\\share', after: 'a\0b', rank: -1 }),
        call(10 * i + 6, name, {
          file: 'x'.repeat(MB),
          line: 2 ** 60,
          before: '.',
          after: '..',
          script: 'x'.repeat(MB),
        }),
      ])
      .join(''),
  ),
  agent('one word of 40 MB', () => call(1, 'explain_gpu_memory_leak', { file: 'x'.repeat(40 * MB), line: 1 })),
  agent('a line that never ends', () => '{"jsonrpc":"2.0","id":1,"method":"'.padEnd(60 * MB, 'x')),
  agent('lists in lists', () => `${'['.repeat(5 * MB)}\n`),
  agent('100,000 lines of nothing', () => '{}\n[]\n0\n"\n\n'.repeat(20_000)),
  agent('50,000 notifications', () =>
    `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } })}\n`.repeat(
      50_000,
    ),
  ),
  agent('3,000 questions at once', () => times(3000, (i) => call(i + 1, 'list_gpu_memory_leaks')).join('')),
  agent('questions that are taken back', () =>
    times(
      1000,
      (i) =>
        call(i + 1, 'list_gpu_memory_leaks') +
        `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: i + 1 } })}\n`,
    ).join(''),
  ),
  agent('20,000 questions of the same number', () => times(20_000, () => request(7, 'tools/list')).join('')),

  patterns('backtracking', '(?:x+x+)+y(\\d)', '(?:[^_]*)*_(\\d+)', '^(?:(?:.*)*)*(\\d)!', '(?:rank|rankrank)*(\\d)!'),
  patterns(
    'large',
    '(\\d{1,100000})',
    `(${'x?'.repeat(200)}${'x'.repeat(200)})y`,
    `(${'(?:'.repeat(1000)}x${')*'.repeat(1000)})y`,
  ),
];
