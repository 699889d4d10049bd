import type { ByteSource, Gunzip, Unfolding } from './byteSource.js';
import { readFully } from './readFully.js';
import { SnapshotError } from './snapshotError.js';
import { t } from '../text/translate.js';

/** The expected output of a member of a zip archive. */
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
/** Output that a file may have in any case, with all that is packed in it; parts may be read several times. */
const FREE_OF_FILE = 1 << 29;
const MAX_OUTPUT = 64 * 2 ** 30;
/** Input without any output (headers, empty blocks) that is looked through. */
const MAX_IDLE = 1 << 20;

/** The shortest header of gzip, without name and time. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
const GZIP_TRAILER = 8;

/** Decompresses while reading forward. A read before the last step starts over. */
class InflatingSource implements ByteSource {
  readonly size = Number.POSITIVE_INFINITY;
  /** The last output, `pieces` in a row from `start` on. */
  private pieces: readonly Uint8Array[] = [];
  private start = 0;
  private end = 0;
  private consumed = 0;
  /** Where the input stood when something last came out. */
  private lastOutput = 0;
  private finished = false;
  private stream: Gunzip;

  constructor(private readonly source: ByteSource) {
    this.stream = this.unfolding.gunzip();
  }

  get name(): string {
    return this.source.name;
  }

  get unfolding(): Unfolding {
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

  private restart(): void {
    this.pieces = [];
    this.start = this.end = this.consumed = this.lastOutput = 0;
    this.finished = false;
    this.stream = this.unfolding.gunzip();
  }

  private async step(): Promise<void> {
    this.pieces = [];
    this.start = this.end;
    const rest = this.source.size - this.consumed;
    const max = this.consumed === 0 ? FIRST_BYTES : INPUT_BYTES;
    const input = await readFully(this.source, this.consumed, Math.min(max, rest));
    this.consumed += input.length;
    const last = input.length === 0 || this.consumed >= this.source.size;
    try {
      this.pieces = await this.stream.push(input, last);
    } catch (error) {
      throw this.failure(error as Error & { code?: unknown });
    }
    for (const { length } of this.pieces) this.end += length;
    if (this.end > this.start) this.lastOutput = this.consumed;
    else if (this.consumed - this.lastOutput > MAX_IDLE) throw this.tooEmpty();
    const ofThis = Math.min(this.consumed * MAX_RATIO, MAX_OUTPUT);
    if (this.end > Math.max(RATIO_COUNTS_FROM, ofThis)) throw this.tooLarge(this.end);
    this.unfolding.bytes += this.end - this.start;
    const ofFile = Math.max(FREE_OF_FILE, Math.min(this.unfolding.fileBytes * MAX_RATIO, MAX_OUTPUT));
    if (this.unfolding.bytes > ofFile) throw this.tooLarge(this.unfolding.bytes);
    this.finished = last;
  }

  private tooLarge(asked: number): SnapshotError {
    return new SnapshotError(
      'limit',
      t(
        '{0} decompresses to more than {1} bytes, more than Leakline allows for its size. ' +
          'Decompress it yourself if you trust it.',
        this.name,
        asked,
      ),
    );
  }

  private tooEmpty(): SnapshotError {
    return new SnapshotError(
      'limit',
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

  private failure({ code, message }: { code?: unknown; message: string }): SnapshotError {
    if (code === 'Z_BUF_ERROR' || /^incorrect (?:data|length) check$/.test(message)) return this.truncated();
    return new SnapshotError(
      'notASnapshot',
      t('{0} holds damaged compressed data before byte {1}. Copy or dump the file again.', this.name, this.consumed),
    );
  }
}

/** The content of a gzip file with one member or several. Its `read` throws SnapshotError. */
export function gunzipSource(source: ByteSource): ByteSource {
  return new InflatingSource(source);
}

/** The content of raw deflate data. Its `read` throws SnapshotError. */
export function inflateSource(source: ByteSource, facts: InflatedFacts): ByteSource {
  return new InflatingSource(asGzip(source, facts));
}

/** Deflate data between the header and the trailer of gzip, so that its checksum is compared as well. */
function asGzip(deflated: ByteSource, { crc, size }: InflatedFacts): ByteSource {
  const trailer = new DataView(new ArrayBuffer(GZIP_TRAILER));
  trailer.setUint32(0, crc, true);
  trailer.setUint32(4, size, true);
  const end = GZIP_HEADER.length + deflated.size;
  const around = new Uint8Array(trailer.buffer);
  return {
    name: deflated.name,
    size: end + GZIP_TRAILER,
    unfolding: deflated.unfolding,
    read(offset, into) {
      if (offset >= GZIP_HEADER.length && offset < end)
        return deflated.read(offset - GZIP_HEADER.length, into.subarray(0, end - offset));
      const part = offset < end ? GZIP_HEADER.subarray(offset) : around.subarray(offset - end);
      const piece = part.subarray(0, into.length);
      into.set(piece);
      return Promise.resolve(piece.length);
    },
  };
}
