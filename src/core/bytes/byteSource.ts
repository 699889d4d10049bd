/** Total decompressed bytes of a file, in any packing. The size of the file limits it. */
export interface Unfolding {
  readonly fileBytes: number;
  bytes: number;
}

/** A source of bytes. The core reads through this port only: from a disk, a buffer or a test. */
export interface ByteSource {
  /** Shown in messages; never opened. */
  readonly name: string;
  /** Size in bytes at opening; `Infinity` for compressed data. */
  readonly size: number;
  /** Of its file; absent without packed data. */
  readonly unfolding?: Unfolding | undefined;
  /** Fills `into` from `offset` on. @returns bytes read, 0 at the end. Reading backwards may be slow. */
  read(offset: number, into: Uint8Array): Promise<number>;
}
