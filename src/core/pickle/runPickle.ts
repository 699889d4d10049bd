import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import type { PickleMachine } from './pickleMachine.js';
import { t } from '../text/translate.js';

export interface RunOptions {
  /** First byte of the pickle in the source. */
  offset?: number;
  /** Bytes per read. The result is the same for any size; large reads are faster up to some megabytes. */
  chunkSize?: number;
  /**
   * Called after each piece with the bytes that the machine has not run over, and their offset.
   * @returns where to go on; null to be called no more, undefined to be called again
   */
  detour?: (rest: Uint8Array, offset: number) => Promise<Detour | null | undefined>;
}

/** Where the pickle goes on. */
export interface Detour {
  readonly source: ByteSource;
  readonly offset: number;
}

const DEFAULT_CHUNK = 512 << 10;
/** Room in front of a piece for the opcode that the piece before ends in; enough for all but long texts. */
const HEAD = 4096;

/**
 * Feeds a source through the machine until STOP. The next piece is being read while the machine runs over one.
 * @returns the offset behind STOP
 * @throws SnapshotError `truncated` if the source ends first, or what the source and the machine throw
 */
export async function runPickle(file: ByteSource, machine: PickleMachine, options: RunOptions = {}): Promise<number> {
  const { offset = 0, chunkSize = DEFAULT_CHUNK } = options;
  let { detour } = options;
  let source = file;
  let head = HEAD;
  let chunk = Math.min(chunkSize, Math.max(1, source.size - offset));
  /** What the machine has not yet run over is `piece[from .. to)`; it ends at `position` in the source. */
  let piece = new Uint8Array(0);
  let from = 0;
  let to = 0;
  let position = offset;
  let next = new Uint8Array(head + chunk);
  let reading: Promise<number> | null = null;
  try {
    for (;;) {
      const got = await (reading ?? source.read(position, next.subarray(head)));
      reading = null;
      if (got === 0) {
        throw new SnapshotError(
          'truncated',
          t(
            '{0} ends early, at byte {1}: it is still being written, or its dump was interrupted. ' +
              'Wait until it is complete.',
            source.name,
            position,
          ),
        );
      }
      const carried = to - from;
      if (carried > head) {
        // One text fills a piece: make room for it, but never for more than the source still holds.
        const behind = head;
        head = Math.max(carried, Math.min(machine.wanted, carried + source.size - position));
        chunk = Math.max(chunk, head >> 2);
        const larger = new Uint8Array(head + chunk);
        larger.set(next.subarray(behind, behind + got), head);
        next = larger;
      }
      next.set(piece.subarray(from, to), head - carried);
      [piece, next] = [next, piece];
      from = head - carried;
      to = head + got;
      position += got;
      if (position < source.size) {
        if (next.length < head + chunk) next = new Uint8Array(head + chunk);
        reading = source.read(position, next.subarray(head));
      }
      const hasMore = Number.isFinite(source.size) && position < source.size;
      from = machine.run(piece, from, to, position - to, hasMore);
      if (machine.done) {
        // What reading ahead found out about the source, such as a wrong checksum, is not to be lost.
        await reading;
        return position - (to - from);
      }
      const other = await detour?.(piece.subarray(from, to), position - (to - from));
      if (other === null) detour = undefined;
      else if (other !== undefined) {
        await reading;
        reading = null;
        detour = undefined;
        ({ source, offset: position } = other);
        from = to = 0;
      }
      if (reading === null && next.length < head + chunk) next = new Uint8Array(head + chunk);
    }
  } catch (error) {
    // The source may be closed once this returns, so nothing may be under way.
    await reading?.catch(() => 0);
    throw error;
  }
}
