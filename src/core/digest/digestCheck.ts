import * as v from 'valibot';
import { STEP_SOURCES, type RecordedOwner, type Recording } from '../model/recording.js';
import { count, finite } from '../model/schema.js';
import type { SnapshotWarning } from '../model/snapshot.js';
import { CATEGORY_CODES } from '../attribution/categories/category.js';
import type { EqualBlocks } from '../attribution/categories/equalBlocks.js';
import { WEIGHT_EVIDENCE } from '../attribution/categories/olderMemory.js';
import { PHASES } from '../attribution/categories/passPhase.js';
import type { DigestStackLifetimes, SnapshotDigest } from './digest.js';
import type { LiveBlocks, LiveGroup } from './liveGroups.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { DigestPeak } from './digestPeak.js';
import type { Failure } from '../attribution/failures.js';
import type { StacklessBucket } from '../attribution/owner.js';
import type { SegmentFacts } from '../attribution/segmentFacts.js';
import type { DigestStack } from './stackKey.js';
import type { Steps } from '../attribution/steps/steps.js';
import type { TraceCurve } from './traceCurve.js';
import { UNKNOWN, type Anchors, type SpanLives, type TraceSpan } from './traceSpan.js';

const text = v.string();
const flag = v.boolean();
const finiteOrNull = v.nullable(finite);
/** A column is one value to the library, which would else be called for each of its numbers. */
const uint32s = v.custom<Uint32Array>((column) => column instanceof Uint32Array);
const integers = v.custom<Int32Array>((column) => column instanceof Int32Array);
const floats = v.custom<Float64Array>((column) => column instanceof Float64Array && column.every(Number.isFinite));
const ordinals = v.pipe(uint32s, v.check(rises));

/** Fields of one kind. */
function each<Name extends string, Kind extends v.GenericSchema>(kind: Kind, ...names: Name[]): Record<Name, Kind> {
  return Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Kind>;
}

/** True if all columns of a table are as long as it says. */
function isFilled({ count: rows, ...columns }: { readonly count: number }): boolean {
  return Object.values<ArrayLike<number>>(columns).every((column) => column.length === rows);
}

const stackless: v.GenericSchema<StacklessBucket> = v.picklist(['beforeRecording', 'noStack']);
const stepSource: v.GenericSchema<Steps['source']> = v.picklist(['annotations', 'recorder', 'period']);
const frame: v.GenericSchema<DigestFrame> = v.object({ file: text, line: finite, function: text });
const stackFields = { ...each(v.array(count), 'frames', 'forwardFrames'), stackless };
const stack: v.GenericSchema<DigestStack> = v.object(stackFields);
const equal: v.GenericSchema<EqualBlocks> = v.object({ size: finite, blocks: count });
const sum = { bytes: finite, blocks: count };

const group: v.GenericSchema<LiveGroup> = v.object({
  ...stackFields,
  ...each(finite, 'liveBytes', 'requestedBytes', 'blocks'),
  equal,
  categories: v.pipe(
    floats,
    v.check((categories) => categories.length === CATEGORY_CODES),
  ),
});

const blocks: v.GenericSchema<LiveBlocks> = v.pipe(
  v.object({
    count,
    device: integers,
    ...each(uint32s, 'addrLow', 'addrHigh', 'group', 'birth'),
    size: floats,
  }),
  v.check((table) => isFilled(table)),
);

const segments: v.GenericSchema<SegmentFacts> = v.object({
  pools: v.array(
    v.object({
      pool: v.nullable(text),
      stream: text,
      isExpandable: flag,
      ...each(finite, 'device', 'reservedBytes', 'liveBytes', 'idleBytes'),
    }),
  ),
  pinned: v.array(v.object({ ...each(finite, 'device', 'totalBytes', 'liveBytes'), group: count })),
  pending: v.array(v.object({ ...each(finite, 'device', 'bytes', 'blocks'), group: count })),
  outOfMemory: v.array(finite),
  places: v.array(v.object({ device: finite, addresses: v.array(finite) })),
});

const warning: v.GenericSchema<SnapshotWarning> = v.object({
  ...each(text, 'code', 'message'),
  device: v.exactOptional(finite),
});

const steps: v.GenericSchema<Steps> = v.object({
  source: stepSource,
  isSure: v.boolean(),
  device: finite,
  starts: ordinals,
});

const lifetimes: v.GenericSchema<DigestStackLifetimes> = v.object({
  ...stackFields,
  steps: count,
  areStepsSure: v.boolean(),
  binSteps: finite,
  floors: floats,
  survivorBirths: uint32s,
  ...each(finiteOrNull, 'usualFreedAge', 'oldestFreedAge'),
  drops: v.array(v.object({ step: finite, bytes: finite, site: v.nullable(frame) })),
});

const peak: v.GenericSchema<DigestPeak> = v.object({
  ...each(finite, 'device', 'event', 'liveBytes'),
  ...each(finiteOrNull, 'timeUs', 'step', 'reservedBytes'),
  ...each(flag, 'isState', 'hasBackward'),
  phase: v.nullable(v.picklist(PHASES)),
  frames: v.array(count),
  older: v.object({
    ...each(finite, 'bytes', 'parameterBytes', 'stateBytes', 'gradientBytes', 'activationBytes', 'workspaceBytes'),
    evidence: v.nullable(v.picklist(WEIGHT_EVIDENCE)),
    freed: v.array(v.object({ frames: v.array(count), ...sum })),
    held: v.object(sum),
    equal: v.array(equal),
    hasLayers: flag,
  }),
  replayed: v.nullable(
    v.object({ setting: text, ...each(finite, 'reservedPeakBytes', 'insteadOfBytes'), isEstimate: flag }),
  ),
  groups: v.array(
    v.object({
      ...stackFields,
      category: v.pipe(
        count,
        v.check((category) => category < CATEGORY_CODES),
      ),
      ...each(finite, 'bytes', 'blocks', 'keptForBackward', 'fromEarlierSteps'),
      equal,
    }),
  ),
});

const anchors: v.GenericSchema<Anchors> = v.pipe(
  v.object({ at: ordinals, hash: integers, timeUs: floats }),
  v.check(({ at, hash, timeUs }) => hash.length === at.length && timeUs.length === at.length),
);
const meeting = { events: count, anchors, marks: v.array(count), ...each(finiteOrNull, 'takenAtUs', 'behindUs') };

const lives: v.GenericSchema<SpanLives> = v.pipe(
  v.object({
    count,
    ...each(integers, 'birth', 'death'),
    ...each(uint32s, 'addrLow', 'addrHigh', 'stack', 'site'),
    bytes: floats,
  }),
  v.check((table) => isFilled(table)),
);

const span: v.GenericSchema<TraceSpan> = v.pipe(
  v.object({
    ...meeting,
    ...each(finite, 'device', 'since'),
    stepSource,
    starts: ordinals,
    startsUs: v.nullable(floats),
    lives,
    stacks: v.array(stack),
    sites: v.array(v.nullable(frame)),
  }),
  v.check(
    ({ starts, startsUs, lives: { stack: stackOf, site }, stacks, sites }) =>
      (startsUs?.length ?? starts.length) === starts.length &&
      stackOf.every((index) => index === UNKNOWN || index < stacks.length) &&
      site.every((index) => index === UNKNOWN || index < sites.length),
  ),
);

const failure: v.GenericSchema<Failure> = v.object({
  event: count,
  ...each(finite, 'askedBytes', 'liveBytes'),
  ...each(finiteOrNull, 'time', 'deviceFreeBytes', 'reservedBytes'),
  metadata: text,
});

const curve: v.GenericSchema<TraceCurve> = v.pipe(
  v.object({
    device: finite,
    event: ordinals,
    ...each(v.nullable(floats), 'time', 'reserved'),
    startUs: finiteOrNull,
    live: floats,
    outOfMemory: v.array(failure),
    collected: v.array(v.object({ event: count, time: finite, collected: v.object(sum) })),
    meeting: v.object(meeting),
  }),
  v.check(
    ({ event: { length }, time, live, reserved }) =>
      (time?.length ?? length) === length &&
      live.length === length + 1 &&
      (reserved?.length ?? length + 1) === length + 1,
  ),
);

const line = { file: text, line: finite };
const place = v.nullable(v.object(line));

const owner: v.GenericSchema<RecordedOwner> = v.object({
  ...each(text, 'kind', 'name'),
  ...each(finite, 'bytes', 'graphBytes'),
  ...each(flag, 'isDirect', 'outlivesLoops'),
  place,
  allocatedSteps: v.nullable(v.object(each(finite, 'first', 'last', 'steps'))),
  container: v.nullable(v.object({ type: text, length: finite, maxlen: finiteOrNull })),
  items: v.nullable(v.object({ kind: text, type: v.nullable(text) })),
  staleKeys: finiteOrNull,
  pinnedBy: v.nullable(v.object({ text, place })),
  custody: v.nullable(
    v.object({
      ...each(finite, 'sinceStep', 'searches', 'heldBytes', 'freedBytes', 'movedBytes', 'survivedBytes'),
      lengths: v.array(finite),
    }),
  ),
  releases: v.nullable(
    v.array(
      v.object({
        ...line,
        ...each(text, 'function', 'kind', 'where'),
        ...each(finiteOrNull, 'value', 'runs'),
        isConditional: flag,
        hasRun: v.nullable(flag),
      }),
    ),
  ),
  also: v.array(v.object({ name: text, place })),
  allocatedAt: v.array(v.object({ ...line, bytes: finite })),
});

const recording: v.GenericSchema<Recording> = v.object({
  run: text,
  ...each(finiteOrNull, 'rank', 'worldSize', 'step', 'takenAtUs', 'residentBytes', 'graphNodes'),
  ...each(flag, 'isLight', 'isAtEnd', 'isSearchComplete'),
  ...each(v.array(owner), 'owners', 'atFailure'),
  stepSource: v.nullable(v.picklist(STEP_SOURCES)),
  behindUs: v.array(finiteOrNull),
  stepEndsUs: v.array(finite),
  collections: v.array(v.object(each(finite, 'fromUs', 'toUs'))),
  devices: v.array(v.object({ ...each(finite, 'device', 'outsideBytes'), capacityBytes: finiteOrNull })),
  nextPart: place,
  chances: v.object({
    loops: v.nullable(v.array(v.object({ ...line, rounds: finiteOrNull, isStepLoop: flag }))),
    releases: v.nullable(v.array(v.object({ ...line, runs: finite }))),
  }),
  sources: v.array(v.object(each(text, 'file', 'sha256'))),
  commit: v.nullable(text),
});

const digest: v.GenericSchema<SnapshotDigest> = v.object({
  ...each(text, 'path', 'format'),
  rank: v.nullable(count),
  fileBytes: finite,
  eventCount: count,
  ...each(finiteOrNull, 'takenAtUs', 'savedAtUs'),
  devices: v.array(
    v.object({ ...each(finite, 'device', 'liveBytes'), ...each(finiteOrNull, 'reservedBytes', 'requestedBytes') }),
  ),
  warnings: v.array(warning),
  files: v.array(text),
  frames: v.array(frame),
  groups: v.array(group),
  blocks,
  segments,
  heads: v.array(
    v.object({ ...each(finite, 'device', 'events'), hashes: v.array(finite), firstUs: finiteOrNull, isWhole: flag }),
  ),
  steps: v.nullable(steps),
  lifetimes: v.array(lifetimes),
  peaks: v.array(peak),
  scopes: v.array(
    v.object({ name: text, repeats: count, ...each(finite, 'device', 'startBytes', 'endBytes', 'peakBytes') }),
  ),
  failures: v.array(
    v.object({
      ...each(v.array(count), 'frames', 'forwardFrames'),
      largestFreeBytes: finiteOrNull,
      replayed: v.nullable(
        v.object({ setting: v.nullable(text), ...each(finiteOrNull, 'leftBytes', 'shortBytes'), isEstimate: flag }),
      ),
      held: peak,
    }),
  ),
  spans: v.array(span),
  curves: v.array(curve),
  recording: v.nullable(recording),
});

/** True for a digest whose every index leads into its table: nothing that is made of it stumbles. */
export function isDigest(value: unknown): value is SnapshotDigest {
  if (!v.is(digest, value)) return false;
  const { frames, groups, blocks: live, segments: facts, spans } = value;
  const isKnown = (index: number): boolean => index < frames.length;
  const isStack = (stack: { frames: readonly number[]; forwardFrames?: readonly number[] }): boolean =>
    stack.frames.every(isKnown) && (stack.forwardFrames ?? []).every(isKnown);
  const peaks = [...value.peaks, ...value.failures.map(({ held }) => held)];
  return (
    [
      groups,
      value.lifetimes,
      value.failures,
      peaks,
      ...peaks.flatMap((one) => [one.groups, one.older.freed]),
      ...spans.map(({ stacks }) => stacks),
    ].every((stacks) => stacks.every(isStack)) &&
    live.group.every((index) => index < groups.length) &&
    [...facts.pinned, ...facts.pending].every(({ group: index }) => index < groups.length)
  );
}

function rises(column: Uint32Array): boolean {
  return column.every((value, i) => i === 0 || value >= column[i - 1]);
}
