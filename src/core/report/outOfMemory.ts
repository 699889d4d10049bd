import type { SnapshotDigest } from '../digest/digest.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { DeviceRoom } from './deviceRoom.js';
import { type FileLookup, ownerOf } from '../attribution/owner.js';
import type { DigestPeak } from '../digest/digestPeak.js';
import { groupBy } from '../maps.js';
import { recordedKind } from '../model/recordedFile.js';
import { frameKind } from '../attribution/frameKind.js';
import { peakReport, type PeakContext } from './peakReport.js';
import { reportFrame } from './reportFrame.js';
import { holderName } from '../facts/holderName.js';
import type { RecordedOwner } from '../model/recording.js';
import type { Microseconds } from '../model/units.js';
import { t } from '../text/translate.js';
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
      const holders = known === undefined ? [] : holdersAt(timeUs, known.held, snapshots, lookup);
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
  { liveBytes, phase }: DigestPeak,
  snapshots: readonly SnapshotDigest[],
  lookup: FileLookup,
): FailureHolder[] {
  const seen = snapshots.findLast(({ recording }) => (recording?.atFailure.length ?? 0) > 0);
  if (seen === undefined || timeUs === null || timeUs !== lastFailureUs(seen)) return [];
  const isEvaluation = phase === 'evaluation';
  const owners = (seen.recording?.atFailure ?? []).filter((owner) => isKept(owner, isEvaluation));
  return [...groupBy(owners, ({ name, place }) => JSON.stringify([name, place])).values()]
    .map((parts): FailureHolder => {
      const [owner] = parts;
      const { name, place } = owner;
      const [bytes, graphBytes] = [sum(parts, (part) => part.bytes), sum(parts, (part) => part.graphBytes)];
      const at = place === null ? null : { ...place, file: lookup(place.file) ?? place.file };
      const fix = isEvaluation && graphBytes > 0 ? noGraphText() : fixOf({ ...owner, bytes, graphBytes });
      return { name: holderName(name), file: at?.file ?? null, line: at?.line ?? null, bytes, graphBytes, fix };
    })
    .filter(({ bytes }) => bytes >= LEAST_SHARE * liveBytes)
    .sort((a, b) => b.bytes - a.bytes);
}

/** False for variables of running functions, which each pass has. In an evaluation, none needs a graph. */
function isKept({ kind, name, container, bytes, graphBytes }: RecordedOwner, isEvaluation: boolean): boolean {
  if (container !== null || (isEvaluation && 2 * graphBytes > bytes)) return true;
  return kind === 'graph' ? name.includes('.') : kind !== 'local' && kind !== 'unnamed';
}

function noGraphText(): string {
  return t('Run the evaluation under torch.no_grad(), or add numbers: .item().');
}

/** Null for an object of a library, whose code knows what it needs. */
function fixOf(owner: RecordedOwner): string | null {
  const { place, bytes } = owner;
  if (place !== null && recordedKind(place.file) === 'library') return null;
  return recordedRemedy({ owner, bytes, place, isMapped: false, before: null, sinceFirst: null }, null).text;
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
