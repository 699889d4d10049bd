/** Facts about whole digests that every report over a run asks for. Each is found once: the digest itself is not looked at again. */
import type { Bytes } from '../model/units.js';
import { frameKind } from '../attribution/frameKind.js';
import type { SnapshotDigest } from './digest.js';
import { factOf } from './factOf.js';
import { stackKey, type StackKey } from './stackKey.js';

/** Live bytes by stack, in the order of the groups. */
export function eachStackTotal(
  digest: SnapshotDigest,
  take: (key: StackKey, bytes: Bytes, blocks: number) => void,
): void {
  const columns = stackTotals(digest);
  for (let i = 0; i < columns.length; i += 3) take(columns[i] as StackKey, columns[i + 1], columns[i + 2]);
}

const stackTotals = factOf((digest: SnapshotDigest) =>
  Float64Array.from(digest.groups.flatMap((group) => [stackKey(digest, group), group.liveBytes, group.blocks])),
);

/** Names of files by number, and their numbers: dumps of a run name the same ones. */
const names: string[] = [];
const numbers = new Map<string, number>();

function numberOf(file: string): number {
  let number = numbers.get(file);
  if (number === undefined) {
    number = names.push(file) - 1;
    numbers.set(file, number);
  }
  return number;
}

const fileNumbers = factOf(({ frames }: SnapshotDigest) => {
  const files = new Set(frames.map(({ file }) => file));
  return Uint32Array.from([...files].filter((file) => frameKind(file) !== 'native').map(numberOf));
});

/** The files that Python frames of digests are of, each once. */
export function filesOfFrames(digests: readonly SnapshotDigest[]): Set<string> {
  const all = digests.map(fileNumbers);
  const isSeen = new Uint8Array(names.length);
  const files = new Set<string>();
  for (const one of all) {
    for (const number of one) {
      if (isSeen[number] === 1) continue;
      isSeen[number] = 1;
      files.add(names[number]);
    }
  }
  return files;
}

/** Live bytes at the peak of each device that has a trace. */
export const highestLive = factOf(
  ({ peaks }: SnapshotDigest): ReadonlyMap<number, Bytes> =>
    new Map(peaks.map(({ device, liveBytes }) => [device, liveBytes])),
);
