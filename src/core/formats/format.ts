import type { ByteSource } from '../bytes/byteSource.js';
import type { Snapshot } from '../model/snapshot.js';

export interface ReadOptions {
  /** Bytes per read; see `RunOptions`. */
  chunkSize?: number;
  signal?: AbortSignal;
  onProgress?: (fraction: number) => void;
}

/** One kind of input. */
export interface Format {
  /** Named in reports. */
  readonly id: string;
  /** True if the first bytes of an input look like this kind. Content decides, never the name. */
  sniff(head: Uint8Array): boolean;
  /** @throws SnapshotError */
  read(source: ByteSource, options: ReadOptions): Promise<Snapshot>;
}
