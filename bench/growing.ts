/** Dumps of one process that grow: all of them beside the last one alone, and one after the other in the real worker. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Truth } from './makeSnapshot.js';
import type { Measurement } from './rows/measure.js';
import { timesTable } from './timesTable.js';

/** Dumps of the run, and events that each has more than the one before. */
const TWENTY = { dumps: 20, events: 25_000 };
const SOAK = { dumps: 100, events: 500 };

export interface GrowingBench {
  /** Bundles of the rows. */
  readonly dist: string;
  readonly data: string;
  /** Makes a file of so many events, unless an earlier run made it. */
  readonly make: (events: number, path: string) => Truth;
  /** Runs a row and holds what it finds against what is in the files; a text says why there is no measurement. */
  readonly median: (command: [string, string[]], truth: Truth) => (Measurement & { curve: string }) | string;
}

/** @returns a section of the table, in Markdown */
export function measureGrowing({ dist, data, make, median }: GrowingBench): string {
  const run = (name: string, { dumps, events }: typeof TWENTY): { files: string[]; truths: Truth[] } => {
    const folder = join(data, name);
    mkdirSync(folder, { recursive: true });
    const files = Array.from({ length: dumps }, (_, i) => join(folder, `run_step_${i + 1}.pickle`));
    return { files, truths: files.map((path, i) => make(events * (i + 1), path)) };
  };
  const sum = (truths: readonly Truth[]): Truth => ({
    events: truths.reduce((all, { events }) => all + events, 0),
    liveBytes: truths.reduce((all, { liveBytes }) => all + liveBytes, 0),
    bytes: truths.reduce((all, { bytes }) => all + bytes, 0),
  });
  const row = (name: string, files: readonly string[], truths: readonly Truth[]): ReturnType<typeof median> =>
    median([process.execPath, [join(dist, 'rows', `${name}.mjs`), ...files]], sum(truths));
  const twenty = run('twenty', TWENTY);
  const soak = run('soak', SOAK);
  const rows: [string, ReturnType<typeof median>][] = [
    ['`analyze --json`, the last of twenty dumps', row('analyze', twenty.files.slice(-1), twenty.truths.slice(-1))],
    ['`analyze --json`, all twenty', row('analyze', twenty.files, twenty.truths)],
    [`${SOAK.dumps} dumps in the worker, a report after each`, row('soak', soak.files, soak.truths)],
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
