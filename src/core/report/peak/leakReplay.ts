/** Whether a failed allocation would have fit without the leaks of its run, by a replay. */
import { replayAsRecorded } from '../../allocator/recordedReplay.js';
import { whatIf } from '../../allocator/whatIf.js';
import type { FileLookup } from '../../attribution/owner.js';
import { stepsOnDevice, type Steps } from '../../attribution/steps/steps.js';
import { deviceHistory } from '../../model/history.js';
import type { Snapshot } from '../../model/snapshot.js';
import { leakedBefore } from './programChanges.js';
import type { LineReport, OutOfMemoryReport, Report } from '../report.js';

/** A failure whose recording can be replayed, in a run that leaks. */
export interface LeakyFailure {
  readonly failure: OutOfMemoryReport;
  readonly lines: readonly LineReport[];
}

export function leakyFailures({ runs }: Report): LeakyFailure[] {
  return runs.flatMap(({ lines, outOfMemory }) => {
    const leaking = lines.filter(({ verdict, ignored }) => verdict === 'leak' && !ignored);
    if (leaking.length === 0) return [];
    return outOfMemory.filter(({ replayed }) => replayed !== null).map((failure) => ({ failure, lines: leaking }));
  });
}

/**
 * Replays the failure without what the leaks have left behind. Null if the trace has nothing of theirs.
 * @param steps of the recording; null where none are known
 */
export function withoutLeaks(
  snapshot: Snapshot,
  steps: Steps | null,
  { failure: { device, event }, lines }: LeakyFailure,
  lookup: FileLookup,
): OutOfMemoryReport['withoutLeaks'] {
  const history = deviceHistory(snapshot, device);
  const { requests } = replayAsRecorded(snapshot, history);
  if (requests === null) return null;
  const own = steps === null ? null : stepsOnDevice(snapshot, steps, device);
  const without = leakedBefore(snapshot, history, event, lines, own, lookup);
  if (!without.includes(1)) return null;
  const { fits, leftBytes, shortBytes } = whatIf(requests, { without });
  return fits === true ? { leftBytes, shortBytes: null } : { leftBytes: null, shortBytes };
}
