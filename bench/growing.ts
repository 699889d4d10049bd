/** Dumps of one process that grow: all of them beside the last one alone, and one after the other in the real worker. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Truth } from './makeSnapshot.js';
import type { Measurement } from './rows/measure.js';
import { timesTable } from './timesTable.js';

/** Dumps of the run, and events that each has more than the previous one. */
const TWENTY = { dumps: 20, events: 25_000 };
/** The ring holds the last events: each dump has three quarters of those of the previous one. */
const SOAK = { dumps: 1000, events: 1000, last: 4000 };

interface Dumps {
  readonly dumps: number;
  readonly events: number;
  readonly last?: number;
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
  const run = (name: string, { dumps, events, last = Infinity }: Dumps): { files: string[]; truths: Truth[] } => {
    const folder = join(data, name);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'run_step_%.pickle');
    const files = Array.from({ length: dumps }, (_, i) => path.replace('%', String(i + 1)));
    const args = [String(events), '30', path, 'protocol4', String(last), String(dumps)];
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
  ): ReturnType<typeof median> =>
    median([process.execPath, [join(dist, 'rows', `${name}.mjs`), ...files]], sum(truths), repeat);
  const twenty = run('twenty', TWENTY);
  const soak = run('soak', SOAK);
  const rows: [string, ReturnType<typeof median>][] = [
    ['`analyze --json`, the last of twenty dumps', row('analyze', twenty.files.slice(-1), twenty.truths.slice(-1))],
    ['`analyze --json`, all twenty', row('analyze', twenty.files, twenty.truths)],
    [`${SOAK.dumps} dumps in the worker, a report after each`, row('soak', soak.files, soak.truths, 1)],
  ];
  const last = rows[2][1];
  const points =
    typeof last === 'string'
      ? []
      : last.curve
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { dumps: number; cpuMsPerDump: number; mib: number });
  return [
    '### Dumps of one process that grow',
    '',
    ...timesTable(rows),
    '',
    '| dumps in the worker | CPU ms per dump | MiB |',
    '|--:|--:|--:|',
    ...points.map(({ dumps, cpuMsPerDump, mib }) => `| ${dumps} | ${cpuMsPerDump} | ${mib} |`),
    '',
  ].join('\n');
}
