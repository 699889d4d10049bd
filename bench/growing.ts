/** Dumps of one process: all of them beside the last one alone, and one after the other in the real worker. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Truth } from './makeSnapshot.js';
import type { Measurement } from './rows/measure.js';
import { timesTable } from './timesTable.js';

/** Dumps of the run, and events that each has more than the previous one. */
const TWENTY = { dumps: 20, events: 25_000 };
/** The ring holds the last events: each dump has three quarters of those of the previous one. */
const SOAK = { dumps: 1000, events: 1000, last: 4000 };
/** A run like `SOAK`, but with memory that is kept up to a bound: from the tenth dump on all files have the same size. */
const LEVEL = { ...SOAK, kept: 32 };
/** Dumps of it that tell what the tenth takes, and the 300th: half of those measured come behind it. */
const NTH = 320;

/** The young heap of a new process would grow by 25 MiB; that of an extension host is there with the first extension. */
const HOST = ['--min-semi-space-size=16'];

interface Dumps {
  readonly dumps: number;
  readonly events: number;
  readonly last?: number;
  readonly kept?: number;
}

export interface GrowingBench {
  /** Bundles of the rows. */
  readonly dist: string;
  readonly data: string;
  /** Makes files by the arguments of `makeSnapshot`, unless an earlier run made them. */
  readonly make: (args: readonly string[], files: readonly string[]) => Truth[];
  /** Runs a row and holds what it finds against what is in the files; a text says why there is no measurement. */
  readonly median: (
    command: [string, string[]],
    truth: Truth,
    repeat?: number,
  ) => (Measurement & { curve: string }) | string;
}

/** @returns a section of the table, in Markdown */
export function measureGrowing({ dist, data, make, median }: GrowingBench): string {
  const run = (
    name: string,
    { dumps, events, last = Infinity, kept = Infinity }: Dumps,
  ): { files: string[]; truths: Truth[] } => {
    const folder = join(data, name);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'run_step_%.pickle');
    const files = Array.from({ length: dumps }, (_, i) => path.replace('%', String(i + 1)));
    const args = [String(events), '30', path, 'protocol4', ...[last, dumps, kept].map(String)];
    return { files, truths: make(args, files) };
  };
  const sum = (truths: readonly Truth[]): Truth => ({
    events: truths.reduce((all, { events }) => all + events, 0),
    liveBytes: truths.reduce((all, { liveBytes }) => all + liveBytes, 0),
    bytes: truths.reduce((all, { bytes }) => all + bytes, 0),
  });
  const row = (
    name: string,
    files: readonly string[],
    truths: readonly Truth[],
    repeat?: number,
    options: readonly string[] = [],
  ): ReturnType<typeof median> =>
    median([process.execPath, [...options, join(dist, 'rows', `${name}.mjs`), ...files]], sum(truths), repeat);
  const twenty = run('twenty', TWENTY);
  const [soak, level] = [run('soak', SOAK), run('level', LEVEL)];
  const soaks = [soak, level].map(({ files, truths }) => row('soak', files, truths, 1, HOST));
  const burst = row('burst', level.files, level.truths, 1, HOST);
  const nth = row('nthDump', level.files.slice(0, NTH), level.truths.slice(0, NTH), 1);
  const rows: [string, ReturnType<typeof median>][] = [
    ['`analyze --json`, the last of twenty dumps', row('analyze', twenty.files.slice(-1), twenty.truths.slice(-1))],
    ['`analyze --json`, all twenty', row('analyze', twenty.files, twenty.truths)],
    [`${SOAK.dumps} dumps in the worker, a report after each`, soaks[0]],
    [`${LEVEL.dumps} dumps of equal size`, soaks[1]],
    [`${LEVEL.dumps} dumps of equal size at once, reports meanwhile`, burst],
  ];
  const [growing, equal] = soaks.map((one) => pointsOf<{ dumps: number; cpuMsPerDump: number; mib: number }>(one));
  return [
    '### Dumps of one process that grow',
    '',
    ...timesTable(rows),
    '',
    '| dumps in the worker | CPU ms per dump | MiB | of equal size: CPU ms | MiB |',
    '|--:|--:|--:|--:|--:|',
    ...growing.map(
      ({ dumps, cpuMsPerDump, mib }, i) =>
        `| ${dumps} | ${cpuMsPerDump} | ${mib} | ${equal.at(i)?.cpuMsPerDump ?? ''} | ${equal.at(i)?.mib ?? ''} |`,
    ),
    '',
    '| dumps of equal size | CPU ms |',
    '|:--|--:|',
    ...(typeof nth === 'string' ? [`| | ${nth} |`] : []),
    ...pointsOf<{ dump: number; cpuMs: number }>(nth).map(
      ({ dump, cpuMs }) => `| dump ${dump} of a run | ${cpuMs.toFixed(1)} |`,
    ),
    '',
  ].join('\n');
}

function pointsOf<Point>(outcome: { curve: string } | string): Point[] {
  if (typeof outcome === 'string') return [];
  return outcome.curve
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Point);
}
