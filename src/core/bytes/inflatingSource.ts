import { Gunzip, Inflate, type FlateError } from 'fflate';
import type { ByteSource, Unfolding } from './byteSource.js';
import { readFully } from './readFully.js';
import { LimitError } from './limitError.js';
import { SnapshotError } from './snapshotError.js';
import { t } from '../text/translate.js';

const TABLE = makeTable();

/** The expected output of a member of an archive. */
interface InflatedFacts {
  size: number;
  crc: number;
}

/** Bytes of compressed input per step; the largest step is a thousand times that. The first is for looks at a beginning. */
const INPUT_BYTES = 1 << 16;
const FIRST_BYTES = 1 << 10;

/** An input that unfolds into more than this many times its size, beyond the first bytes, is made to exhaust us. */
const MAX_RATIO = 500;
const RATIO_COUNTS_FROM = 1 << 26;
/** The same of a file with all that is packed in it, in each other or side by side; parts may be read several times. */
const FREE_OF_FILE = 1 << 29;
const MAX_OUTPUT = 64 * 2 ** 30;
/** Input without any output (headers, empty blocks) that is looked through. */
const MAX_IDLE = 1 << 20;
/** Members of a gzip file beyond the first ones are at least so long, on average. */
const MEMBERS = { free: 1024, bytes: 4096 };

const GZIP_TRAILER = 8;
const UNEXPECTED_END = 0;

/** Decompresses while reading forward. A read before the last step starts over. The end checks the checksum. */
class InflatingSource implements ByteSource {
  readonly size = Number.POSITIVE_INFINITY;
  /** The last output, `pieces` in a row from `start` on. */
  private pieces: Uint8Array[] = [];
  private start = 0;
  private end = 0;
  private consumed = 0;
  private crc = 0;
  private memberBytes = 0;
  private members = 0;
  /** Where the input stood when something last came out. */
  private lastOutput = 0;
  private finished = false;
  private stream: Gunzip | Inflate;

  constructor(
    private readonly source: ByteSource,
    /** Null for gzip, which carries them itself. */
    private readonly facts: InflatedFacts | null,
  ) {
    this.stream = this.open();
  }

  get name(): string {
    return this.source.name;
  }

  get unfolding(): Unfolding | undefined {
    return this.source.unfolding;
  }

  async read(offset: number, into: Uint8Array): Promise<number> {
    if (offset < this.start) this.restart();
    while (this.end <= offset && !this.finished) await this.step();
    let at = this.start;
    let filled = 0;
    for (const piece of this.pieces) {
      const from = offset + filled - at;
      at += piece.length;
      if (from >= piece.length) continue;
      const part = piece.subarray(from, from + into.length - filled);
      into.set(part, filled);
      filled += part.length;
      if (filled === into.length) break;
    }
    return filled;
  }

  private open(): Gunzip | Inflate {
    const ondata = (data: Uint8Array): void => {
      this.pieces.push(data);
      this.end += data.length;
      this.memberBytes += data.length;
      this.crc = crc32(data, this.crc);
    };
    if (this.facts !== null) return new Inflate(ondata);
    const gunzip = new Gunzip(ondata);
    gunzip.onmember = () => {
      this.crc = this.memberBytes = 0;
      this.members++;
      if (this.members > MEMBERS.free && this.members * MEMBERS.bytes > this.consumed) {
        throw this.tooEmpty();
      }
    };
    return gunzip;
  }

  private restart(): void {
    this.pieces = [];
    this.start = this.end = this.consumed = this.crc = this.memberBytes = this.members = this.lastOutput = 0;
    this.finished = false;
    this.stream = this.open();
  }

  private async step(): Promise<void> {
    this.pieces = [];
    this.start = this.end;
    const rest = this.source.size - this.consumed;
    const most = this.consumed === 0 ? FIRST_BYTES : INPUT_BYTES;
    const input = await readFully(this.source, this.consumed, Math.min(most, rest));
    this.consumed += input.length;
    const last = input.length === 0 || this.consumed >= this.source.size;
    try {
      this.stream.push(input, last);
    } catch (error) {
      if (SnapshotError.is(error)) throw error;
      if ((error as Partial<FlateError>).code === UNEXPECTED_END) throw this.truncated();
      throw new SnapshotError(
        'notASnapshot',
        t('{0} holds damaged compressed data before byte {1}. Copy or dump the file again.', this.name, this.consumed),
      );
    }
    if (this.pieces.some(({ length }) => length > 0)) this.lastOutput = this.consumed;
    else if (this.consumed - this.lastOutput > MAX_IDLE) throw this.tooEmpty();
    const ofThis = Math.min(this.consumed * MAX_RATIO, MAX_OUTPUT);
    if (this.end > Math.max(RATIO_COUNTS_FROM, ofThis)) throw this.tooLarge(ofThis, this.end);
    if (this.unfolding !== undefined) {
      this.unfolding.bytes += this.end - this.start;
      const ofFile = Math.max(FREE_OF_FILE, Math.min(this.unfolding.fileBytes * MAX_RATIO, MAX_OUTPUT));
      if (this.unfolding.bytes > ofFile) throw this.tooLarge(ofFile, this.unfolding.bytes);
    }
    if (last) {
      this.finished = true;
      await this.check();
    }
  }

  /** Compares the output with the facts of the archive. */
  private async check(): Promise<void> {
    let facts = this.facts;
    let size = this.memberBytes;
    if (facts === null) {
      const trailer = await readFully(this.source, Math.max(0, this.consumed - GZIP_TRAILER), GZIP_TRAILER);
      if (trailer.length < GZIP_TRAILER) throw this.truncated();
      const view = new DataView(trailer.buffer);
      facts = { crc: view.getUint32(0, true), size: view.getUint32(4, true) };
      size %= 2 ** 32;
    }
    if (facts.crc !== this.crc || facts.size !== size) throw this.truncated();
  }

  private tooLarge(most: number, asked: number): LimitError {
    return new LimitError(
      { kind: 'unpackedBytes', most, asked, offset: this.consumed },
      t(
        '{0} decompresses to more than {1} bytes, more than Leakline allows for its size. ' +
          'Decompress it yourself if you trust it.',
        this.name,
        asked,
      ),
    );
  }

  private tooEmpty(): LimitError {
    return new LimitError(
      {
        kind: 'emptyBytes',
        most: MAX_IDLE,
        asked: null,
        offset: this.consumed,
      },
      t(
        '{0} has many almost empty compressed parts before byte {1}. Decompress it yourself if you trust it.',
        this.name,
        this.consumed,
      ),
    );
  }

  private truncated(): SnapshotError {
    return new SnapshotError(
      'truncated',
      t(
        '{0} ends early, or its checksum is wrong: it is still being written, truncated or damaged. ' +
          'Wait until it is complete.',
        this.name,
      ),
    );
  }
}

/** The content of a gzip file with one member or several. Its `read` throws SnapshotError. */
export function gunzipSource(source: ByteSource): ByteSource {
  return new InflatingSource(source, null);
}

/** The content of raw deflate data. Its `read` throws SnapshotError. */
export function inflateSource(source: ByteSource, facts: InflatedFacts): ByteSource {
  return new InflatingSource(source, facts);
}

function makeTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    let value = i;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    table[i] = value;
  }
  return table;
}

/** The CRC-32 of gzip and zip. @param crc of the bytes before these, 0 at the start */
export function crc32(bytes: Uint8Array, crc = 0): number {
  let value = ~crc;
  for (const byte of bytes) value = (value >>> 8) ^ TABLE[(value ^ byte) & 255];
  return ~value >>> 0;
}
