/** Facts about whole digests that every report over a run asks for. Each is found once: the digest itself is not looked at again. */
import type { Bytes } from '../model/units.js';
import type { Steps } from '../attribution/steps/steps.js';
import { frameKind } from '../attribution/frameKind.js';
import { getOrAdd } from '../maps.js';
import type { SnapshotDigest } from './digest.js';
import type { LiveGroup } from './liveGroups.js';
import type { ReplayedSetting } from '../allocator/deviceAnswer.js';
import { hasLostEvents } from '../model/lostEvents.js';
import { isPrivatePool } from '../model/privatePool.js';
import { factOf } from '../factOf.js';
import { eachTriple, packNumbers, type PackedNumbers } from './packedNumbers.js';
import { stackKey, type StackKey } from './stackKey.js';

/** Totals of digests that are not looked at again: key, bytes, blocks, key… */
const packedTotals = new WeakMap<SnapshotDigest, PackedNumbers>();

function packTotals(digest: SnapshotDigest): void {
  const totals: number[] = [];
  eachStackTotal(digest, (...total) => totals.push(...total));
  packedTotals.set(digest, packNumbers(totals));
}

/** Calls `see` with live bytes and blocks by stack, in the order of the groups. */
export function eachStackTotal(
  digest: SnapshotDigest,
  see: (key: StackKey, bytes: Bytes, blocks: number) => void,
): void {
  const packed = packedTotals.get(digest);
  if (packed !== undefined) eachTriple(packed, see as (key: number, bytes: Bytes, blocks: number) => void);
  else for (const group of digest.groups) see(stackKey(digest, group), group.liveBytes, group.blocks);
}

/** Names of files by number, and their numbers: dumps of a run name the same ones. */
const names: string[] = [];
const numbers = new Map<string, number>();
const BITS = 30;

/** The files that Python stacks and the recorder name: of each file the bit of its number. */
const filesNamed = factOf(({ files, frames, recording }: SnapshotDigest): readonly number[] => {
  const python = new Set(frames.map(({ file }) => file).filter((file) => frameKind(file) !== 'native'));
  const held = [...(recording?.owners ?? []), ...(recording?.atFailure ?? [])].flatMap(
    ({ place, pinnedBy, also, releases }) => [
      ...[place, pinnedBy?.place, ...also.map((other) => other.place)].filter((at) => at != null),
      ...(releases ?? []),
    ],
  );
  const recorded = [...held, ...(recording?.sources ?? [])];
  const words: number[] = [];
  for (const file of new Set([...files, ...python, ...recorded.map((one) => one.file)])) {
    const number = getOrAdd(numbers, file, () => names.push(file) - 1);
    const word = Math.floor(number / BITS);
    while (words.length <= word) words.push(0);
    words[word] |= 1 << (number % BITS);
  }
  return words;
});

/** The files that Python stacks of digests and their recordings name, each once, by name. */
export function filesOfDigests(digests: readonly SnapshotDigest[]): Set<string> {
  const all: number[] = [];
  // Equal facts are one object: dumps of a run name the same files.
  for (const words of new Set(digests.map(filesNamed))) words.forEach((word, i) => (all[i] = (all[i] ?? 0) | word));
  return new Set(names.filter((_, number) => (all[Math.floor(number / BITS)] & (1 << (number % BITS))) !== 0).sort());
}

/** Live bytes at the peak of each device whose trace is whole: the run's own peak. */
export const highestLive = factOf(
  ({ peaks, warnings }: SnapshotDigest): readonly { device: number; liveBytes: Bytes }[] =>
    peaks
      .filter(({ device, isState }) => !isState && !hasLostEvents(warnings, device))
      .map(({ device, liveBytes }) => ({ device, liveBytes })),
);

/** The setting that would have reserved less on each device, where a replay shows one. */
export const replayedSettings = factOf(
  ({ peaks }: SnapshotDigest): readonly { device: number; replayed: ReplayedSetting | null }[] =>
    peaks.map(({ device, replayed }) => ({ device, replayed })),
);

/** What tells the steps of a trace, null without steps. */
export const stepSource = factOf(({ steps }: SnapshotDigest): Steps['source'] | null => steps?.source ?? null);

/** Devices on which an allocation failed. */
export const outOfMemoryDevices = factOf(({ segments }: SnapshotDigest): readonly number[] => segments.outOfMemory);

/** Blocks that are released and wait for another stream. */
export const pendingFreesOf = factOf(
  ({ segments }: SnapshotDigest): SnapshotDigest['segments']['pending'] => segments.pending,
);

/** Pools of CUDA graphs and `MemPool`s: nothing else can use their memory, and `empty_cache()` does not free it. */
export const privatePools = factOf(({ segments }: SnapshotDigest): SnapshotDigest['segments']['pools'] =>
  segments.pools.filter(({ pool }) => isPrivatePool(pool)),
);

/**
 * Live bytes without a stack whose allocation is not in the trace. Null if no live block has a stack: a snapshot from
 * before the recording does not tell.
 */
export const untracedBytes = factOf(({ groups }: SnapshotDigest): Bytes | null => {
  const hasStack = ({ frames, forwardFrames }: LiveGroup): boolean => frames.length + forwardFrames.length > 0;
  if (!groups.some(hasStack)) return null;
  return groups.reduce(
    (sum, group) => (hasStack(group) || group.stackless === 'noStack' ? sum : sum + group.liveBytes),
    0,
  );
});

/** Finds the facts that reports ask of a dump that is not the latest. */
export function findFacts(digest: SnapshotDigest): void {
  packTotals(digest);
  const facts = [
    filesNamed,
    highestLive,
    replayedSettings,
    stepSource,
    outOfMemoryDevices,
    pendingFreesOf,
    privatePools,
    untracedBytes,
  ];
  for (const find of facts) find(digest);
}
