import type { SnapshotDigest } from '../core/digest/digest.js';
import { unpackSnapshot } from '../core/model/snapshotCodec.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { ReadProgress } from '../protocol/timelineData.js';
import type { Bytes } from '../core/model/units.js';
import { isSilent, type CacheSettings } from '../node/cacheFolder.js';
import type { FileState } from '../node/fileSource.js';
import { SnapshotCache } from '../node/snapshotCache.js';
import type { ReadingSettings } from '../protocol/workerApi.js';
import type { FileReading, OtherFile, ReadRequest, SnapshotFile } from './readerApi.js';

/** A file that the store wants read. */
export interface ReadWish<WantsDigest extends boolean = boolean> {
  readonly path: string;
  readonly bytes: Bytes;
  readonly wantsDigest: WantsDigest;
  /** Which snapshot of several, from 0; the first where left out. */
  readonly member?: number;
  /** When reading of this file began, by this thread's clock: all of it has one time. Now where left out. */
  readonly sinceMs?: number;
}

export interface ReadFile<WantsDigest extends boolean = boolean> {
  readonly kind: 'snapshot';
  /** Snapshots that the file holds. */
  readonly members: number;
  /** The state of the file that was read. The file may have been replaced since the request. */
  readonly state: FileState;
  /** Null for a stored digest: its columns are read on demand. */
  readonly snapshot: WantsDigest extends true ? Snapshot | null : Snapshot;
  readonly digest: WantsDigest extends true ? SnapshotDigest : null;
}

/** Who reads for the store. */
export interface SnapshotReader {
  /** @throws an error with a `reason` of `SnapshotErrorReason` */
  read<WantsDigest extends boolean>(
    wish: ReadWish<WantsDigest>,
    signal: AbortSignal,
    onProgress: (progress: ReadProgress) => void,
  ): Promise<ReadFile<WantsDigest> | OtherFile>;
}

/** Reads a request somewhere; a reader pool does, in a thread of its own. */
export type ReadSomewhere = (
  request: ReadRequest,
  bytes: Bytes,
  signal: AbortSignal,
  onProgress: (progress: ReadProgress) => void,
) => Promise<FileReading>;

/** Maximum size in bytes of columns that wait to be written; more would retain memory that the store has released. */
const MAX_WAITING: Bytes = 1 << 28;

/** Reads by the present settings, and stores the result in the background. */
export class SnapshotReading implements SnapshotReader {
  private storing: Promise<void> = Promise.resolve();
  private waiting: Bytes = 0;

  constructor(
    private readonly somewhere: ReadSomewhere,
    private settings: ReadingSettings,
    /** The version of the code that reads `somewhere`. */
    private readonly version: string,
  ) {}

  /** The present folder of the cache, or null. */
  get cacheSettings(): CacheSettings | null {
    return this.settings.cache;
  }

  /** Replaces the settings. Without a cache, all stored files are removed. */
  async configure(settings: ReadingSettings): Promise<void> {
    if (settings.cache?.maxBytes === 0) await this.clearCache();
    this.settings = settings;
  }

  async read<WantsDigest extends boolean>(
    { path, bytes, wantsDigest, member = 0, sinceMs = performance.now() }: ReadWish<WantsDigest>,
    signal: AbortSignal,
    onProgress: (progress: ReadProgress) => void,
  ): Promise<ReadFile<WantsDigest> | OtherFile> {
    type Wished = ReadFile<WantsDigest>;
    const kept = wantsDigest ? await this.cache?.digestOf(path, member) : null;
    if (kept != null) {
      const { state, members, digest } = kept;
      return { kind: 'snapshot', state, members, snapshot: null, digest } as ReadFile<true> as Wished;
    }
    const { timeLimitMs: whole, cache } = this.settings;
    const timeLimitMs = whole === null ? null : Math.max(1, whole - (performance.now() - sinceMs));
    const isAsked = cache !== null && cache.maxBytes > 0 && !isSilent(cache.folder);
    const request = { path, member, wantsDigest, timeLimitMs, cache: isAsked ? cache : null };
    const reading = await this.somewhere(request, bytes, signal, onProgress);
    if (reading.kind === 'other') return reading;
    const { kind, state, members, packed, digest } = reading;
    this.keep(reading, bytes);
    return { kind, state, members, snapshot: unpackSnapshot(packed), digest: digest as Wished['digest'] };
  }

  /** Removes all stored files, after pending writes. */
  async clearCache(): Promise<void> {
    const { cache } = this.settings;
    await this.storing;
    if (cache !== null) await new SnapshotCache(cache, this.version).clear();
  }

  /** Null without a cache. */
  private get cache(): SnapshotCache | null {
    const { cache } = this.settings;
    return cache === null || cache.maxBytes === 0 ? null : new SnapshotCache(cache, this.version);
  }

  private keep({ storeAs, storeDigestAs, packed, digest, members }: SnapshotFile, bytes: Bytes): void {
    const { cache } = this;
    if (cache === null) return;
    if (storeDigestAs !== null && digest !== null) {
      this.storing = this.storing.then(() => cache.storeDigest(storeDigestAs, { digest, members }));
    }
    if (storeAs === null || (this.waiting > 0 && this.waiting + bytes > MAX_WAITING)) return;
    this.waiting += bytes;
    this.storing = this.storing
      .then(() => cache.storeColumns(storeAs, packed, members))
      .finally(() => {
        this.waiting -= bytes;
      });
  }
}
