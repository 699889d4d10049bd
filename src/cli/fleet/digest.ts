import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseRecording } from '../../core/formats/recordingSidecar.js';
import { readFully } from '../../core/bytes/readFully.js';
import { SnapshotError } from '../../core/bytes/snapshotError.js';
import { visibleText } from '../../core/text/plainText.js';
import type { Bytes } from '../../core/model/units.js';
import { rankByPattern, rankOf } from '../../core/attribution/paths/pathRank.js';
import { copyKey, digestKey } from '../../node/contentKey.js';
import { expectUnchanged, openFile, savedAtUs } from '../../node/fileSource.js';
import { writeFleetFile, type FleetInput } from '../../node/fleetFile.js';
import { FleetFolder, groupOf } from '../../node/fleetFolder.js';
import { readSidecar } from '../../node/recordingFile.js';
import { VERSION } from '../../node/version.js';
import type { AnalyzeArguments, DigestArguments } from '../arguments.js';
import { contentsOf, expandInputs, isForeign, type CommandContext } from '../inputs.js';
import { temporaryFolder } from '../leftovers.js';
import { isOfShard, shardOf } from './shard.js';

/** Other inputs than snapshots are stored completely, up to this size. */
const MAX_COPIED: Bytes = 64 << 20;

/** The result of an input. */
export interface FinishedInput {
  /** One that is something else is passed over as if it were there. */
  readonly as: 'read' | 'there' | 'failed';
  /** Why it failed. */
  readonly message: string;
  /** The first of its digests, null if it has none. */
  readonly target: string | null;
}

/**
 * Writes each missing digest of this task's shard.
 * @param finished digests from other threads, by path
 * @returns false: `--fail-on` does not apply
 */
export async function digestInputs(
  command: DigestArguments,
  context: CommandContext,
  finished: ReadonlyMap<string, FinishedInput>,
): Promise<boolean> {
  const { rankPattern } = command;
  const folder = new FleetFolder(command.out);
  const shard = shardOf(command.shard, command.shards, process.env);
  await folder.sweep();
  const done = { read: 0, there: 0, failed: 0 };
  const streamed = command.name === null ? null : await standardInput();
  try {
    const inputs =
      streamed === null
        ? (await expandInputs(command.inputs, context)).map((input) => ({ ...input, name: input.path }))
        : [{ path: streamed.path, found: false, name: command.name ?? '' }];
    for (const { path, name, found } of inputs) {
      if (context.excluded.has(path) || !isOfShard(shard, name, rankPattern)) continue;
      context.reading(path);
      if (!found && (await stat(path).catch(() => null)) === null)
        context.complain(`${path} cannot be read: there is no such file. Check the path.`);
      else {
        const { as, message } = finished.get(path) ?? (await digestOne(folder, { path, name, found }, rankPattern));
        done[as]++;
        if (as === 'failed') context.print(`${visibleText(message)}\n`);
      }
      context.read(path, 0);
    }
  } finally {
    await streamed?.remove();
  }
  const part = shard.from === '' ? '' : ` (shard ${shard.index} of ${shard.count}, by ${shard.from})`;
  context.print(`${command.out}: ${done.read} read, ${done.there} there, ${done.failed} failed${part}.\n`);
  return false;
}

/** Digests inputs in parallel threads. @param turns the index of the next input, shared by all threads */
export async function digestBeside(
  command: DigestArguments | AnalyzeArguments,
  context: CommandContext,
  turns: Int32Array,
  onFinished: (path: string, finished: FinishedInput) => void,
): Promise<void> {
  const isDigest = command.command === 'digest';
  const path = isDigest ? command.out : command.cache;
  if (path === null) return;
  const folder = new FleetFolder(path);
  const shard = isDigest ? shardOf(command.shard, command.shards, process.env) : null;
  let turn = Atomics.add(turns, 0, 1);
  for (const [place, input] of (await expandInputs(command.inputs, context)).entries()) {
    if (place !== turn) continue;
    const name = input.path;
    const isOurs = shard === null || isOfShard(shard, name, command.rankPattern);
    if (isOurs && !context.excluded.has(name) && (await stat(name).catch(() => null)) !== null) {
      context.reading(name);
      try {
        onFinished(name, await digestOne(folder, { ...input, name }, command.rankPattern));
      } catch (error) {
        // The folder accepts no more files: the thread with the remaining inputs reports it.
        if (error instanceof Error && 'code' in error) return;
        throw error;
      }
    }
    turn = Atomics.add(turns, 0, 1);
  }
}

interface NamedInput {
  readonly path: string;
  /** The name in the report. */
  readonly name: string;
  readonly found: boolean;
}

/** Writes the digest of an input, if it is not there. */
export async function digestOne(
  folder: FleetFolder,
  { path, name, found }: NamedInput,
  rankPattern: RegExp | null,
): Promise<FinishedInput> {
  // Standard input is a file elsewhere.
  const sidecar = await readSidecar(name);
  const recording = sidecar === null ? null : parseRecording(sidecar);
  const rank = rankByPattern(name, rankPattern);
  const group = groupOf(name, rank ?? recording?.rank ?? rankOf(name));
  let key = '';
  try {
    const file = await openFile(path);
    try {
      key = digestKey(await copyKey(file, VERSION), sidecar);
      const target = folder.digestPath(group, name, key);
      if ((await stat(target).catch(() => null)) !== null) return { as: 'there', message: '', target };
      const source = { ...file.source, name };
      const { digests, trends, cycles } = await contentsOf(source, { recording, rank, savedAtUs: null });
      await expectUnchanged(file);
      const finished: FleetInput[] = digests.map((digest) => ({ digest, members: digests.length }));
      if (trends.length + cycles.length > 0) {
        if (source.size > MAX_COPIED)
          throw new SnapshotError(
            'unsupported',
            `${name} is a log or a cycle graph over 64 MiB, which digests do not hold. Name it to analyze.`,
          );
        finished.push({ name, bytes: await readFully(source, 0, source.size) });
      }
      // The first digest is written last: with it, all exist.
      for (const [member, input] of [...finished.entries()].reverse()) {
        const place = member === 0 ? target : folder.digestPath(group, name, `${key}-${member}`);
        await folder.write(place, await writeFleetFile(input), { savedAtUs: savedAtUs(file.state) });
      }
      await folder.forgive(group, name);
      return { as: 'read', message: '', target };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!SnapshotError.is(error)) throw error;
    if (found && isForeign(error)) return { as: 'there', message: '', target: null };
    const note = { schema: 'leakline.failed/1', path: name, message: error.message.replaceAll(path, name) };
    await folder.write(folder.notePath(group, name, key), `${JSON.stringify(note)}\n`);
    return { as: 'failed', message: note.message, target: null };
  }
}

/** Standard input in a file: its key needs all of it, and reading may go back. */
async function standardInput(): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await temporaryFolder();
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'input.pickle');
  try {
    await pipeline(createReadStream('', { fd: 0, autoClose: false }), createWriteStream(path));
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}
