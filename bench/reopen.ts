/**
 * Opening snapshots as the editor does, in the real worker: the first time, from the columns that the first time kept,
 * and several at once with one reader thread and with two.
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Truth } from './makeSnapshot.js';
import type { Measurement } from './rows/measure.js';
import { timesTable } from './timesTable.js';

/** Snapshots of a run that are read together. */
const FILES = 4;

export interface OpeningBench {
  /** Bundles of the rows. */
  readonly dist: string;
  /** For copies and kept columns, which are removed again. */
  readonly data: string;
  /** Snapshots of a million events and of half a million. */
  readonly large: { readonly file: string; readonly truth: Truth };
  readonly medium: { readonly file: string; readonly truth: Truth };
  /** Runs a row and holds what it finds against what is in the files; a text says why there is no measurement. */
  readonly median: (command: [string, string[]], truth: Truth) => Measurement | string;
}

/** Bundles the worker and its reader as the product does. */
export async function bundleWorker(root: string, dist: string): Promise<void> {
  await build({
    entryPoints: ['main', 'reader'].map((name) => join(root, 'src/worker', `${name}.ts`)),
    outdir: join(dist, 'worker'),
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    logLevel: 'warning',
  });
}

/** @returns a section of the table, in Markdown */
export function measureOpening({ dist, data, large, medium, median }: OpeningBench): string {
  const cache = join(data, 'columns');
  const folder = join(data, 'run');
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: FILES }, (_, i) => join(folder, `step_${i}.pickle`));
  for (const path of files) copyFileSync(medium.file, path);
  const all: Truth = {
    events: medium.truth.events * FILES,
    liveBytes: medium.truth.liveBytes * FILES,
    bytes: medium.truth.bytes * FILES,
  };
  const open = (
    readers: number,
    folderOrNone: string,
    paths: string[],
    until: 'load' | 'timeline' = 'load',
  ): [string, string[]] => [
    process.execPath,
    [join(dist, 'rows/open.mjs'), String(readers), folderOrNone, until, ...paths],
  ];
  const one = megabytes(large.truth);
  const several = `${FILES} × ${megabytes(medium.truth)}`;
  median(open(1, cache, [large.file]), large.truth); // keeps columns and digest
  const rows: [string, Measurement | string][] = [
    [`${one}, the first time`, median(open(1, '-', [large.file]), large.truth)],
    [`${one}, reopened`, median(open(1, cache, [large.file]), large.truth)],
    [`${one}, its timeline, the first time`, median(open(1, '-', [large.file], 'timeline'), large.truth)],
    [`${one}, its timeline, reopened`, median(open(1, cache, [large.file], 'timeline'), large.truth)],
    [`${several}, one reader`, median(open(1, '-', files), all)],
    [`${several}, two readers`, median(open(2, '-', files), all)],
  ];
  rmSync(cache, { recursive: true, force: true });
  rmSync(folder, { recursive: true });
  return ['### Opening in the editor’s worker', '', ...timesTable(rows), ''].join('\n');
}

function megabytes({ bytes }: Truth): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
