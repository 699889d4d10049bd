/** A workspace as years of work leave it: hundreds of Python files, and the snapshots of many runs. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TrainingRun, type Frame } from './trainingRun.js';

export interface LargeWorkspace {
  /** Every run, the oldest first. */
  readonly runs: readonly LargeRun[];
  /** Python files, relative to the folder. */
  readonly sources: readonly string[];
}

export interface LargeRun {
  /** Relative to the folder. */
  readonly folder: string;
  /** Names of its snapshots, the oldest first. */
  readonly snapshots: readonly string[];
  /** The line that leaks, and how much it has leaked at the end: by brute force. */
  readonly leak: { readonly file: string; readonly line: number; readonly bytes: number };
}

/** Where the training machine had the repository. */
const RECORDED_ROOT = '/mnt/jobs/41/code/many';
/** Entries of a trace: snapshots stay small, as those of a ring buffer. */
const RING = 40;
/** The first snapshot's time, milliseconds since the epoch; the others follow by the minute. */
const BEGUN = 1_760_000_000_000;
const LEAKING_LINE = 5;

const MODULE = `def prepare(batch):
    return batch.cuda()

history = []
def keep(loss): history.append(loss.clone())
`;

/** Fills a folder. Files have the times at which a training run would have written them. */
export function writeLargeWorkspace(
  folder: string,
  { runs = 20, snapshotsPerRun = 50, sources = 300 } = {},
): LargeWorkspace {
  const files = Array.from({ length: sources }, (_, i) => `pkg_${Math.floor(i / 20)}/module_${i}.py`);
  for (const file of files) write(join(folder, file), MODULE);
  const made: LargeRun[] = [];
  for (let run = 0; run < runs; run++) {
    const file = files[(run * 29) % files.length];
    made.push(writeRun(folder, run, snapshotsPerRun, file));
  }
  return { runs: made, sources: files };
}

function writeRun(root: string, ordinal: number, snapshots: number, file: string): LargeRun {
  const folder = `runs/run_${String(ordinal).padStart(3, '0')}`;
  const frame = (line: number, name: string): Frame => ({ filename: `${RECORDED_ROOT}/${file}`, line, name });
  const run = new TrainingRun(RING);
  run.allocate(5_000_000 + ordinal, []);
  const names: string[] = [];
  for (let step = 1; step <= snapshots; step++) {
    const batch = run.allocate(1_000_000 + 1000 * step, [frame(2, 'prepare')]);
    run.allocate(100_000 + 10_000 * ordinal, [frame(LEAKING_LINE, 'keep')]);
    run.free(batch);
    const name = `step_${String(step).padStart(4, '0')}.pickle`;
    const path = join(root, folder, name);
    write(path, run.dump());
    const time = (BEGUN + 60_000 * (ordinal * snapshots + step)) / 1000;
    utimesSync(path, time, time);
    names.push(name);
  }
  const bytes = run.liveBytes(`${RECORDED_ROOT}/${file}`, LEAKING_LINE);
  return { folder, snapshots: names, leak: { file, line: LEAKING_LINE, bytes } };
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
