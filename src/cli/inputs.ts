import { realpath, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../core/digest/digest.js';
import { rankByPattern, rankOf } from '../core/attribution/paths/pathRank.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import { readAll } from '../core/formats/readSnapshot.js';
import { splitMember } from '../core/model/memberPath.js';
import type { ByteSource } from '../core/bytes/byteSource.js';
import type { EventColumns } from '../core/model/eventColumns.js';
import { SpareColumns } from '../core/model/spareColumns.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Recording } from '../core/model/recording.js';
import type { Bytes, Microseconds } from '../core/model/units.js';
import type { OtherInputs } from '../core/report/otherInputs.js';
import { expectUnchanged, openFile, savedAtUs, type OpenFile } from '../node/fileSource.js';
import { readRecording } from '../node/recordingFile.js';
import { walkFiles } from '../node/walkFiles.js';
import { setFlagsFromString } from 'node:v8';

/** Receives a message about a bad input. @param isHarmless true if the report is complete nevertheless */
export type Complain = (message: string, isHarmless?: boolean) => void;

/** The streams that a command prints to. */
export interface Output {
  /** Standard output. @param written called once there is room for more */
  readonly print: (text: string, written?: () => void) => void;
  /** Standard error; one line. */
  readonly complain: Complain;
}

/** Receives the progress of a command. */
export interface Progress {
  /** Inputs that are not read: they took down who read them. */
  readonly excluded: ReadonlySet<string>;
  /** The next input is begun. */
  reading(path: string): void;
  /** A file was read. @param weight of its part of the report: the frames of its stacks */
  read(path: string, weight: number): void;
  /** All that there is to read is read. */
  analyzing(): void;
}

export interface CommandContext extends Output, Progress {
  /** Real folders that links in inputs and in the workspace may lead into; null for any. */
  readonly within: readonly string[] | null;
}

/** A file to read. */
export interface Input {
  /** The path, as `withNames` names it or as found in a folder. */
  readonly path: string;
  /** True if it was found in a folder: other files than snapshots are ignored there. */
  readonly found: boolean;
}

/** Snapshots, and the names of cycle graphs and memory logs. */
const INPUT_NAMES = [
  /\.(?:pickle|pkl)(?:\.gz)?$/i,
  /cycles?[^/\\]*\.(?:html|dot)$/i,
  /memory_stats[^/\\]*\.jsonl?(?:\.gz)?$/i,
  /memory_summary[^/\\]*\.txt$/i,
  /nvidia[-_]smi[^/\\]*\.csv$/i,
];

/** Replaces each folder by its files that may be snapshots, each file once, however many links lead to it. */
export async function expandInputs(
  paths: readonly string[],
  { complain, within }: Pick<CommandContext, 'complain' | 'within'>,
): Promise<Input[]> {
  const inputs = new Map<string, Input>();
  const add = (input: Input, real: string): void => {
    // A link can be all that says the rank.
    const key = `${rankOf(input.path) ?? rankOf(real)} ${real}`;
    const known = inputs.get(key);
    const isBetter = !input.found || basename(input.path) === basename(real);
    if (known === undefined || (known.found && isBetter)) inputs.set(key, input);
  };
  for (const path of paths) {
    const facts = await stat(path).catch(() => null);
    if (facts?.isDirectory() !== true) {
      add({ path, found: false }, await realpath(path).catch(() => resolve(path)));
      continue;
    }
    let any = false;
    const folder = path.endsWith('/') ? path : `${path}/`;
    const refused = (link: string, real: string): void => {
      const reason =
        within === null
          ? `to ${real}, which contains this folder or files of the system. Link to the folder of the snapshots.`
          : 'out of the folders of this server. Start the server with its folder.';
      complain(`${folder}${link} is skipped: it links ${reason}`, true);
    };
    const accept = (name: string): boolean => INPUT_NAMES.some((pattern) => pattern.test(name));
    for await (const file of walkFiles(path, accept, { within, refused })) {
      add({ path: folder + file.path, found: true }, file.real);
      any = true;
    }
    if (!any) complain(`${path} holds no snapshot: no file below it is named .pickle or .pkl. Name the files.`);
  }
  return [...inputs.values()];
}

/** The content of a file as digests: its columns are released. */
export interface Contents {
  /** Invalid files, with their messages. */
  readonly failed: { path: string; message: string }[];
  readonly digests: SnapshotDigest[];
  readonly trends: OtherInputs['trends'][number][];
  readonly cycles: OtherInputs['cycles'][number][];
}

export function noContents(): Contents {
  return { failed: [], digests: [], trends: [], cycles: [] };
}

export function isEmpty({ digests, trends, cycles }: Contents): boolean {
  return digests.length + trends.length + cycles.length === 0;
}

/** Appends contents to others. */
export function addContents(to: Contents, more: Contents): void {
  for (const kind of ['failed', 'digests', 'trends', 'cycles'] as const) to[kind].push(...(more[kind] as never[]));
}

/** Smaller files are read before much is compiled. */
const LARGE: Bytes = 1 << 20;

/** Options for reading the contents of a file. */
interface Beside {
  readonly recording: Recording | null;
  readonly rank: number | null;
  readonly savedAtUs: Microseconds | null;
}

/** @returns null to have all of the snapshot read */
export type DigestOf = (
  path: string,
  snapshot: Snapshot,
  recording: Recording | null,
  savedAtUs: Microseconds | null,
  tookEvents: boolean,
) => SnapshotDigest | null;

/** Columns that the next file fills: new ones for each would let the engine collect garbage for each. */
let spare: SpareColumns | undefined;

function wholeDigest(...[path, snapshot, recording, savedAtUs]: Parameters<DigestOf>): SnapshotDigest {
  return digestSnapshot(path, snapshot, recording, savedAtUs);
}

/**
 * Reads all that a source holds; or one of several snapshots in it, by its name.
 * @param digestOf null to have all of a snapshot read
 * @param mayTakeEvents see `ReadOptions`
 */
export async function contentsOf(
  source: ByteSource,
  beside: Beside,
  member: string | null = null,
  digestOf: DigestOf = wholeDigest,
  mayTakeEvents = false,
): Promise<Contents> {
  const contents = noContents();
  let columns: EventColumns | undefined;
  let filled = spare;
  // Until this file is digested.
  spare = undefined;
  const options = { spare: filled, mayTakeEvents, onEvents: (made: EventColumns) => (columns = made) };
  for await (const { path, result } of readAll(source, options)) {
    if (member !== null && path !== member) continue;
    if (result.kind === 'snapshot') {
      const tookEvents = result.tookEvents === true;
      const digest = digestOf(path, result.snapshot, beside.recording, beside.savedAtUs, tookEvents);
      if (digest === null) return contentsOf(source, beside, member, digestOf);
      if (!tookEvents && columns !== undefined) filled = new SpareColumns(columns, result.snapshot);
      digest.rank = beside.rank;
      contents.digests.push(digest);
    } else if (result.kind === 'trend') contents.trends.push({ path, trend: result.trend });
    else contents.cycles.push({ path, cycles: result.cycles });
    if (member !== null) break;
  }
  spare = filled;
  return contents;
}

/** Reads all of a file, or one of its snapshots, named like `page.html#2`. @throws SnapshotError */
export function readContents(
  { path }: Input,
  rankPattern: RegExp | null,
  digestOf: DigestOf = wholeDigest,
  mayTakeEvents = false,
): Promise<Contents> {
  return readNamed(path, async ({ source, state }, member) => {
    if (source.size >= LARGE) compileLess();
    const recording = await readRecording(path);
    const beside = { recording, rank: rankByPattern(path, rankPattern), savedAtUs: savedAtUs(state) };
    const contents = await contentsOf(source, beside, member, digestOf, mayTakeEvents);
    return isEmpty(contents) ? null : contents;
  });
}

/**
 * Reads a file, or one of the snapshots in it.
 * @param read gets the name of the one snapshot, null for the whole file; returns null if it is not there
 * @throws SnapshotError
 */
export async function readNamed<Result>(
  path: string,
  read: (file: OpenFile, member: string | null) => Promise<Result | null>,
): Promise<Result> {
  const isFile = (await stat(path).catch(() => null))?.isFile() === true;
  const member = isFile ? null : splitMember(path);
  const file = await openFile(member?.file ?? path);
  try {
    const result = await read(file, member === null ? null : path);
    await expectUnchanged(file);
    if (result !== null) return result;
  } finally {
    await file.close();
  }
  throw new SnapshotError('unreadable', `There is no ${path}: its file holds fewer snapshots. Name one of them.`);
}

/** Reads every valid input, and complains about each other one. @param order in which they are read */
export async function readInputs(
  inputs: readonly Input[],
  context: CommandContext,
  rankPattern: RegExp | null = null,
  read: (input: Input, rankPattern: RegExp | null) => Promise<Contents> = readContents,
  order = inputs,
): Promise<Contents> {
  const outcomes = new Map<Input, Contents | Refusal>();
  for (const input of order) {
    const { path } = input;
    if (context.excluded.has(path)) continue;
    try {
      context.reading(path);
      const contents = await read(input, rankPattern);
      outcomes.set(input, contents);
      context.read(path, weightOf(contents.digests));
    } catch (error) {
      if (!SnapshotError.is(error)) throw error;
      // Not the error: its stack keeps the reader with its buffers, until it is formatted.
      outcomes.set(input, { reason: error.reason, message: error.message });
    }
  }
  const all = noContents();
  for (const input of inputs) {
    const outcome = outcomes.get(input);
    if (outcome === undefined) continue;
    if (!('reason' in outcome)) addContents(all, outcome);
    else if (!input.found || !isForeign(outcome)) {
      all.failed.push({ path: input.path, message: outcome.message });
      context.complain(outcome.message);
    }
  }
  if (isEmpty(all) && context.excluded.size === 0 && inputs.length > 0 && inputs.every(({ found }) => found)) {
    context.complain('No snapshot was found. Name files made by torch.cuda.memory._dump_snapshot.');
  }
  return all;
}

/** Why a file could not be read. */
type Refusal = Pick<SnapshotError, 'reason' | 'message'>;

/** True for a file that is something else: in a folder it is not complained about. */
export function isForeign({ reason }: Refusal): boolean {
  return reason === 'notASnapshot' || reason === 'forbidden';
}

/** Reads the one snapshot that a name stands for. @throws SnapshotError */
export async function readOneSnapshot(path: string, context: CommandContext): Promise<SnapshotDigest> {
  context.reading(path);
  const { digests } = await readContents({ path, found: false }, null);
  context.read(path, weightOf(digests));
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

/**
 * Makes Node 20 compile less: for a report on 100 MB, the compiler took a third of the CPU time. Functions are
 * optimized later and inline less, and a long loop waits for its code instead of running slowly. V8 reads these flags at
 * each decision, so they may change at run time. Later versions gain nothing. Call this after loading: Node's code cache
 * needs unchanged flags.
 */
function compileLess(): void {
  if (!process.versions.node.startsWith('20.')) return;
  setFlagsFromString('--interrupt-budget=270336');
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=200');
  setFlagsFromString('--no-concurrent-osr');
}
