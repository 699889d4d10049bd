import { disagreementAtEnd } from '../model/replay.js';
import type { Recording } from '../model/recording.js';
import type { Snapshot } from '../model/snapshot.js';
import type { Microseconds } from '../model/units.js';
import { segmentFacts } from '../attribution/segmentFacts.js';
import { disagreement } from '../digest/digestWarnings.js';
import { figuresOf, headOf, type SnapshotDigest, type TraceFacts } from '../digest/digest.js';
import { DigestFrames } from '../digest/digestFrames.js';
import { liveGroups } from '../digest/liveGroups.js';
import { isContinued } from './sameProcess.js';

/** A requested part is not in the outline: the file has to be digested as a whole. */
export class LeftOut extends Error {
  constructor(path: string, part: string) {
    super(`The outline of ${path} has no ${part}.`);
  }
}

const TRACE_FACTS = [
  'steps',
  'lifetimes',
  'peaks',
  'scopes',
  'spans',
  'curves',
] as const satisfies (keyof TraceFacts)[];

/**
 * The digest of a snapshot whose trace a later one continues. It omits facts that need each event; reading these throws
 * {@link LeftOut}.
 * @param later digest in the same report
 * @param tookEvents true if the blocks are known to be those that the trace leaves
 * @returns null if the later trace does not continue this one
 */
export function outlineBefore(
  later: SnapshotDigest,
  path: string,
  snapshot: Snapshot,
  recording: Recording | null,
  savedAtUs: Microseconds | null,
  tookEvents: boolean,
): SnapshotDigest | null {
  const heads = snapshot.traces
    .filter(({ count }) => count > 0)
    .map((trace) => leaveOut(path, headOf(snapshot, trace), ['isWhole']));
  if (!isContinued({ heads }, later)) return null;
  const frames = new DigestFrames(snapshot);
  const { groups, groupOfBlock } = liveGroups(snapshot, new Map(), frames);
  const segments = segmentFacts(snapshot, (block) => groupOfBlock[block]);
  const disagreements = snapshot.traces.flatMap((trace) =>
    disagreement(trace, tookEvents ? 0 : disagreementAtEnd(snapshot, trace)),
  );
  const known = {
    ...figuresOf(path, snapshot, recording, savedAtUs, disagreements),
    frames: frames.frames,
    groups: groups.map((group) => leaveOut(path, group, ['categories'])),
    segments,
    heads,
    failures: [],
  };
  const outline = leaveOut(path, known, ['blocks', ...TRACE_FACTS]);
  return segments.outOfMemory.length === 0 ? outline : leaveOut(path, outline, ['failures']);
}

/** @returns `known`, where asking for one of `parts` throws */
function leaveOut<Known extends object, Part extends string>(
  path: string,
  known: Known,
  parts: readonly Part[],
): Known & Record<Part, never> {
  for (const part of parts) {
    Object.defineProperty(known, part, {
      enumerable: false,
      get: () => {
        throw new LeftOut(path, part);
      },
    });
  }
  return known as Known & Record<Part, never>;
}
