/** Decompresses gzip with one member or several. */
export interface Gunzip {
  /** @param last true for the last input @returns its output @throws Error with the code and message of zlib */
  push(input: Uint8Array, last: boolean): Promise<readonly Uint8Array[]>;
}

/** Total decompressed bytes of a file, in any packing. The size of the file limits it. */
export interface Unfolding {
  readonly fileBytes: number;
  bytes: number;
  /** Decompression by the opener of the file, because the core has none. */
  gunzip(): Gunzip;
}

/** A source of bytes. The core reads through this port only: from a disk, a buffer or a test. */
export interface ByteSource {
  /** Shown in messages; never opened. */
  readonly name: string;
  /** Size in bytes at opening; `Infinity` for compressed data. */
  readonly size: number;
  /** How compressed parts of the file are decompressed. */
  readonly unfolding: Unfolding;
  /** Fills `into` from `offset` on. @returns bytes read, 0 at the end. Reading backwards may be slow. */
  read(offset: number, into: Uint8Array): Promise<number>;
}
