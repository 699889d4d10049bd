import type { SnapshotDigest } from '../digest/digest.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { DeviceRoom } from './deviceRoom.js';
import { ownerOf } from '../attribution/owner.js';
import { frameKind } from '../attribution/frameKind.js';
import { peakReport, type PeakContext } from './peakReport.js';
import { reportFrame } from './reportFrame.js';
import { holderName } from '../facts/holderName.js';
import type { RecordedOwner } from '../model/recording.js';
import type { Bytes, Microseconds } from '../model/units.js';
import { fileAndLine } from '../text/pathText.js';
import { sum } from './lineSelection.js';
import { recordedRemedy } from './remedy/recordedRemedy.js';
import type { FailureHolder, OutOfMemoryReport, ReportFrame } from './report.js';

/** The failed allocations of the latest trace that has any. */
export function outOfMemory(
  snapshots: readonly SnapshotDigest[],
  rooms: readonly DeviceRoom[],
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
      const owner = ownerOf(frames, forward, 'beforeRecording', lookup);
      const timeUs = startUs === null || time === null ? null : startUs + time;
      const holders = known === undefined ? [] : holdersAt(timeUs, known.held.liveBytes, snapshots, context);
      const keptBytes = sum(holders, ({ bytes }) => bytes);
      return {
        path: digest.path,
        device,
        event,
        timeUs,
        ...amounts,
        capacityBytes: rooms.find((room) => room.device === device)?.capacityBytes ?? null,
        metadata: metadata === '' ? null : metadata,
        asked: 'line' in owner ? { ...owner.line } : null,
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

/** Share of the live memory from which on a holder is named. */
const LEAST_SHARE = 0.1;

/** The holders that the recorder found when a request failed; none if its snapshot is of another failure. */
function holdersAt(
  timeUs: Microseconds | null,
  liveBytes: Bytes,
  snapshots: readonly SnapshotDigest[],
  { lookup, foundAt }: PeakContext,
): FailureHolder[] {
  const seen = snapshots.findLast(({ recording }) => (recording?.atFailure.length ?? 0) > 0);
  if (seen === undefined || timeUs === null || timeUs !== lastFailureUs(seen)) return [];
  return (seen.recording?.atFailure ?? []).flatMap((owner) => {
    const { name, place, bytes, graphBytes } = owner;
    if (bytes < LEAST_SHARE * liveBytes || !isKept(owner)) return [];
    const at = place === null ? null : { ...place, file: lookup(place.file) ?? place.file };
    // A finding has its own words.
    if (at !== null && foundAt.has(fileAndLine(at))) return [];
    const { text: fix } = recordedRemedy(
      { owner, bytes, place, isMapped: false, before: null, sinceFirst: null },
      null,
    );
    return [{ name: holderName(name), file: at?.file ?? null, line: at?.line ?? null, bytes, graphBytes, fix }];
  });
}

/** False for variables of running functions, which each pass has. */
function isKept({ kind, name, container }: RecordedOwner): boolean {
  if (container !== null) return true;
  return kind === 'graph' ? name.includes('.') : kind !== 'local' && kind !== 'unnamed';
}

function lastFailureUs({ curves }: SnapshotDigest): Microseconds | null {
  const times = curves.flatMap(({ startUs, outOfMemory: failures }) =>
    failures.flatMap(({ time }) => (startUs === null || time === null ? [] : [startUs + time])),
  );
  return times.length === 0 ? null : Math.max(...times);
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
