/** Facts about whole digests that every report over a run asks for. Each is found once: the digest itself is not looked at again. */
import type { Bytes } from '../model/units.js';
import type { Steps } from '../attribution/steps.js';
import { frameKind } from '../attribution/frameKind.js';
import { getOrAdd } from '../maps.js';
import type { SnapshotDigest } from './digest.js';
import type { ReplayedSetting } from '../allocator/deviceAnswer.js';
import { hasLostEvents } from '../model/lostEvents.js';
import { factOf } from './factOf.js';
import type { LiveGroup } from './liveGroups.js';
import { stackKey, type StackKey } from './stackKey.js';

/** Of each digest: key, bytes, blocks, key… */
const stackTotals = new WeakMap<SnapshotDigest, Float64Array>();

function totalsOf(digest: SnapshotDigest): Float64Array {
  const totalOf = (group: LiveGroup): number[] => [stackKey(digest, group), group.liveBytes, group.blocks];
  return getOrAdd(stackTotals, digest, () => Float64Array.from(digest.groups.flatMap(totalOf)));
}

/** Calls `see` with live bytes and blocks by stack, in the order of the groups. */
export function eachStackTotal(
  digest: SnapshotDigest,
  see: (key: StackKey, bytes: Bytes, blocks: number) => void,
): void {
  const totals = totalsOf(digest);
  for (let i = 0; i < totals.length; i += 3) see(totals[i] as StackKey, totals[i + 1], totals[i + 2]);
}

/** The files that Python stacks and the recorder name, each once. */
const filesNamed = factOf(({ files, frames, recording }: SnapshotDigest): readonly string[] => {
  const python = new Set(frames.map(({ file }) => file).filter((file) => frameKind(file) !== 'native'));
  const held = (recording?.owners ?? []).flatMap(({ place, pinnedBy, also, releases }) => [
    ...[place, pinnedBy?.place, ...also.map((other) => other.place)].filter((at) => at != null),
    ...(releases ?? []),
  ]);
  const recorded = [...held, ...(recording?.sources ?? [])];
  return [...new Set([...files, ...python, ...recorded.map((one) => one.file)])];
});

/** The files that Python stacks of digests and their recordings name, each once, by name. */
export function filesOfDigests(digests: readonly SnapshotDigest[]): Set<string> {
  // Equal facts are one object: dumps of a run name the same files.
  return new Set([...new Set(digests.map(filesNamed))].flat().sort());
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

/** Finds the facts that reports ask of a dump that is not the latest. */
export function findFacts(digest: SnapshotDigest): void {
  totalsOf(digest);
  const facts = [filesNamed, highestLive, replayedSettings, stepSource, outOfMemoryDevices, pendingFreesOf];
  for (const find of facts) find(digest);
}
