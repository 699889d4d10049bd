import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import type { Snapshot } from '../model/snapshot.js';
import type { Format, ReadOptions } from './format.js';
import { torchPickle } from './torchPickle.js';

/** Every kind of input, in the order in which they are asked. */
const FORMATS: readonly Format[] = [torchPickle];

const HEAD_BYTES = 64;

/**
 * Reads a snapshot of any known kind into columns.
 * @throws SnapshotError whose message says what is wrong, where, and what to do
 */
export async function readSnapshot(source: ByteSource, options: ReadOptions = {}): Promise<Snapshot> {
  const head = new Uint8Array(Math.min(HEAD_BYTES, source.size));
  const got = head.length === 0 ? 0 : await source.read(0, head);
  if (got === 0) {
    throw new SnapshotError(
      'truncated',
      `${source.name} is empty: it is still being written or its dump was cut short. Leakline reads it when it changes.`,
    );
  }
  const format = FORMATS.find((candidate) => candidate.sniff(head.subarray(0, got)));
  if (format === undefined) {
    throw new SnapshotError(
      'notASnapshot',
      `${source.name} is no memory snapshot: it does not start like a pickle of protocol 2 to 5. ` +
        'Choose a file made by torch.cuda.memory._dump_snapshot.',
    );
  }
  return format.read(source, options);
}
