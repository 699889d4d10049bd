/**
 * Measures readers of snapshots beside each other, then the timeline in a browser and the editor's extension host, and prints Markdown tables:
 * `npm run bench`.
 *
 *     --full        also 7.4 million events (1 GB), and 3.3 million with stacks 90 frames deep
 *     --repeat N    runs of each row; the one of median CPU time counts (3, or 1 for slow rows of the large files)
 *     --readers     only the readers, and opening in the editor's worker
 *     --growing     only dumps of one process that grow
 *     --timeline    only the timeline in a browser, of a million allocations
 *     --replay      only the replay of recordings by the model of the allocator; --recordings DIR names others
 *     --editor      only the editor: activation, lenses, a thousand snapshots
 *     --write       puts the table into bench/README.md
 *
 * Every row runs in a process of its own, and holds what it found against what is in the file.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { ensureChromium } from '../scripts/lib/dependencies.mjs';
import { ensureVsCodeHost } from '../scripts/lib/vscodeHost.mjs';
import type { Truth } from './makeSnapshot.js';
import type { Dialect } from './pickleStream.js';
import { measureEditor } from './editor.js';
import { measureGrowing } from './growing.js';
import { bundleWorker, measureOpening } from './reopen.js';
import { measureReplay } from './replay.js';
import { measureTimeline } from './timeline.js';
import type { Measurement } from './rows/measure.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const data = join(here, '.data');
/** Bundles of the rows. */
const dist = join(data, 'dist');
const MIB = 1 << 20;
/** A row that takes longer has hung. */
const LIMIT_MS = 15 * 60_000;
/** Heap that a row in JavaScript may use; the default would depend on the machine. */
const HEAP_MIB = 4096;

interface Subject {
  events: number;
  depth: number;
  large: boolean;
}

const SUBJECTS: readonly Subject[] = [
  { events: 100_000, depth: 30, large: false },
  { events: 1_000_000, depth: 30, large: false },
  { events: 7_400_000, depth: 30, large: true },
  { events: 3_300_000, depth: 90, large: true },
];

/** Equal content from other writers. */
const DIALECTS: readonly { dialect: Dialect; title: string }[] = [
  { dialect: 'protocol4', title: 'CPython, protocol 4' },
  { dialect: 'protocol2', title: 'CPython, protocol 2 (`torch.save`)' },
  { dialect: 'cpp', title: 'PyTorch’s C++ writer' },
];

/** A million allocations: each has three entries, one where it is still live. */
const DRAWN = { events: 3_000_000, depth: 30 };

interface Row {
  title: string;
  command: (file: string) => [program: string, args: string[]];
  /** Why it cannot run on this machine, null where it can. */
  skipped: string | null;
  /** Takes minutes for a large file. */
  slow: boolean;
}

const { values } = parseArgs({
  options: {
    full: { type: 'boolean' },
    readers: { type: 'boolean' },
    growing: { type: 'boolean' },
    timeline: { type: 'boolean' },
    editor: { type: 'boolean' },
    replay: { type: 'boolean' },
    recordings: { type: 'string' },
    write: { type: 'boolean' },
    repeat: { type: 'string' },
  },
});
mkdirSync(data, { recursive: true });
await bundle();
await bundleWorker(join(here, '..'), dist);

const parts = [values.readers, values.growing, values.timeline, values.editor, values.replay];
const all = parts.every((part) => part !== true);
if (all || values.readers === true) {
  const sections: string[] = [];
  for (const subject of SUBJECTS.filter(({ large }) => !large || values.full === true)) {
    const section = measureSubject(subject);
    console.log(section);
    sections.push(section);
  }
  const dialects = measureDialects({ events: 1_000_000, depth: 30 });
  console.log(dialects);
  sections.push(dialects);
  const opening = measureOpening({
    dist,
    data,
    large: subjectFile({ events: 1_000_000, depth: 30 }),
    medium: subjectFile({ events: 500_000, depth: 30 }),
    median: (command, truth) => {
      const repeat = Number(values.repeat ?? 3);
      return inTurns([{ command, repeat, skipped: null }], truth, ({ seconds }) => seconds)[0];
    },
  });
  console.log(opening);
  report('measured', [...sections, opening].join('\n'));
}
if (all || values.growing === true) {
  const growing = measureGrowing({
    dist,
    data,
    make: madeFiles,
    median: (command, truth, repeat = Number(values.repeat ?? 3)) => {
      const runs = Array.from({ length: repeat }, () => run(command, truth));
      const good = runs.filter((one) => typeof one !== 'string');
      return good.length < repeat
        ? (runs.find((one) => typeof one === 'string') ?? '')
        : good.sort((a, b) => a.cpuSeconds - b.cpuSeconds)[Math.floor(repeat / 2)];
    },
  });
  console.log(growing);
  report('growing', growing);
}
const recordings = values.recordings ?? join(here, '../../shared/corpus');
if (values.replay === true || (all && existsSync(recordings))) {
  const replayed = await measureReplay(recordings);
  console.log(replayed);
  report('replayed', replayed);
}
if (all || values.timeline === true || values.editor === true) {
  const built = spawnSync(process.execPath, [join(here, '../scripts/build.mjs'), '--production'], { stdio: 'ignore' });
  if (built.status !== 0) throw new Error('The extension could not be built.');
  process.env['CHROMIUM_PATH'] = await ensureChromium();
}
if (all || values.timeline === true) {
  const timeline = await measureTimeline(subjectFile(DRAWN).file);
  console.log(timeline);
  report('timeline', timeline);
}
if (all || values.editor === true) {
  await ensureVsCodeHost();
  const editor = await measureEditor({ root: join(here, '..'), data, dist });
  console.log(editor);
  report('editor', editor);
}

/** The rows in JavaScript are bundled as the product is. */
async function bundle(): Promise<void> {
  await build({
    entryPoints: [
      'makeSnapshot',
      'rows/reader',
      'rows/opcodeWalk',
      'rows/npmPickleparser',
      'rows/open',
      'rows/analyze',
      'rows/soak',
      'rows/burst',
      'rows/nthDump',
    ].map((name) => join(here, `${name}.ts`)),
    outdir: dist,
    outbase: here,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    logLevel: 'warning',
  });
}

function rows(): Row[] {
  const node =
    (name: string) =>
    (file: string): [string, string[]] => [
      process.execPath,
      [`--max-old-space-size=${HEAP_MIB}`, join(dist, 'rows', `${name}.mjs`), file],
    ];
  const python =
    (mode: string) =>
    (file: string): [string, string[]] => ['python3', [join(here, 'rows/cpython.py'), mode, file]];
  const noPython = spawnSync('python3', ['--version']).status === 0 ? null : 'there is no python3';
  return [
    { title: 'Leakline, into columns', command: node('reader'), skipped: null, slow: false },
    { title: 'walk over the opcodes', command: node('opcodeWalk'), skipped: null, slow: false },
    { title: 'CPython `pickle.load`', command: python('gc'), skipped: noPython, slow: true },
    { title: 'CPython `pickle.load`, collector off', command: python('nogc'), skipped: noPython, slow: true },
    { title: 'npm `pickleparser`', command: node('npmPickleparser'), skipped: null, slow: true },
    { title: 'the whole job, `analyze --json`', command: node('analyze'), skipped: null, slow: false },
  ];
}

function measureSubject(subject: Subject): string {
  const { file, truth } = subjectFile(subject);
  readThrough(file);
  const outcomes = inTurns(
    rows().map(({ command, skipped, slow }) => ({
      skipped,
      repeat: Number(values.repeat ?? (subject.large && slow ? 1 : 3)),
      command: command(file),
    })),
    truth,
  );
  const [reader, walk, , nogc] = outcomes;
  const table = rows().map(({ title }, row) => {
    const outcome = outcomes[row];
    if (typeof outcome === 'string') return `| ${title} | ${outcome} | | | | |`;
    const { seconds, cpuSeconds, peakBytes } = outcome;
    return (
      `| ${title} | ${secondsText(seconds)} | ${secondsText(cpuSeconds)} | ` +
      `${typeof reader === 'string' ? '' : (cpuSeconds / reader.cpuSeconds).toFixed(2)} | ` +
      `${Math.round(peakBytes / MIB)} | ${typeof reader === 'string' ? '' : (peakBytes / reader.peakBytes).toFixed(2)} |`
    );
  });
  return [
    `### ${truth.events.toLocaleString('en')} events, stacks of ${subject.depth} frames, ` +
      `${(truth.bytes / 1e6).toFixed(1)} MB (${(truth.bytes / truth.events).toFixed(0)} bytes per event)`,
    '',
    '| reader | seconds | CPU seconds | × Leakline | peak MiB | × Leakline |',
    '|:--|--:|--:|--:|--:|--:|',
    ...table,
    '',
    timesByTheClock(reader, walk, nogc),
    '',
  ].join('\n');
}

/** The times of Leakline by the walk, and of CPython by Leakline, in words. */
function timesByTheClock(...[reader, walk, python]: (Measurement | string)[]): string {
  if (typeof reader === 'string' || typeof walk === 'string') return '';
  const beside =
    typeof python === 'string'
      ? ''
      : ` CPython without its collector takes ${(python.seconds / reader.seconds).toFixed(1)} times as long as Leakline by the clock.`;
  return (
    `Leakline takes ${(reader.seconds / walk.seconds).toFixed(1)} times as long as the walk by the clock, and ` +
    `${(reader.cpuSeconds / walk.cpuSeconds).toFixed(1)} times the time of all CPUs.${beside}`
  );
}

/** The reader and the walk on what other writers make of the same content. */
function measureDialects(subject: Pick<Subject, 'events' | 'depth'>): string {
  const [reader, opcodes] = rows();
  const table = DIALECTS.map(({ dialect, title }) => {
    const { file, truth } = subjectFile({ ...subject, dialect });
    readThrough(file);
    const repeat = Number(values.repeat ?? 3);
    const [own, walk] = inTurns(
      [reader, opcodes].map(({ command }) => ({ skipped: null, repeat, command: command(file) })),
      truth,
    );
    const size = `${(truth.bytes / 1e6).toFixed(1)} MB`;
    if (typeof own === 'string') return `| ${title} | ${size} | ${own} | | | |`;
    if (typeof walk === 'string') return `| ${title} | ${size} | | | ${walk} | |`;
    return (
      `| ${title} | ${size} | ${secondsText(own.seconds)} | ${secondsText(own.cpuSeconds)} | ` +
      `${(own.seconds / walk.seconds).toFixed(1)} | ${(own.cpuSeconds / walk.cpuSeconds).toFixed(1)} |`
    );
  });
  return [
    `### ${subject.events.toLocaleString('en')} events as others write them`,
    '',
    '| writer | file | seconds | CPU seconds | × the walk by the clock | of CPU time |',
    '|:--|--:|--:|--:|--:|--:|',
    ...table,
    '',
  ].join('\n');
}

/** Brings a file into the page cache: the first row to read it must not pay for the disk. */
function readThrough(path: string): void {
  const file = openSync(path, 'r');
  const piece = Buffer.alloc(8 * MIB);
  while (readSync(file, piece, 0, piece.length, null) > 0);
  closeSync(file);
}

function secondsText(seconds: number): string {
  return seconds.toFixed(seconds < 10 ? 2 : 1);
}

/** The file, made unless an earlier run made it. */
function subjectFile({
  events,
  depth,
  dialect = 'protocol4',
}: Pick<Subject, 'events' | 'depth'> & { dialect?: Dialect }): { file: string; truth: Truth } {
  const file = join(data, `e${events}_d${depth}${dialect === 'protocol4' ? '' : `_${dialect}`}.pickle`);
  return { file, truth: madeFiles([String(events), String(depth), file, dialect])[0] };
}

/** @param args of `makeSnapshot`, the file third @param files that it makes */
function madeFiles(args: readonly string[], files: readonly string[] = [args[2]]): Truth[] {
  if (!files.every((file) => existsSync(file))) {
    const { status } = spawnSync(process.execPath, [join(dist, 'makeSnapshot.mjs'), ...args], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`${args[2]} could not be made.`);
  }
  return files.map((file) => JSON.parse(readFileSync(`${file}.json`, 'utf8')) as Truth);
}

/**
 * Runs commands in turns: a machine is not equally fast all the time, and the first touches memory that the
 * host of a virtual machine has yet to find, which may take longer than reading.
 * @returns the run of median CPU time of each (or of what `by` says), or why there is none
 */
function inTurns(
  turns: readonly { command: [program: string, args: string[]]; repeat: number; skipped: string | null }[],
  truth: Truth,
  by: (measurement: Measurement) => number = ({ cpuSeconds }) => cpuSeconds,
): (Measurement | string)[] {
  const measured = turns.map((): Measurement[] => []);
  const failed = turns.map(({ skipped }) => skipped);
  for (let round = 0; turns.some(({ repeat }) => round < repeat); round++) {
    turns.forEach(({ command, repeat }, row) => {
      if (round >= repeat || failed[row] !== null) return;
      const measurement = run(command, truth);
      if (typeof measurement === 'string') failed[row] = measurement;
      else measured[row].push(measurement);
    });
  }
  return turns.map(
    ({ repeat }, row) => failed[row] ?? measured[row].sort((a, b) => by(a) - by(b))[Math.floor(repeat / 2)],
  );
}

/** @returns why there is no measurement, where there is none */
function run([program, args]: [string, string[]], truth: Truth): (Measurement & { curve: string }) | string {
  const { status, signal, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: LIMIT_MS });
  if (status !== 0) return `fails: ${reasonOf(stderr, signal)}`;
  const measurement = JSON.parse(stdout) as Measurement;
  for (const what of ['events', 'liveBytes'] as const) {
    if (measurement[what] !== null && measurement[what] !== truth[what]) {
      return `wrong: ${what} is ${String(measurement[what])}, not ${String(truth[what])}`;
    }
  }
  return { ...measurement, curve: stderr };
}

function reasonOf(stderr: string, signal: NodeJS.Signals | null): string {
  if (stderr.includes('heap out of memory')) return `more than ${HEAP_MIB} MiB of heap`;
  if (signal !== null) return `ended by ${signal}`;
  return (/^\w*Error.*$/m.exec(stderr)?.[0] ?? 'no reason given').replaceAll('|', '\\|').slice(0, 120);
}

function machine(): string {
  const [cpu] = cpus();
  const python = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  return (
    `Measured ${new Date().toISOString().slice(0, 10)} on ${cpus().length} × ${cpu.model.trim()}, ` +
    `${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}; Node ${process.versions.node}, ` +
    `${python.status === 0 ? python.stdout.trim() : 'no Python'}; load ${loadavg()[0].toFixed(1)} at the end.\n`
  );
}

/** Says what it was measured on, or writes both between the marks of that name. Formats as the linter wants it. */
function report(name: string, text: string): void {
  if (values.write !== true) {
    console.log(machine());
    return;
  }
  const path = join(here, 'README.md');
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const readme = readFileSync(path, 'utf8');
  const from = readme.indexOf(start);
  const to = readme.indexOf(end);
  if (from === -1 || to < from) throw new Error(`${path} has no place for what was ${name}.`);
  const written = `${readme.slice(0, from + start.length)}\n${machine()}\n${text}\n${readme.slice(to)}`;
  writeFileSync(path, written);
  spawnSync(process.execPath, [join(here, '../node_modules/oxfmt/bin/oxfmt'), path]);
}
