import type { ByteSource } from '../bytes/byteSource.js';
import type { EventColumns } from '../model/eventColumns.js';
import type { SpareColumns } from '../model/spareColumns.js';
import type { ReadResult } from './readResult.js';

export interface ReadOptions {
  /** Bytes per read; see `RunOptions`. */
  chunkSize?: number;
  /** Which snapshot of an input that holds several, from 0; the first where left out. */
  member?: number;
  signal?: AbortSignal;
  onProgress?: (fraction: number) => void;
  /** Gets the columns of the trace before they are filled, from formats that fill them piece by piece. */
  onEvents?: (columns: EventColumns) => void;
  /** Columns of a snapshot that is no longer used: such formats fill them again. */
  spare?: SpareColumns | undefined;
  /** True to take events of the trace from `spare` where it is of a later dump of the process, and not read them. */
  mayTakeEvents?: boolean;
  /** Time limit of reading in milliseconds, then a `SnapshotError` with the reason `limit`. */
  timeLimitMs?: number;
}

/** Services of the reader for a format. */
export interface ReadContext extends Pick<ReadOptions, 'chunkSize' | 'onEvents' | 'spare' | 'mayTakeEvents'> {
  /** Which snapshot of several to read, from 0. */
  readonly member: number;
  /** Reads the content of a container, of any kind. @throws SnapshotError */
  readInner(source: ByteSource): Promise<ReadResult>;
  /** Reads one of several inputs in a container, and the first inside it. @throws SnapshotError */
  readMember(source: ByteSource): Promise<ReadResult>;
}

/** One kind of input. */
export interface Format {
  /** Named in reports. */
  readonly id: string;
  /** True if the first bytes of an input look like this kind. Content decides, never the name. */
  sniff(head: Uint8Array): boolean;
  /** @throws SnapshotError */
  read(source: ByteSource, context: ReadContext): Promise<ReadResult>;
}
