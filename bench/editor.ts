/** Leakline in a real extension host: what it costs to start, to be asked, and to find a thousand snapshots. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ExtensionTests } from '../test/vscode-host/extensionTests.js';
import { writeLargeWorkspace, type LargeWorkspace } from '../test/support/largeWorkspace.js';
import { EMPTY_ID, writeEmptyExtension } from './editor/emptyExtension.js';
import type { LargeWorkspaceTimes } from './editor/largeWorkspace.js';
import type { Lookups, Timing } from './editor/lookups.js';

/** Windows that start again; the median counts. */
const STARTS = 3;
const GOAL_MS = 2;

/** Milliseconds, one per window. */
interface Starts {
  own: number[];
  empty: number[];
}

export interface EditorBench {
  readonly root: string;
  /** For workspaces and extensions, which stay for the next time, and for results. */
  readonly data: string;
  /** For the bundle of what runs in the host. */
  readonly dist: string;
}

/** @returns a section of the report, in Markdown */
export async function measureEditor({ root, data, dist }: EditorBench): Promise<string> {
  const tests = join(dist, 'editor/suite.cjs');
  await build({
    entryPoints: [join(root, 'bench/editor/suite.ts')],
    outfile: tests,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode'],
    logLevel: 'warning',
  });
  const window = async <T>(
    measure: string,
    folder: string,
    environment: Record<string, string> = {},
    extension = root,
  ): Promise<T> => {
    const measured = join(data, `${measure}.json`);
    rmSync(measured, { force: true });
    const host = await ExtensionTests.start();
    const code = await host.run({
      folder,
      extensionUnderDevelopment: extension,
      extensionTests: tests,
      extensionEnvironment: { LEAKLINE_MEASURE: measure, LEAKLINE_MEASURED: measured, ...environment },
    });
    await host.stop();
    if (code !== 0) throw new Error(`The window that measures ${measure} ended with exit code ${code}.`);
    return JSON.parse(readFileSync(measured, 'utf8')) as T;
  };

  const plain = join(data, 'plain');
  rmSync(plain, { recursive: true, force: true });
  mkdirSync(plain, { recursive: true });
  const empty = writeEmptyExtension(join(data, 'extensions'));
  const starts: Starts = { own: [], empty: [] };
  for (let i = 0; i < STARTS; i++) {
    starts.own.push(await window('activation', plain, { LEAKLINE_EXTENSION: 'leakline.leakline' }));
    starts.empty.push(await window('activation', plain, { LEAKLINE_EXTENSION: EMPTY_ID }, empty));
  }
  const lookups = await window<Lookups>('lookups', plain);
  const many = largeWorkspace(join(data, 'many'));
  const snapshots = many.runs.reduce((sum, run) => sum + run.snapshots.length, 0);
  const large = await window<LargeWorkspaceTimes>('largeWorkspace', join(data, 'many'), {
    LEAKLINE_SNAPSHOTS: String(snapshots),
  });
  return text(starts, lookups, large, many.sources.length);
}

/** Made unless an earlier benchmark made it. */
function largeWorkspace(folder: string): LargeWorkspace {
  const note = `${folder}.json`;
  if (!existsSync(note)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(note, JSON.stringify(writeLargeWorkspace(folder)));
  }
  return JSON.parse(readFileSync(note, 'utf8')) as LargeWorkspace;
}

function text(starts: Starts, lookups: Lookups, large: LargeWorkspaceTimes, sources: number): string {
  const start = (what: string, times: readonly number[]): string =>
    row(what, [...times].sort((a, b) => a - b)[times.length >> 1], Math.max(...times));
  const timed = (what: string, { median, longest }: Timing): string => row(what, median, longest);
  const count = (number: number): string => number.toLocaleString('en');
  return [
    '| what | median ms | longest ms |',
    '|:--|--:|--:|',
    start('activation: the bundle is loaded and started', starts.own),
    start('activation of an extension that does nothing', starts.empty),
    timed(`${count(lookups.lenses)} lenses of a file of 10,000 lines, nothing changed`, lookups.lookup),
    timed('the same, first time after an edit', lookups.afterEdit),
    timed('the same file’s decorations, rebuilt', lookups.decorations),
    timed('from the report to the event that asks for lenses', lookups.reportToEvent),
    '',
    `The goal for lenses, ${GOAL_MS} ms, is ${lookups.lookup.longest < GOAL_MS && lookups.afterEdit.median < GOAL_MS ? 'met' : 'missed'}. ` +
      `A workspace of ${count(large.snapshots)} snapshots of ${large.runs} runs and ${sources} Python files: marks after ` +
      `${(large.first / 1000).toFixed(1)} s, all verdicts after ${(large.all / 1000).toFixed(1)} s. The longest ` +
      `pause of the extension host’s main thread is ${large.longestBlock.toFixed(0)} ms; 99 % are below ${large.p99Block.toFixed(1)} ms. Its ` +
      `process, with worker threads, grew from ${Math.round(large.before)} to at most ${Math.round(large.max)} MiB.`,
    '',
  ].join('\n');
}

function row(what: string, median: number, longest: number): string {
  return `| ${what} | ${median.toFixed(2)} | ${longest.toFixed(2)} |`;
}
