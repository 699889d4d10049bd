import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../core/analysis/digest.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import { readSnapshot } from '../core/formats/readSnapshot.js';
import { openFile } from '../node/fileSource.js';
import { readRecording } from '../node/recordingFile.js';
import { walkFiles } from '../node/walkFiles.js';

/** A file to read. */
export interface Input {
  /** As the user wrote it, or found it. */
  readonly path: string;
  /** True if it was found in a folder: what is no snapshot there is none of our business. */
  readonly found: boolean;
}

const SNAPSHOT_NAME = /\.(?:pickle|pkl)(?:\.gz)?$/i;

/** Puts in place of each folder the files below it that may be snapshots. Every file comes once. */
export async function expandInputs(paths: readonly string[], complain: (message: string) => void): Promise<Input[]> {
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
    for await (const file of walkFiles(path, (name) => SNAPSHOT_NAME.test(name))) {
      add({ path: path.endsWith('/') ? path + file : `${path}/${file}`, found: true });
      any = true;
    }
    if (!any) complain(`${path} holds no snapshot: no file below it is named .pickle or .pkl. Name the files.`);
  }
  return [...inputs.values()];
}

/**
 * Reads one snapshot and condenses it; the columns are let go.
 * @throws SnapshotError
 */
export async function readDigest(path: string): Promise<SnapshotDigest> {
  const file = await openFile(path);
  try {
    return digestSnapshot(path, await readSnapshot(file.source), await readRecording(path));
  } finally {
    await file.close();
  }
}

/** Reads every input that is good, and complains about every other, one sentence each. */
export async function readDigests(
  inputs: readonly Input[],
  complain: (message: string) => void,
): Promise<SnapshotDigest[]> {
  const digests: SnapshotDigest[] = [];
  for (const { path, found } of inputs) {
    try {
      digests.push(await readDigest(path));
    } catch (error) {
      if (!SnapshotError.is(error)) throw error;
      const foreign = error.reason === 'notASnapshot' || error.reason === 'forbidden';
      if (!(found && foreign)) complain(error.message);
    }
  }
  if (digests.length === 0 && inputs.length > 0 && inputs.every(({ found }) => found)) {
    complain('No snapshot was found. Name files made by torch.cuda.memory._dump_snapshot.');
  }
  return digests;
}
