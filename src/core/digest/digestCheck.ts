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
/** A column is one value to the library, which would else be called for each of its numbers. */
const uint32s = v.custom<Uint32Array>((column) => column instanceof Uint32Array);
const integers = v.custom<Int32Array>((column) => column instanceof Int32Array);
const floats = v.custom<Float64Array>((column) => column instanceof Float64Array && column.every(Number.isFinite));

const stackless: v.GenericSchema<StacklessBucket> = v.picklist(['beforeRecording', 'noStack']);
const stepSource: v.GenericSchema<Steps['source']> = v.picklist(['annotations', 'recorder', 'period']);
const frame: v.GenericSchema<DigestFrame> = v.object({ file: text, line: finite, function: text });
const ordinals = v.pipe(uint32s, v.check(rises));

const stackFields = { frames: v.array(count), forwardFrames: v.array(count), stackless };
const stack: v.GenericSchema<DigestStack> = v.object(stackFields);

const equal: v.GenericSchema<EqualBlocks> = v.object({ size: finite, blocks: count });

const group: v.GenericSchema<LiveGroup> = v.object({
  ...stackFields,
  equal,
  liveBytes: finite,
  requestedBytes: finite,
  blocks: finite,
  categories: v.pipe(
    floats,
    v.check((categories) => categories.length === CATEGORY_CODES),
  ),
});

const blocks: v.GenericSchema<LiveBlocks> = v.pipe(
  v.object({
    count,
    device: integers,
    addrLow: uint32s,
    addrHigh: uint32s,
    size: floats,
    group: uint32s,
    birth: uint32s,
  }),
  v.check(({ count: rows, ...columns }) => Object.values(columns).every((column) => column.length === rows)),
);

const segments: v.GenericSchema<SegmentFacts> = v.object({
  pools: v.array(
    v.object({
      device: finite,
      pool: v.nullable(text),
      stream: text,
      isExpandable: flag,
      reservedBytes: finite,
      liveBytes: finite,
      idleBytes: finite,
    }),
  ),
  pinned: v.array(v.object({ device: finite, totalBytes: finite, liveBytes: finite, group: count })),
  pending: v.array(v.object({ device: finite, group: count, bytes: finite, blocks: finite })),
  outOfMemory: v.array(finite),
  places: v.array(v.object({ device: finite, addresses: v.array(finite) })),
});

const warning: v.GenericSchema<SnapshotWarning> = v.object({
  code: text,
  message: text,
  device: v.exactOptional(finite),
});

const steps: v.GenericSchema<Steps> = v.object({ source: stepSource, device: finite, starts: ordinals });

const lifetimes: v.GenericSchema<DigestStackLifetimes> = v.object({
  ...stackFields,
  steps: count,
  stepSource,
  binSteps: finite,
  floors: floats,
  survivorBirths: uint32s,
  usualFreedAge: v.nullable(finite),
  oldestFreedAge: v.nullable(finite),
  drops: v.array(v.object({ step: finite, bytes: finite, site: v.nullable(frame) })),
});

const peak: v.GenericSchema<DigestPeak> = v.object({
  device: finite,
  isState: flag,
  event: finite,
  timeUs: v.nullable(finite),
  step: v.nullable(finite),
  liveBytes: finite,
  reservedBytes: v.nullable(finite),
  phase: v.nullable(v.picklist(PHASES)),
  frames: v.array(count),
  older: v.object({
    bytes: finite,
    evidence: v.nullable(v.picklist(WEIGHT_EVIDENCE)),
    parameterBytes: finite,
    stateBytes: finite,
    gradientBytes: finite,
    activationBytes: finite,
    workspaceBytes: finite,
    freed: v.array(v.object({ frames: v.array(count), bytes: finite, blocks: count })),
    held: v.object({ bytes: finite, blocks: count }),
    equal: v.array(equal),
    hasLayers: flag,
  }),
  hasBackward: flag,
  replayed: v.nullable(
    v.object({ setting: text, reservedPeakBytes: finite, insteadOfBytes: finite, isEstimate: flag }),
  ),
  groups: v.array(
    v.object({
      ...stackFields,
      category: v.pipe(
        count,
        v.check((category) => category < CATEGORY_CODES),
      ),
      bytes: finite,
      blocks: finite,
      equal,
      keptForBackward: finite,
      fromEarlierSteps: finite,
    }),
  ),
});

const anchors: v.GenericSchema<Anchors> = v.pipe(
  v.object({ at: ordinals, hash: integers, timeUs: floats }),
  v.check(({ at, hash, timeUs }) => hash.length === at.length && timeUs.length === at.length),
);
const meeting = {
  events: count,
  anchors,
  marks: v.array(count),
  takenAtUs: v.nullable(finite),
  behindUs: v.nullable(finite),
};

const lives: v.GenericSchema<SpanLives> = v.pipe(
  v.object({
    count,
    birth: integers,
    death: integers,
    addrLow: uint32s,
    addrHigh: uint32s,
    bytes: floats,
    stack: uint32s,
    site: uint32s,
  }),
  v.check(({ count: rows, ...columns }) => Object.values(columns).every((column) => column.length === rows)),
);

const span: v.GenericSchema<TraceSpan> = v.pipe(
  v.object({
    ...meeting,
    device: finite,
    stepSource,
    starts: ordinals,
    startsUs: v.nullable(floats),
    since: finite,
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
  time: v.nullable(finite),
  askedBytes: finite,
  deviceFreeBytes: v.nullable(finite),
  liveBytes: finite,
  reservedBytes: v.nullable(finite),
  metadata: text,
});

const curve: v.GenericSchema<TraceCurve> = v.pipe(
  v.object({
    device: finite,
    event: ordinals,
    time: v.nullable(floats),
    startUs: v.nullable(finite),
    live: floats,
    reserved: v.nullable(floats),
    outOfMemory: v.array(failure),
    collected: v.array(v.object({ event: count, time: finite, collected: v.object({ bytes: finite, blocks: count }) })),
    meeting: v.object(meeting),
  }),
  v.check(
    ({ event: { length }, time, live, reserved }) =>
      (time?.length ?? length) === length &&
      live.length === length + 1 &&
      (reserved?.length ?? length + 1) === length + 1,
  ),
);

const place = v.nullable(v.object({ file: text, line: finite }));

const owner: v.GenericSchema<RecordedOwner> = v.object({
  kind: text,
  name: text,
  place,
  bytes: finite,
  graphBytes: finite,
  allocatedSteps: v.nullable(v.object({ first: finite, last: finite, steps: finite })),
  container: v.nullable(v.object({ type: text, length: finite, maxlen: v.nullable(finite) })),
  items: v.nullable(v.object({ kind: text, type: v.nullable(text) })),
  isDirect: flag,
  outlivesLoops: flag,
  staleKeys: v.nullable(finite),
  pinnedBy: v.nullable(v.object({ text, place })),
  custody: v.nullable(
    v.object({
      sinceStep: finite,
      searches: finite,
      heldBytes: finite,
      freedBytes: finite,
      movedBytes: finite,
      survivedBytes: finite,
      lengths: v.array(finite),
    }),
  ),
  releases: v.nullable(
    v.array(
      v.object({
        file: text,
        line: finite,
        function: text,
        kind: text,
        where: text,
        isConditional: flag,
        value: v.nullable(finite),
        runs: v.nullable(finite),
        hasRun: v.nullable(flag),
      }),
    ),
  ),
  also: v.array(v.object({ name: text, place })),
  allocatedAt: v.array(v.object({ file: text, line: finite, bytes: finite })),
});

const recording: v.GenericSchema<Recording> = v.object({
  run: text,
  rank: v.nullable(finite),
  worldSize: v.nullable(finite),
  isLight: flag,
  isAtEnd: flag,
  step: v.nullable(finite),
  stepSource: v.nullable(v.picklist(STEP_SOURCES)),
  takenAtUs: v.nullable(finite),
  behindUs: v.array(v.nullable(finite)),
  stepEndsUs: v.array(finite),
  collections: v.array(v.object({ fromUs: finite, toUs: finite })),
  devices: v.array(v.object({ device: finite, capacityBytes: v.nullable(finite), outsideBytes: finite })),
  residentBytes: v.nullable(finite),
  graphNodes: v.nullable(finite),
  isSearchComplete: flag,
  owners: v.array(owner),
  atFailure: v.array(owner),
  nextPart: place,
  chances: v.object({
    loops: v.nullable(
      v.array(
        v.object({
          file: text,
          line: finite,
          rounds: v.nullable(finite),
          isStepLoop: flag,
        }),
      ),
    ),
    releases: v.nullable(v.array(v.object({ file: text, line: finite, runs: finite }))),
  }),
  sources: v.array(v.object({ file: text, sha256: text })),
  commit: v.nullable(text),
});

const digest: v.GenericSchema<SnapshotDigest> = v.object({
  path: text,
  rank: v.nullable(count),
  format: text,
  fileBytes: finite,
  eventCount: count,
  takenAtUs: v.nullable(finite),
  savedAtUs: v.nullable(finite),
  devices: v.array(
    v.object({
      device: finite,
      liveBytes: finite,
      reservedBytes: v.nullable(finite),
      requestedBytes: v.nullable(finite),
    }),
  ),
  warnings: v.array(warning),
  files: v.array(text),
  frames: v.array(frame),
  groups: v.array(group),
  blocks,
  segments,
  heads: v.array(
    v.object({ device: finite, events: count, hashes: v.array(finite), firstUs: v.nullable(finite), isWhole: flag }),
  ),
  steps: v.nullable(steps),
  lifetimes: v.array(lifetimes),
  peaks: v.array(peak),
  scopes: v.array(
    v.object({
      device: finite,
      name: text,
      repeats: count,
      startBytes: finite,
      endBytes: finite,
      peakBytes: finite,
    }),
  ),
  failures: v.array(
    v.object({
      frames: v.array(count),
      forwardFrames: v.array(count),
      largestFreeBytes: v.nullable(finite),
      replayed: v.nullable(
        v.object({
          setting: v.nullable(text),
          leftBytes: v.nullable(finite),
          shortBytes: v.nullable(finite),
          isEstimate: flag,
        }),
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
