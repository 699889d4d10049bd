import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../core/digest/digest.js';
import { rankByPattern } from '../core/runs/runNames.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import { readAll } from '../core/formats/readSnapshot.js';
import { splitMember } from '../core/model/memberPath.js';
import type { ByteSource } from '../core/bytes/byteSource.js';
import type { Recording } from '../core/model/recording.js';
import type { Microseconds } from '../core/model/units.js';
import type { OtherInputs } from '../core/report/otherInputs.js';
import { expectUnchanged, openFile, savedAtUs } from '../node/fileSource.js';
import { readRecording } from '../node/recordingFile.js';
import { walkFiles } from '../node/walkFiles.js';

/** Takes one sentence about a bad input. */
export type Complain = (message: string) => void;

/** Where a command's words go. */
export interface Words {
  /** Standard output. */
  readonly print: (text: string) => void;
  readonly complain: Complain;
}

/** Who is told how far a command is. */
export interface Progress {
  /** Inputs that are not read: they took down who read them. */
  readonly setAside: ReadonlySet<string>;
  /** The next input is begun. */
  reading(path: string): void;
  /** It is read. @param weight of what a report has to do with it: frames that its stacks mention */
  read(path: string, weight: number): void;
  /** All that there is to read is read. */
  judging(): void;
}

export type Desk = Words & Progress;

/** A file to read. */
export interface Input {
  /** As the user wrote it, or found it. */
  readonly path: string;
  /** True if it was found in a folder: what is not a snapshot there is none of our business. */
  readonly found: boolean;
}

/** Snapshots, and what PyTorch's cycle detector and logs of memory are called beside them. */
const INPUT_NAMES = [
  /\.(?:pickle|pkl)(?:\.gz)?$/i,
  /cycles?[^/\\]*\.(?:html|dot)$/i,
  /memory_stats[^/\\]*\.jsonl?(?:\.gz)?$/i,
  /memory_summary[^/\\]*\.txt$/i,
  /nvidia[-_]smi[^/\\]*\.csv$/i,
];

/** Puts in place of each folder the files below it that may be snapshots. Every file comes once. */
export async function expandInputs(paths: readonly string[], complain: Complain): Promise<Input[]> {
  const inputs = new Map<string, Input>();
  const add = (input: Input): void => {
    const key = resolve(input.path);
    if (!inputs.has(key) || !input.found) inputs.set(key, input);
  };
  for (const path of paths) {
    const facts = await stat(path).catch(() => null);
    if (facts?.isDirectory() !== true) {
      add({ path, found: false });
      continue;
    }
    let any = false;
    for await (const file of walkFiles(path, (name) => INPUT_NAMES.some((pattern) => pattern.test(name)))) {
      add({ path: path.endsWith('/') ? path + file : `${path}/${file}`, found: true });
      any = true;
    }
    if (!any) complain(`${path} holds no snapshot: no file below it is named .pickle or .pkl. Name the files.`);
  }
  return [...inputs.values()];
}

/** What a file holds, condensed: the columns of snapshots are released. */
export interface Contents {
  /** Files that are no good, with the sentence that says so. */
  readonly failed: { path: string; message: string }[];
  readonly digests: SnapshotDigest[];
  readonly trends: OtherInputs['trends'][number][];
  readonly cycles: OtherInputs['cycles'][number][];
}

/** What the contents of a file are read with. */
interface Beside {
  readonly recording: Recording | null;
  readonly rank: number | null;
  readonly savedAtUs: Microseconds | null;
}

/** Reads all that a source holds; or one of several snapshots in it, by its name. */
export async function contentsOf(source: ByteSource, beside: Beside, member: string | null = null): Promise<Contents> {
  const contents: Contents = { failed: [], digests: [], trends: [], cycles: [] };
  for await (const { path, result } of readAll(source)) {
    if (member !== null && path !== member) continue;
    if (result.kind === 'snapshot') {
      const digest = digestSnapshot(path, result.snapshot, beside.recording, beside.savedAtUs);
      contents.digests.push({ ...digest, rank: beside.rank });
    } else if (result.kind === 'trend') contents.trends.push({ path, trend: result.trend });
    else contents.cycles.push({ path, cycles: result.cycles });
    if (member !== null) break;
  }
  return contents;
}

/**
 * Reads all that a file holds, or one of several snapshots in it, named like `page.html#2`.
 * @throws SnapshotError
 */
export async function readContents({ path }: Input, rankPattern: RegExp | null): Promise<Contents> {
  const member = (await isFile(path)) ? null : splitMember(path);
  const file = await openFile(member?.file ?? path);
  try {
    const recording = await readRecording(path);
    const rank = rankByPattern(path, rankPattern);
    const beside = { recording, rank, savedAtUs: savedAtUs(file.state) };
    const contents = await contentsOf(file.source, beside, member === null ? null : path);
    await expectUnchanged(file);
    if (contents.digests.length + contents.trends.length + contents.cycles.length > 0) return contents;
  } finally {
    await file.close();
  }
  throw new SnapshotError('unreadable', `There is no ${path}: its file holds fewer snapshots. Name one of them.`);
}

/** Reads every input that is good, and complains about every other, one sentence each. */
export async function readInputs(
  inputs: readonly Input[],
  desk: Desk,
  rankPattern: RegExp | null = null,
  read = readContents,
): Promise<Contents> {
  const { complain } = desk;
  const all: Contents = { failed: [], digests: [], trends: [], cycles: [] };
  for (const input of inputs) {
    const { path, found } = input;
    if (desk.setAside.has(path)) continue;
    try {
      desk.reading(path);
      const { digests, trends, cycles } = await read(input, rankPattern);
      all.digests.push(...digests);
      all.trends.push(...trends);
      all.cycles.push(...cycles);
      desk.read(path, weightOf(digests));
    } catch (error) {
      if (!SnapshotError.is(error)) throw error;
      if (found && isForeign(error)) continue;
      all.failed.push({ path, message: error.message });
      complain(error.message);
    }
  }
  const nothing = all.digests.length + all.trends.length + all.cycles.length === 0;
  if (nothing && desk.setAside.size === 0 && inputs.length > 0 && inputs.every(({ found }) => found)) {
    complain('No snapshot was found. Name files made by torch.cuda.memory._dump_snapshot.');
  }
  return all;
}

/** True of a file that is something else: in a folder it is not complained about. */
export function isForeign({ reason }: SnapshotError): boolean {
  return reason === 'notASnapshot' || reason === 'forbidden';
}

/**
 * Reads the one snapshot that a name stands for.
 * @throws SnapshotError
 */
export async function readOneSnapshot(path: string, desk: Desk): Promise<SnapshotDigest> {
  desk.reading(path);
  const { digests } = await readContents({ path, found: false }, null);
  desk.read(path, weightOf(digests));
  if (digests.length === 1) return digests[0];
  throw new SnapshotError(
    'unsupported',
    digests.length === 0
      ? `${path} holds no snapshot, so there is nothing to compare. Name one made by torch.cuda.memory._dump_snapshot.`
      : `${path} holds ${digests.length} snapshots. Name one of them, such as ${digests[0].path}.`,
  );
}

function weightOf(digests: readonly SnapshotDigest[]): number {
  return digests.reduce(
    (sum, { frames, groups }) => groups.reduce((all, group) => all + group.frames.length, sum + frames.length),
    0,
  );
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true;
}
