import type { SnapshotDigest } from '../core/analysis/digest.js';
import { unpackSnapshot, type PackedSnapshot } from '../core/model/snapshotCodec.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Bytes } from '../core/model/units.js';
import { ColumnCache } from '../node/columnCache.js';
import type { FileState } from '../node/fileSource.js';
import type { ReadingSettings } from '../protocol/workerApi.js';
import type { FileReading, OtherFile, ReadRequest } from './readerApi.js';

/** A file that the store wants read. */
export interface ReadWish<WantsDigest extends boolean = boolean> {
  readonly path: string;
  readonly bytes: Bytes;
  readonly wantsDigest: WantsDigest;
  /** Which snapshot of several, from 0; the first where left out. */
  readonly member?: number;
}

export interface ReadFile<WantsDigest extends boolean = boolean> {
  readonly kind: 'snapshot';
  /** Snapshots that the file holds. */
  readonly members: number;
  /** Of the file that was read, which may be another one than was there when it was asked for. */
  readonly state: FileState;
  readonly snapshot: Snapshot;
  readonly digest: WantsDigest extends true ? SnapshotDigest : null;
}

/** Who reads for the store. */
export interface SnapshotReader {
  /** @throws an error with a `reason` of `SnapshotErrorReason` */
  read<WantsDigest extends boolean>(
    wish: ReadWish<WantsDigest>,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<ReadFile<WantsDigest> | OtherFile>;
}

/** Reads a request somewhere; a reader pool does, in a thread of its own. */
export type ReadSomewhere = (
  request: ReadRequest,
  bytes: Bytes,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
) => Promise<FileReading>;

/** Columns that wait to be written; more of them would keep memory that the store has given up. */
const MOST_WAITING: Bytes = 1 << 28;

/** Reads by the present settings, and keeps columns for the next time, in the background. */
export class SnapshotReading implements SnapshotReader {
  private storing: Promise<void> = Promise.resolve();
  private waiting: Bytes = 0;

  constructor(
    private readonly somewhere: ReadSomewhere,
    private settings: ReadingSettings,
  ) {}

  /** Reads otherwise from now on. What was kept goes if nothing is to be kept. */
  async configure(settings: ReadingSettings): Promise<void> {
    if (settings.cache?.maxBytes === 0) await this.clearCache();
    this.settings = settings;
  }

  async read<WantsDigest extends boolean>(
    { path, bytes, wantsDigest, member = 0 }: ReadWish<WantsDigest>,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<ReadFile<WantsDigest> | OtherFile> {
    const { timeLimitMs, cache } = this.settings;
    const request = { path, member, wantsDigest, timeLimitMs, cache: cache?.maxBytes === 0 ? null : cache };
    const reading = await this.somewhere(request, bytes, signal, onProgress);
    if (reading.kind === 'other') return reading;
    const { kind, state, members, packed, digest, storeAs } = reading;
    if (storeAs !== null) this.keep(storeAs, packed, bytes);
    const snapshot = unpackSnapshot(packed);
    return { kind, state, members, snapshot, digest: digest as ReadFile<WantsDigest>['digest'] };
  }

  /** Removes all kept columns, once those are written that wait to be. */
  async clearCache(): Promise<void> {
    const { cache } = this.settings;
    await this.storing;
    if (cache !== null) await new ColumnCache(cache).clear();
  }

  private keep(key: string, packed: PackedSnapshot, bytes: Bytes): void {
    const { cache } = this.settings;
    if (cache === null || (this.waiting > 0 && this.waiting + bytes > MOST_WAITING)) return;
    this.waiting += bytes;
    this.storing = this.storing
      .then(() => new ColumnCache(cache).store(key, packed))
      .finally(() => {
        this.waiting -= bytes;
      });
  }
}
