/** Files that are harmless alone: jobs of many ranks, folders of digests, settings. */
import { frame, segment, snapshot, times, type Attack } from './made.js';

const tiny = snapshot([segment(0, 512, (w) => w.list([frame('f', '/a/b.py', 1)]))], [[]]);

/** A snapshot and its sidecar for each rank. */
function ranks(
  count: number,
  facts: (rank: number) => object,
  name: (rank: number) => string,
): Record<string, string | Uint8Array> {
  const files = times(count, (rank): [string, string | Uint8Array][] => [
    [`${name(rank)}.pickle`, tiny],
    [`${name(rank)}.leakline.json`, JSON.stringify({ schema: 'leakline.recording/2', step: 1, ...facts(rank) })],
  ]);
  return Object.fromEntries(files.flat());
}

type Files = Record<string, string | Uint8Array>;
const SCHEMA = '"schema":"leakline.recording/2"';

/** Dumps of a process whose lines grow with each. */
function growingLines(lines: number, beside: (step: number) => Files): Files {
  return Object.assign(
    {},
    ...times(6, (step) => ({
      [`dumps/step_${step}.pickle`]: snapshot(
        times(lines * (step + 1), (i) =>
          segment(0, 512 * (i + 1), (w) => w.list([frame('train', `/home/ml/train.py`, (i % lines) + 1)])),
        ),
      ),
      ...beside(step),
    })),
  ) as Files;
}

const BILLION = 1_000_000_000;
const settings =
  (content: string): Attack['files'] =>
  () => ({ 'step_1.pickle': tiny, '.leakline.json': content });
const leak = (i: number): object => ({ file: 'a.py', function: `f${i}`, statement: 'x', line: i + 1 });
const withRoot = [['analyze', '--json', '--root', 'FOLDER', 'FOLDER']];
const folder = [['analyze', '--json', 'FOLDER']];

export const JOBS: readonly Attack[] = [
  {
    name: '1,000 jobs of a billion ranks',
    files: () =>
      ranks(
        1000,
        (i) => ({ run: `r${i}`, rank: i, worldSize: BILLION }),
        (i) => `a${i}`,
      ),
    commands: folder,
  },
  {
    name: '1,000 ranks of a billion',
    files: () =>
      ranks(
        1000,
        (i) => ({ run: 'r', rank: i * 999_983, worldSize: BILLION }),
        (i) => `a${i}`,
      ),
    commands: folder,
  },
  {
    name: '2,000 files of one rank',
    files: () =>
      ranks(
        2000,
        () => ({ run: 'r', rank: 7, worldSize: 8 }),
        (i) => `a${i}`,
      ),
    commands: folder,
  },
  {
    name: '2,000 ranks by their names',
    files: () => Object.fromEntries(times(2000, (i) => [`rank${i}_step_1.pickle`, tiny])),
    commands: folder,
  },
  {
    name: '2,000 files of different names',
    files: () => Object.fromEntries(times(2000, (i) => [`${(i * 2654435761).toString(36)}x.pickle`, tiny])),
    commands: folder,
  },
  {
    name: '2,000 ranks as digests',
    files: () => Object.fromEntries(times(2000, (i) => [`rank${i}_step_1.pickle`, tiny])),
    commands: [
      ['digest', '--out', 'OUT', 'FOLDER'],
      ['summarize', 'OUT'],
      ['report', '--json', 'OUT'],
      ['facts', 'OUT'],
    ],
  },
  { name: 'settings in settings', files: settings('['.repeat(2 ** 22)), commands: withRoot },
  {
    name: 'settings of 20,000 leaks',
    files: settings(JSON.stringify({ ignoredLeaks: times(10_000, leak), baseline: times(10_000, leak) })),
    commands: withRoot,
  },
  {
    name: 'settings of 60,000 budgets',
    files: settings(
      JSON.stringify({ budget: { lines: times(60_000, (i) => ({ file: `a${i}.py`, leakBytesPerStep: 0 })) } }),
    ),
    commands: withRoot,
  },
  {
    name: 'settings of prototypes',
    files: settings(
      '{"__proto__":{"budget":1},"budget":{"__proto__":1,"lines":[{"file":"__proto__","leakBytesPerStep":1}]},"ignoredLeaks":{"length":1e9}}',
    ),
    commands: withRoot,
  },
  {
    name: '2,000 lines that leak, and sidecars of 100,000 owners, loops, releases and containers',
    files: () => {
      const list = (count: number, make: (i: number) => object): string => JSON.stringify(times(count, make));
      const site = (i: number): object => ({ file: '/home/ml/train.py', line: (i % 2000) + 1, bytes: 512 });
      const owners = list(20_000, (i) => ({
        name: `kept${i}`,
        file: '/home/ml/train.py',
        line: (i % 2000) + 1,
        allocatedAt: times(5, (j) => site(i + j)),
      }));
      const place = (i: number): object => ({ file: '/home/ml/train.py', function: 'train', line: (i % 2000) + 1 });
      return growingLines(2000, (step) => ({
        [`dumps/step_${step}.leakline.json`]: `{${SCHEMA},"step":${step},"holders":{"owners":${owners}},"loops":${list(30_000, (i) => ({ ...place(i), lastLine: 3000, rounds: i }))},"releases":${list(30_000, (i) => ({ ...place(i), runs: i }))},"containers":${list(20_000, (i) => ({ ...place(i), root: 'a', name: `kept${i}`, kind: 'list', length: i + step, previousLength: i, bound: null }))}}`,
      }));
    },
    commands: withRoot,
  },
  {
    name: 'snapshots below 1,000 folders in each other',
    files: () => ({
      [`${'d/'.repeat(1000)}x.pickle`]: snapshot([segment(0, 512, (w) => w.list([frame('f', '/a/b.py', 1)]))]),
      [`${'d/'.repeat(1000)}b.py`]: 'x = 1\n',
    }),
    commands: withRoot,
  },
];
