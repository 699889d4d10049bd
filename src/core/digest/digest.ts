import { eventTime } from '../model/eventTime.js';
import type { DeviceHistory } from '../model/history.js';
import { Action, BlockState, type DeviceTrace, type Snapshot, type SnapshotWarning } from '../model/snapshot.js';
import { recordedKind } from '../model/recordedFile.js';
import type { Recording } from '../model/recording.js';
import { hostLast, PINNED_HOST, type Bytes, type Microseconds } from '../model/units.js';
import { noSteps, tooManyStacks, disagreement } from './digestWarnings.js';
import { deviceViews } from '../attribution/deviceViews.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { deviceFailures, devicePeaks, type DigestFailure, type DigestPeak } from './digestPeak.js';
import { frameKind } from '../attribution/frameKind.js';
import { DigestFrames } from './digestFrames.js';
import { binStepsOf, lifetimesOf, type LifeSummary, type LongRows } from '../attribution/categories/lifetimes.js';
import { liveGroups, type LiveBlocks, type LiveGroup } from './liveGroups.js';
import type { DigestStack } from './stackKey.js';
import { stacklessBucket } from '../attribution/stackless.js';
import { traceCurve, type TraceCurve } from './traceCurve.js';
import { traceMeeting, traceSpan, type SpanStacks, type TraceSpan } from './traceSpan.js';
import { segmentFacts, type SegmentFacts } from '../attribution/segmentFacts.js';
import { StackRoles } from '../attribution/stackRole.js';
import { scopesOf, type Scope } from '../attribution/steps/scopes.js';
import { findSteps, type Steps } from '../attribution/steps/steps.js';
import { getOrAdd } from '../maps.js';

/** How a device's trace begins: two dumps of one process whose traces reach back equally far begin alike. */
export interface TraceHead {
  device: number;
  events: number;
  /** Hashes of the first 1, 2, 4, … events (action, address, size), up to `HEAD_EVENTS` or the whole trace. */
  hashes: readonly number[];
  firstUs: Microseconds | null;
  /** True if the trace begins with an empty allocator: all that it frees, and all that is live, it allocated. */
  isWhole: boolean;
}

export interface DeviceTotals {
  device: number;
  liveBytes: Bytes;
  /** Null where the input does not say. */
  reservedBytes: Bytes | null;
  /** Null where the input does not say. */
  requestedBytes: Bytes | null;
}

/**
 * What analysis over many snapshots needs of one: its live blocks by stack, without the trace. For a million events, it
 * takes 1.3 MB in the cache, and the model 21 MB.
 */
export interface SnapshotDigest extends TraceFacts {
  path: string;
  /** The rank that the user's own pattern finds in the path, null without one. */
  rank: number | null;
  format: string;
  fileBytes: Bytes;
  eventCount: number;
  takenAtUs: Microseconds | null;
  /** When its file was written last, null where that is not known. */
  savedAtUs: Microseconds | null;
  devices: readonly DeviceTotals[];
  warnings: readonly SnapshotWarning[];
  /** Files of the user, as recorded, also of stacks that the digest leaves out. */
  files: readonly string[];
  frames: readonly DigestFrame[];
  groups: readonly LiveGroup[];
  blocks: LiveBlocks;
  segments: SegmentFacts;
  heads: readonly TraceHead[];
  recording: Recording | null;
}

/** What takes a look at each event of the trace. */
export interface TraceFacts {
  /** Where the training steps begin in the trace, null where it shows none. */
  steps: Steps | null;
  /** How the allocations of the stacks lived that outlast a step; empty where there are no steps. */
  lifetimes: readonly DigestStackLifetimes[];
  /** The peak of each device that has a trace, that of most bytes first. */
  peaks: readonly DigestPeak[];
  /** Live memory around the user's scopes, by device. */
  scopes: readonly Scope[];
  /** The last allocations that failed on each device, with what was held then. */
  failures: readonly DigestFailure[];
  /** What joins the traces of a run, of the devices whose steps are known. */
  spans: readonly TraceSpan[];
  /** The curves of the devices that have a trace, in few enough points to keep those of all snapshots. */
  curves: readonly TraceCurve[];
}

/** A stack's lifetimes, with the names of its frames. As that of a group: what is allocated and freed in a trace was recorded. */
export interface DigestStackLifetimes extends DigestStack, DigestLifetimes {}

/** `site` is the innermost user frame that freed the allocations of a drop, null where the trace does not say. */
export interface DigestLifetimes extends LifeSummary<{ site: DigestFrame | null }> {
  /** Steps that the trace shows. */
  steps: number;
  areStepsSure: boolean;
  /** Steps per bin of the floors. */
  binSteps: number;
}

/** Events that make a head. */
const HEAD_EVENTS = 64;

/**
 * Condenses a snapshot. Live are blocks that are allocated or wait for another stream.
 * @param recording what the recorder wrote beside it, if it was the recorder's
 * @param savedAtUs when its file was written last
 */
export function digestSnapshot(
  path: string,
  snapshot: Snapshot,
  recording: Recording | null = null,
  savedAtUs: Microseconds | null = null,
): SnapshotDigest {
  const frames = new DigestFrames(snapshot);
  const roles = new StackRoles(snapshot);
  const steps = findSteps(snapshot, recording, roles);
  const devices = deviceViews(snapshot, steps, roles);
  const { groups, blocks, groupOfBlock } = liveGroups(snapshot, devices, frames);
  const stacksOf = spanStacks(snapshot, frames);
  const spans: TraceSpan[] = [];
  const curves: TraceCurve[] = [];
  const lifetimes: DigestStackLifetimes[] = [];
  for (const { history, steps: own, categorizer } of devices.values()) {
    if (history.trace.count === 0) continue;
    const meeting = traceMeeting(snapshot, history.trace, recording);
    curves.push(traceCurve(snapshot, history, recording, meeting));
    if (own === null) continue;
    spans.push(traceSpan(snapshot, history, own, categorizer, stacksOf, meeting));
    lifetimes.push(...namedLifetimes(snapshot, history, own, categorizer, stacksOf));
  }
  return {
    ...figuresOf(
      path,
      snapshot,
      recording,
      savedAtUs,
      [...devices.values()].flatMap(({ history }) => disagreement(history.trace, history.disagreement)),
    ),
    frames: frames.frames,
    groups,
    blocks,
    segments: segmentFacts(snapshot, (block) => groupOfBlock[block]),
    heads: [...devices.values()]
      .filter(({ history }) => history.trace.count > 0)
      .map(({ history: { trace, allocations } }) => ({
        ...headOf(snapshot, trace),
        isWhole: beginsWithSegment(snapshot, trace) && !allocations.birth.includes(-1),
      })),
    steps,
    lifetimes,
    spans,
    curves,
    peaks: devicePeaks(snapshot, [...devices.values()], recording, (stack) => frames.ofStack(stack)),
    scopes: [...devices.values()].flatMap(({ history }) => scopesOf(snapshot, history)),
    failures: deviceFailures(snapshot, [...devices.values()], recording, (stack) => frames.ofStack(stack)),
  };
}

/** What a digest says of its snapshot without a look at stacks and events. */
export function figuresOf(
  path: string,
  snapshot: Snapshot,
  recording: Recording | null,
  savedAtUs: Microseconds | null,
  disagreements: readonly SnapshotWarning[],
): Omit<SnapshotDigest, 'frames' | 'groups' | 'blocks' | 'segments' | 'heads' | keyof TraceFacts> {
  return {
    path,
    rank: null,
    format: snapshot.format,
    fileBytes: snapshot.fileBytes,
    eventCount: snapshot.traces.reduce((sum, trace) => sum + trace.count, 0),
    takenAtUs: snapshot.takenAtUs,
    savedAtUs,
    devices: deviceTotals(snapshot),
    files: usersFiles(snapshot),
    warnings: [
      ...snapshot.warnings.filter((warning) => !isOnPurpose(warning, recording)),
      ...disagreements,
      ...tooManyStacks(snapshot),
      ...noSteps(recording),
    ],
    recording,
  };
}

function usersFiles({ frames, strings }: Snapshot): string[] {
  const files = Array.from(new Set(frames.file), (id) => strings.text(id));
  return files.filter((file) => ['user', 'interactive'].includes(recordedKind(file)));
}

/**
 * True for what the recorder left out on purpose: the trace of a light snapshot, events that an earlier trace has. Only
 * that trace shows whether memory without a stack is older than the recording.
 */
function isOnPurpose({ code, device }: SnapshotWarning, recording: Recording | null): boolean {
  if (code === 'noTrace') return recording?.isLight === true;
  const isOfEarlier = code === 'ringOverflow' || code === 'startedLate';
  if (!isOfEarlier || device === undefined || recording === null) return false;
  // The recorder clears all traces at once.
  if (device === PINNED_HOST) return recording.behindUs.some((time) => time !== null);
  return recording.behindUs.at(device) != null;
}

function namedLifetimes(
  snapshot: Snapshot,
  history: DeviceHistory,
  steps: Steps,
  rows: LongRows,
  stacksOf: SpanStacks,
): DigestStackLifetimes[] {
  const count = steps.starts.length;
  return lifetimesOf(snapshot, history, steps, rows).map(({ stack, forwardStack, drops, ...lifetimes }) => ({
    ...stacksOf.stack(stack, forwardStack),
    ...lifetimes,
    steps: count,
    areStepsSure: steps.isSure,
    binSteps: binStepsOf(count),
    drops: drops.map(({ step, bytes, freeStack }) => ({ step, bytes, site: stacksOf.site(freeStack) })),
  }));
}

function spanStacks(snapshot: Snapshot, frames: DigestFrames): SpanStacks {
  return {
    stack: (stack, forward) => ({
      frames: frames.ofStack(stack),
      forwardFrames: frames.ofStack(forward),
      stackless: stacklessBucket(snapshot, true),
    }),
    site: (stack) => {
      const user = frames.ofStack(stack).find((frame) => frameKind(frames.frames[frame].file) === 'user');
      return user === undefined ? null : frames.frames[user];
    },
  };
}

interface KnownTotals extends DeviceTotals {
  reservedBytes: Bytes;
  requestedBytes: Bytes;
}

/** Live, reserved and requested bytes of each device in the file. */
export function deviceTotals(snapshot: Snapshot): DeviceTotals[] {
  const { blocks, segments, traces, absent } = snapshot;
  const totals = new Map<number, KnownTotals>();
  const of = (device: number): KnownTotals =>
    getOrAdd(totals, device, () => ({ device, liveBytes: 0, reservedBytes: 0, requestedBytes: 0 }));
  for (const trace of traces) of(trace.device);
  for (let segment = 0; segment < segments.count; segment++) {
    of(segments.device[segment]).reservedBytes += segments.totalSize[segment];
  }
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] === BlockState.Inactive) continue;
    const total = of(segments.device[blocks.segment[block]]);
    total.liveBytes += blocks.size[block];
    total.requestedBytes += blocks.requestedSize[block];
  }
  return [...totals.values()]
    .sort((a, b) => hostLast(a, b) || a.device - b.device)
    .map((total) => ({
      ...total,
      reservedBytes: absent.includes('reserved') ? null : total.reservedBytes,
      requestedBytes: absent.includes('requestedSizes') ? null : total.requestedBytes,
    }));
}

function beginsWithSegment({ events }: Snapshot, trace: DeviceTrace): boolean {
  const opening = events.action[trace.first];
  return opening === Action.SegmentAlloc || opening === Action.SegmentMap;
}

/** What a look at the first events tells. */
export function headOf({ events }: Snapshot, trace: DeviceTrace): Omit<TraceHead, 'isWhole'> {
  let hash = 0x811c9dc5;
  const mix = (value: number): void => {
    hash = Math.imul(hash ^ value, 0x01000193);
  };
  const hashes: number[] = [];
  for (let count = 1; count <= Math.min(trace.count, HEAD_EVENTS); count++) {
    const event = trace.first + count - 1;
    mix(events.action[event]);
    mix(events.addrLow[event]);
    mix(events.addrHigh[event]);
    mix(events.size[event] % 0x100000000);
    if ((count & (count - 1)) === 0) hashes.push(hash >>> 0);
  }
  const firstUs = eventTime(events, trace.first);
  return {
    device: trace.device,
    events: trace.count,
    hashes,
    firstUs: firstUs > 0 ? firstUs : null,
  };
}
