import type { SnapshotDigest } from '../../digest/digest.js';
import type { DigestFrame } from '../../model/digestFrame.js';
import type { DeviceRoom } from './deviceRoom.js';
import { ownerLineOf } from '../../attribution/owner.js';
import { frameKind } from '../../attribution/frameKind.js';
import { holdersAtFailure, holdersOfGrowth } from './failureHolders.js';
import { peakReport, type PeakContext } from './peakReport.js';
import { reportFrame } from '../reportFrame.js';
import { sum } from '../lineSelection.js';
import type { FailureHolder, LineReport, OutOfMemoryReport, ReportFrame } from '../report.js';

/** The failed allocations of the latest trace that has any. */
export function outOfMemory(
  snapshots: readonly SnapshotDigest[],
  rooms: readonly DeviceRoom[],
  lines: readonly LineReport[],
  context: PeakContext,
): OutOfMemoryReport[] {
  const { lookup } = context;
  const digest = snapshots.findLast(({ failures }) => failures.length > 0);
  if (digest === undefined) return [];
  const framesOf = (indices: readonly number[]): DigestFrame[] => indices.map((index) => digest.frames[index]);
  return digest.curves.flatMap(({ device, startUs, outOfMemory: failures }) =>
    failures.map(({ event, time, metadata, ...amounts }) => {
      const known = digest.failures.find(({ held }) => held.device === device && held.event === event);
      const [frames, forward] = [framesOf(known?.frames ?? []), framesOf(known?.forwardFrames ?? [])];
      const timeUs = startUs === null || time === null ? null : startUs + time;
      const found = known === undefined ? [] : holdersAtFailure(timeUs, known.held, snapshots, lookup);
      // Growth is that of all devices, up to the last snapshot.
      const isOfRun = digest === snapshots.at(-1) && digest.curves.length === 1;
      const growing = isOfRun ? holdersOfGrowth(lines, amounts.liveBytes) : [];
      const capacityBytes = rooms.find((room) => room.device === device)?.capacityBytes ?? null;
      // An empty device would have had no room, either.
      const isTooLarge = capacityBytes !== null && amounts.askedBytes > capacityBytes;
      const all = [...found, ...growing.filter((other) => !found.some((one) => isSame(one, other)))];
      const holders = isTooLarge ? [] : all;
      const keptBytes = sum(found, ({ bytes }) => bytes);
      return {
        path: digest.path,
        device,
        event,
        timeUs,
        ...amounts,
        capacityBytes,
        metadata: metadata === '' ? null : metadata,
        asked: ownerLineOf(frames, forward, lookup),
        frames: [...frames, ...forward].map((frame) => reportFrame(frame, lookup)),
        largestFreeBytes: known?.largestFreeBytes ?? null,
        replayed: known?.replayed ?? null,
        withoutLeaks: null,
        held: known === undefined ? null : peakReport(digest, known.held, { ...context, keptBytes }),
        holders,
      };
    }),
  );
}

function isSame(one: FailureHolder, other: FailureHolder): boolean {
  return one.name === other.name || (one.file === other.file && one.line === other.line);
}

/** The failure that ended the program, by the trace: the last one. */
export function lastFailure(failures: readonly OutOfMemoryReport[]): OutOfMemoryReport | null {
  return failures.reduce<OutOfMemoryReport | null>(
    (last, failure) => (last === null || (failure.timeUs ?? 0) >= (last.timeUs ?? 0) ? failure : last),
    null,
  );
}

/** The user's lines that called the requesting one, innermost first. */
export function callersOf({ asked, frames }: OutOfMemoryReport): ReportFrame[] {
  const users = frames.filter(({ file }) => frameKind(file) === 'user');
  const at = users.findIndex(({ file, line }) => file === asked?.file && line === asked.line);
  return users.slice(at + 1);
}
