/** The calls from the worker to the threads that read files. */
import type { SnapshotDigest } from '../core/digest/digest.js';
import type { OtherResult } from '../core/formats/readResult.js';
import type { PackedSnapshot } from '../core/model/snapshotCodec.js';
import type { Translations } from '../core/text/translate.js';
import type { CacheSettings } from '../node/cacheFolder.js';
import type { ReadProgress } from '../protocol/timelineData.js';
import type { FileState } from '../node/fileSource.js';

export interface ReadRequest {
  readonly path: string;
  /** Null if columns are not stored. */
  readonly cache: CacheSettings | null;
  /** Milliseconds, null for no limit. */
  readonly timeLimitMs: number | null;
  /** False if the digest is known. */
  readonly wantsDigest: boolean;
  /** Which snapshot of a file that holds several, from 0. */
  readonly member: number;
}

export interface SnapshotFile {
  readonly kind: 'snapshot';
  /** The state of the file that was read. */
  readonly state: FileState;
  /** Snapshots that the file holds. */
  readonly members: number;
  readonly packed: PackedSnapshot;
  readonly digest: SnapshotDigest | null;
  /** The folder for the columns, null if they are stored already or too small. */
  readonly storeAs: string | null;
  /** The folder for the digest, null if it is stored already or too small. */
  readonly storeDigestAs: string | null;
}

/** A file without lines: it is small, and needs no columns. */
export interface OtherFile {
  readonly kind: 'other';
  readonly state: FileState;
  readonly result: OtherResult;
}

export type FileReading = SnapshotFile | OtherFile;

/** The start data of a reader thread. */
export interface ReaderStart {
  /** Translations of its sentences. */
  readonly translations: Translations;
}

export type ReaderApi = {
  /** Reads one file, or takes its columns from the cache. Fails with the reasons of `SnapshotErrorReason`. */
  read: { params: ReadRequest; result: FileReading };
};

export type ReaderEvents = {
  progress: { path: string } & ReadProgress;
};
