/** The objects that held most of the memory when a request failed. */
import type { FileLookup } from '../../attribution/owner.js';
import type { SnapshotDigest } from '../../digest/digest.js';
import type { DigestPeak } from '../../digest/digestPeak.js';
import { holderName } from '../../facts/holderName.js';
import { isMostlyGraph } from '../../facts/recordedFacts.js';
import { groupBy } from '../../maps.js';
import { recordedKind } from '../../model/recordedFile.js';
import type { RecordedOwner } from '../../model/recording.js';
import type { Bytes, Microseconds } from '../../model/units.js';
import { t } from '../../text/translate.js';
import { GROWS } from '../../verdict/shape.js';
import { findingsOf } from '../findings.js';
import { sum } from '../lineSelection.js';
import { recordedRemedy } from '../remedy/recordedRemedy.js';
import type { FailureHolder, LineReport } from '../report.js';

/** Share of the live memory from which on a holder is named. */
const MIN_SHARE = 0.1;

/** The holders that the recorder found when a request failed; none if its snapshot is of another failure. */
export function holdersAtFailure(
  timeUs: Microseconds | null,
  { liveBytes, phase }: DigestPeak,
  snapshots: readonly SnapshotDigest[],
  lookup: FileLookup,
): FailureHolder[] {
  const seen = snapshots.findLast(({ recording }) => (recording?.atFailure.length ?? 0) > 0);
  if (seen === undefined || timeUs === null || timeUs !== lastFailureUs(seen)) return [];
  const isEvaluation = phase === 'evaluation';
  const countsRounds = seen.recording?.stepSource === 'loop';
  const owners = (seen.recording?.atFailure ?? []).filter(
    (owner) => isKept(owner, isEvaluation) && !(countsRounds && isOfOneRound(owner)),
  );
  return [...groupBy(owners, ({ name, place }) => JSON.stringify([name, place])).values()]
    .map((parts): FailureHolder => {
      const [owner] = parts;
      const { name, place } = owner;
      const [bytes, graphBytes] = [sum(parts, (part) => part.bytes), sum(parts, (part) => part.graphBytes)];
      const at = place === null ? null : { ...place, file: lookup(place.file) ?? place.file };
      const fix =
        isEvaluation && graphBytes > 0
          ? t('Run the evaluation under torch.no_grad(), or add numbers: .item().')
          : fixOf({ ...owner, bytes, graphBytes });
      return { name: holderName(name), file: at?.file ?? null, line: at?.line ?? null, bytes, graphBytes, fix };
    })
    .filter(({ bytes }) => bytes >= MIN_SHARE * liveBytes)
    .sort((a, b) => b.bytes - a.bytes);
}

/** False for variables of running functions, which each pass has. In an evaluation, none needs a graph. */
function isKept(owner: RecordedOwner, isEvaluation: boolean): boolean {
  const { kind, name, container } = owner;
  if (container !== null || (isEvaluation && isMostlyGraph(owner))) return true;
  return kind === 'graph' ? name.includes('.') : kind !== 'local' && kind !== 'unnamed';
}

/** True for a variable with what one round of a loop has made, such as the cache that each token replaces. */
function isOfOneRound({ kind, allocatedSteps, graphBytes }: RecordedOwner): boolean {
  return kind === 'local' && graphBytes === 0 && allocatedSteps?.steps === 1;
}

/**
 * Objects that hold growing memory of the run. The search at the failure leaves out the memory of networks, so it does not
 * name what holds that.
 */
export function holdersOfGrowth(lines: readonly LineReport[], liveBytes: Bytes): FailureHolder[] {
  return findingsOf(lines).flatMap(({ verdict, holder, bytes }) => {
    if (holder === null || !GROWS.has(verdict) || bytes < MIN_SHARE * liveBytes) return [];
    const { name, file, line, fix } = holder;
    return [{ name, file, line, bytes, graphBytes: 0, fix: verdict === 'leak' ? fix : null }];
  });
}

/** Null for an object of a library, whose code knows what it needs. */
function fixOf(owner: RecordedOwner): string | null {
  const { place } = owner;
  if (place !== null && recordedKind(place.file) === 'library') return null;
  return recordedRemedy({ owner, place }, null).text;
}

/** The time of the last failed request in a snapshot's trace; null if unknown. */
function lastFailureUs({ curves }: SnapshotDigest): Microseconds | null {
  const times = curves.flatMap(({ startUs, outOfMemory: failures }) =>
    failures.flatMap(({ time }) => (startUs === null || time === null ? [] : [startUs + time])),
  );
  return times.length === 0 ? null : Math.max(...times);
}
