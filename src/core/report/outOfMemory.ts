import type { SnapshotDigest } from '../digest/digest.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { DeviceRoom } from './deviceRoom.js';
import { ownerOf, type FileLookup, type OwnerLine } from '../attribution/owner.js';
import { frameKind } from '../attribution/frameKind.js';
import { peakReport } from './peakReport.js';
import { reportFrame } from './reportFrame.js';
import { placeText } from './reportText.js';
import { t, tCount } from '../text/translate.js';
import { byteText } from '../text/byteText.js';
import type { OutOfMemoryReport, ReportFrame } from './report.js';
import type { ReportWorkspace } from './reportWorkspace.js';

/** Failures that words name, the latest. */
const MAX_NAMED = 3;
/** Metadata is often JSON of any length. */
const MAX_CHARACTERS = 120;

/** The failed allocations of the latest trace that has any. */
export function outOfMemory(
  snapshots: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
  lookup: FileLookup,
  rooms: readonly DeviceRoom[],
  isFinding: (line: OwnerLine) => boolean,
): OutOfMemoryReport[] {
  const digest = snapshots.findLast(({ failures }) => failures.length > 0);
  if (digest === undefined) return [];
  const framesOf = (indices: readonly number[]): DigestFrame[] => indices.map((index) => digest.frames[index]);
  return digest.curves.flatMap(({ device, startUs, outOfMemory: failures }) =>
    failures.map(({ event, time, metadata, ...amounts }) => {
      const known = digest.failures.find(({ held }) => held.device === device && held.event === event);
      const [frames, forward] = [framesOf(known?.frames ?? []), framesOf(known?.forwardFrames ?? [])];
      const owner = ownerOf(frames, forward, 'beforeRecording', lookup);
      return {
        path: digest.path,
        device,
        event,
        timeUs: startUs === null || time === null ? null : startUs + time,
        ...amounts,
        capacityBytes: rooms.find((room) => room.device === device)?.capacityBytes ?? null,
        metadata: metadata === '' ? null : metadata,
        asked: 'line' in owner ? { ...owner.line } : null,
        frames: [...frames, ...forward].map((frame) => reportFrame(frame, lookup)),
        largestFreeBytes: known?.largestFreeBytes ?? null,
        replayed: known?.replayed ?? null,
        withoutLeaks: null,
        held: known === undefined ? null : peakReport(digest, known.held, workspace, lookup, isFinding),
      };
    }),
  );
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

/** Whether fragmentation was the cause; null if unknown, or if a leak was. */
export function fragmentationText(failure: OutOfMemoryReport): string | null {
  const { askedBytes, liveBytes, reservedBytes, deviceFreeBytes, largestFreeBytes, withoutLeaks } = failure;
  if (reservedBytes === null || (withoutLeaks !== null && withoutLeaks.leftBytes !== null)) return null;
  const free = Math.max(0, reservedBytes - liveBytes) + (deviceFreeBytes ?? 0);
  if (free < askedBytes) {
    return t('Without fragmentation it would not have fit either: {0} were free in total.', byteText(free));
  }
  if (largestFreeBytes === null || largestFreeBytes >= askedBytes) return null;
  return t(
    'Fragmentation was the cause: {0} were free in total, {1} in the largest free block.',
    byteText(free),
    byteText(largestFreeBytes),
  );
}

/** Whether another setting of the allocator would have avoided a failure; null if unknown. @param code makes a code span */
export function replayedFailureText(
  { replayed }: OutOfMemoryReport,
  code: (text: string) => string = (text) => text,
): string | null {
  if (replayed === null) return null;
  const { setting, leftBytes, shortBytes, isEstimate } = replayed;
  if (setting !== null && leftBytes !== null) {
    return isEstimate
      ? t('With {0} it would have fit with about {1} left (replayed).', code(setting), byteText(leftBytes))
      : t('With {0} it would have fit with {1} left (replayed).', code(setting), byteText(leftBytes));
  }
  if (shortBytes === null) return null;
  return isEstimate
    ? t('No allocator setting that was replayed would have avoided it: about {0} short at best.', byteText(shortBytes))
    : t('No allocator setting that was replayed would have avoided it: {0} short at best.', byteText(shortBytes));
}

/** Whether it would have fit without the leaks of the run; null if unknown. */
export function withoutLeaksText({ withoutLeaks }: OutOfMemoryReport): string | null {
  if (withoutLeaks === null) return null;
  const { leftBytes, shortBytes } = withoutLeaks;
  if (leftBytes !== null) return t('Without the leak it would have fit with {0} left (replayed).', byteText(leftBytes));
  if (shortBytes === null) return null;
  return t('Without the leak it would not have fit either: {0} short (replayed).', byteText(shortBytes));
}

/** What failed, and what would have avoided it. */
export function failureSentences(failure: OutOfMemoryReport): string[] {
  const sentences = [
    failureText(failure),
    withoutLeaksText(failure),
    fragmentationText(failure),
    replayedFailureText(failure),
  ];
  return sentences.filter((sentence) => sentence !== null);
}

/** One sentence for each of the latest failures, and one for how many there are before. */
export function outOfMemoryTexts(failures: readonly OutOfMemoryReport[]): string[] {
  const earlier = failures.length - MAX_NAMED;
  return [
    ...(earlier > 0 ? [tCount(earlier, '1 allocation failed before.', '{0} allocations failed before.')] : []),
    ...failures.slice(-MAX_NAMED).map((failure) => failureText(failure)),
  ];
}

/** `Out of memory on device 0: 40.0 MiB requested, 12.0 MiB free on the device, 1.0 GiB of 2.0 GiB reserved in use.` */
export function failureText(failure: OutOfMemoryReport, code: (text: string) => string = (text) => text): string {
  const { device, asked, askedBytes, deviceFreeBytes, liveBytes, reservedBytes, metadata } = failure;
  const facts = [
    asked === null
      ? t('{0} requested', byteText(askedBytes))
      : t('{1} requested {0}', byteText(askedBytes), code(placeText(asked))),
    ...(deviceFreeBytes === null ? [] : [t('{0} free on the device', byteText(deviceFreeBytes))]),
    reservedBytes === null
      ? t('{0} live', byteText(liveBytes))
      : t('{0} of {1} reserved in use', byteText(liveBytes), byteText(reservedBytes)),
    ...(metadata === null ? [] : [t('metadata {0}', code(metadata.slice(0, MAX_CHARACTERS)))]),
  ];
  return t('Out of memory on device {0}: {1}.', device, facts.join(', '));
}
