/** Total decompressed bytes of a file, in any packing. The size of the file limits it. */
export interface Unfolding {
  readonly fileBytes: number;
  bytes: number;
}

/** Where bytes come from. The core reads through this port only, so it runs the same on a disk, a buffer or a test. */
export interface ByteSource {
  /** Shown in messages; never opened. */
  readonly name: string;
  /** Size in bytes at opening; `Infinity` for compressed data. */
  readonly size: number;
  /** Of the file that it lies in; left out of sources that hold nothing packed. */
  readonly unfolding?: Unfolding | undefined;
  /** Fills `into` from `offset` on. @returns bytes read, 0 at the end. Reading backwards may be slow. */
  read(offset: number, into: Uint8Array): Promise<number>;
}
