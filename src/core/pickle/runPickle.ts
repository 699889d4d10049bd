import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import type { PickleMachine } from './pickleMachine.js';

export interface RunOptions {
  /** First byte of the pickle in the source. */
  offset?: number;
  /** Bytes per read. The result is the same for any size; large reads are faster up to some megabytes. */
  chunkSize?: number;
}

const DEFAULT_CHUNK = 8 << 20;

/**
 * Feeds a source through the machine until STOP.
 * @returns the offset behind STOP
 * @throws SnapshotError `truncated` if the source ends first, or what the source and the machine throw
 */
export async function runPickle(source: ByteSource, machine: PickleMachine, options: RunOptions = {}): Promise<number> {
  const { offset = 0, chunkSize = DEFAULT_CHUNK } = options;
  let buffer = new Uint8Array(Math.min(chunkSize, Math.max(1, source.size - offset)));
  /** Bytes at the start of the buffer that wait for the rest of their opcode. */
  let kept = 0;
  let position = offset;
  for (;;) {
    if (kept === buffer.length) {
      // One opcode fills the buffer: make room for it, but never for more than the source still holds.
      const rest = source.size - position;
      const next = new Uint8Array(kept + Math.max(1, Math.min(Math.max(machine.wanted, kept), rest)));
      next.set(buffer.subarray(0, kept));
      buffer = next;
    }
    const got = await source.read(position, buffer.subarray(kept));
    if (got === 0) {
      throw new SnapshotError(
        'truncated',
        `${source.name} ends early, at byte ${position}: it is still being written or its dump was cut short. ` +
          'Leakline reads it when it changes.',
      );
    }
    position += got;
    const filled = kept + got;
    const consumed = machine.run(buffer, 0, filled, position - filled);
    kept = filled - consumed;
    if (machine.done) return position - kept;
    buffer.copyWithin(0, consumed, filled);
  }
}
