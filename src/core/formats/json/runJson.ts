import type { ByteSource } from '../../bytes/byteSource.js';
import { SnapshotError } from '../../bytes/snapshotError.js';
import type { JsonMachine } from './jsonMachine.js';
import { t } from '../../text/translate.js';

const DEFAULT_CHUNK = 1 << 20;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Feeds a source through the machine, in reads of any size. @throws SnapshotError `truncated`, or the machine's error
 */
export async function runJson(source: ByteSource, machine: JsonMachine, chunkSize = DEFAULT_CHUNK): Promise<void> {
  const start = await byteOrderMark(source);
  let buffer = new Uint8Array(Math.min(chunkSize, Math.max(1, source.size)));
  /** Bytes at the start of the buffer that wait for the rest of their token. */
  let carried = 0;
  let position = start;
  for (;;) {
    if (carried === buffer.length) {
      const next = new Uint8Array(carried * 2);
      next.set(buffer.subarray(0, carried));
      buffer = next;
    }
    const got = await source.read(position, buffer.subarray(carried));
    position += got;
    const filled = carried + got;
    const consumed = machine.run(buffer, 0, filled, position - filled, got === 0);
    carried = filled - consumed;
    if (got === 0) {
      if (machine.complete && carried === 0) return;
      throw new SnapshotError(
        'truncated',
        t(
          '{0} ends early, at byte {1}: it is still being written or truncated. ' + 'Wait until it is complete.',
          source.name,
          position,
        ),
      );
    }
    buffer.copyWithin(0, consumed, filled);
  }
}

async function byteOrderMark(source: ByteSource): Promise<number> {
  const head = new Uint8Array(BYTE_ORDER_MARK.length);
  const got = await source.read(0, head);
  return got === head.length && BYTE_ORDER_MARK.every((byte, i) => head[i] === byte) ? head.length : 0;
}
