/** Digests of a fleet's tasks, see `node/fleetFolder.ts`: facts on snapshots elsewhere. */
import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import type { SnapshotDigest } from '../core/digest/digest.js';
import { splitMember } from '../core/model/memberPath.js';
import type { Bytes } from '../core/model/units.js';
import { t } from '../core/text/translate.js';
import { copyKey, digestKey } from '../node/contentKey.js';
import { openFile, type OpenFile } from '../node/fileSource.js';
import { OtherVersionError, readFleetFile } from '../node/fleetFile.js';
import { readSidecar } from '../node/recordingFile.js';
import { VERSION } from '../node/version.js';

export interface DigestFile {
  readonly digest: SnapshotDigest;
  /** Snapshots that the snapshot's file holds. */
  readonly members: number;
  /** The key of the snapshot, see `snapshotKey`; empty if the name has none. */
  readonly key: string;
  /** The folder that contains OUT: a snapshot that was copied with its digest lies there. */
  readonly folder: string;
}

export function isDigestFile(path: string): boolean {
  return path.endsWith('.lkd');
}

/** The key that the digest of an open snapshot is named with. */
export async function snapshotKey(file: OpenFile, path: string): Promise<string> {
  return digestKey(await copyKey(file, VERSION), await readSidecar(path));
}

/** Reads a digest. A relative path of its snapshot starts at the folder that contains OUT. @throws SnapshotError */
export async function readDigestFile(path: string): Promise<DigestFile> {
  const input = await readFleetFile(path).catch((error: unknown) => {
    if (error instanceof OtherVersionError)
      throw new SnapshotError('unsupported', t('{0} is of a different version of Leakline. Digest again.', path));
    throw new SnapshotError(
      'unreadable',
      t('{0} is not a digest that can be trusted. Remove it and digest again.', path),
    );
  });
  if (!('digest' in input))
    throw new SnapshotError(
      'unsupported',
      t('{0} holds a log or a cycle graph, not a snapshot. Open the file that it was made from.', input.name),
    );
  const { digest, members } = input;
  const isWhole = isAbsolute(digest.path) || /^\w+:[/\\]/.test(digest.path);
  const folder = resolve(path, '../../../../..');
  const place = isWhole ? digest.path : resolve(folder, digest.path);
  const key = /-([0-9a-f]{40})(?:-\d+)?\.lkd$/.exec(path)?.[1] ?? '';
  return { digest: { ...digest, path: place }, members, key, folder };
}

/** The path of a digest's snapshot, if it exists and is equal. @throws SnapshotError `unreadable`, with advice */
export async function snapshotOf({
  digest,
  members,
  key,
  folder,
}: DigestFile): Promise<{ file: string; member: number; bytes: Bytes }> {
  const part = members > 1 ? splitMember(digest.path) : null;
  const recorded = part?.file ?? digest.path;
  const isRemote = /^[/\\]{2}/.test(recorded); // no machine is asked because a file names it
  const path = isRemote ? recorded : await placeOf(recorded, folder);
  const file = isRemote ? null : await openFile(path).catch(() => null);
  if (file === null)
    throw new SnapshotError(
      'unreadable',
      t('The timeline needs the snapshot itself, which lies at {0}. Copy it here.', path),
    );
  try {
    if ((await snapshotKey(file, path)) === key)
      return { file: path, member: part?.index ?? 0, bytes: file.state.size };
  } finally {
    await file.close();
  }
  throw new SnapshotError(
    'unreadable',
    t('{0} is a different snapshot from the one that was digested. Digest again.', path),
  );
}

/** The path of a file, or of its copy: as many of its folders as there are, below another folder. */
async function placeOf(path: string, folder: string): Promise<string> {
  const parts = path.split(/[/\\]/);
  const copies = parts.slice(1).map((_, i) => join(folder, ...parts.slice(i + 1)));
  for (const place of [path, ...copies]) if ((await stat(place).catch(() => null))?.isFile() === true) return place;
  return path;
}
