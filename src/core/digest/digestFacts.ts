/** Facts about whole digests that every report over a run asks for. Each is found once: the digest itself is not looked at again. */
import type { Bytes } from '../model/units.js';
import { frameKind } from '../attribution/frameKind.js';
import type { SnapshotDigest } from './digest.js';
import { factOf } from './factOf.js';
import { stackKey, type StackKey } from './stackKey.js';

/** Live bytes of a stack. */
export interface StackTotal {
  readonly key: StackKey;
  readonly bytes: Bytes;
  readonly blocks: number;
}

/** Live bytes by stack, in the order of the groups. */
export function eachStackTotal(digest: SnapshotDigest, take: (total: StackTotal) => void): void {
  const columns = stackTotals(digest);
  for (let i = 0; i < columns.length; i += 3) {
    take({ key: columns[i] as StackKey, bytes: columns[i + 1], blocks: columns[i + 2] });
  }
}

const stackTotals = factOf((digest: SnapshotDigest) =>
  Float64Array.from(digest.groups.flatMap((group) => [stackKey(digest, group), group.liveBytes, group.blocks])),
);

/** The files that Python frames are of, each once. */
export const filesOfFrames = factOf(({ frames }: SnapshotDigest): readonly string[] =>
  [...new Set(frames.map(({ file }) => file))].filter((file) => frameKind(file) !== 'native'),
);

/** Live bytes at the peak of each device that has a trace. */
export const highestLive = factOf(
  ({ peaks }: SnapshotDigest): ReadonlyMap<number, Bytes> =>
    new Map(peaks.map(({ device, liveBytes }) => [device, liveBytes])),
);
