import type { SnapshotDigest } from '../digest/digest.js';
import { say, sayCount } from '../text/say.js';
import { byteText } from '../text/byteText.js';
import type { OutOfMemoryReport } from './report.js';

/** Failures that words name, the latest. */
const MOST_NAMED = 3;
/** Metadata is often JSON of any length. */
const MOST_CHARACTERS = 120;

/** The allocations that failed, as the latest trace tells that has any. */
export function outOfMemory(snapshots: readonly SnapshotDigest[]): OutOfMemoryReport[] {
  const digest = snapshots.findLast(({ curves }) => curves.some((curve) => curve.outOfMemory.length > 0));
  if (digest === undefined) return [];
  return digest.curves.flatMap(({ device, startUs, outOfMemory: failures }) =>
    failures.map(({ event, time, askedBytes, deviceFreeBytes, liveBytes, reservedBytes, metadata }) => ({
      path: digest.path,
      device,
      event,
      timeUs: startUs === null || time === null ? null : startUs + time,
      askedBytes,
      deviceFreeBytes,
      liveBytes,
      reservedBytes,
      metadata: metadata === '' ? null : metadata,
    })),
  );
}

/** One sentence for each of the latest failures, and one for how many there are before. */
export function outOfMemoryTexts(failures: readonly OutOfMemoryReport[]): string[] {
  const earlier = failures.length - MOST_NAMED;
  return [
    ...(earlier > 0 ? [sayCount(earlier, '1 allocation failed before.', '{0} allocations failed before.')] : []),
    ...failures.slice(-MOST_NAMED).map(failureText),
  ];
}

/** `Out of memory on device 0: 40.0 MiB asked for, 12.0 MiB free on the device, 1.0 GiB of 2.0 GiB reserved in use.` */
function failureText(failure: OutOfMemoryReport): string {
  const { device, askedBytes, deviceFreeBytes, liveBytes, reservedBytes, metadata } = failure;
  const facts = [
    say('{0} asked for', byteText(askedBytes)),
    ...(deviceFreeBytes === null ? [] : [say('{0} free on the device', byteText(deviceFreeBytes))]),
    reservedBytes === null
      ? say('{0} live', byteText(liveBytes))
      : say('{0} of {1} reserved in use', byteText(liveBytes), byteText(reservedBytes)),
    ...(metadata === null ? [] : [say('metadata {0}', metadata.slice(0, MOST_CHARACTERS))]),
  ];
  return say('Out of memory on device {0}: {1}.', device, facts.join(', '));
}
