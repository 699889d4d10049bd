import type {
  Collection,
  GrownContainer,
  RecordedChances,
  RecordedContainer,
  RecordedDevice,
  RecordedLoop,
  RecordedOwner,
  RecordedRelease,
  RecordedSource,
  Recording,
} from '../model/recording.js';
import type { SettingValue, SnapshotWarning } from '../model/snapshot.js';
import { CATEGORY_CODES } from '../attribution/categories.js';
import type { EqualBlocks } from '../attribution/equalBlocks.js';
import { PHASES } from '../attribution/passPhase.js';
import type { DeviceTotals, DigestStackLifetimes, SnapshotDigest, TraceHead } from './digest.js';
import type { LiveBlocks, LiveGroup } from './liveGroups.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { DigestFailure, DigestPeak, DigestPeakGroup } from './digestPeak.js';
import type { Failure } from '../attribution/failures.js';
import type { StacklessBucket } from '../attribution/owner.js';
import type { PendingBlocks, PinnedSegment, PoolFacts, SegmentFacts } from '../attribution/segmentFacts.js';
import {
  bool,
  count,
  floats,
  integers,
  list,
  number,
  oneOf,
  orNull,
  record,
  text,
  where,
  words,
  type Shape,
} from './shape.js';
import type { StackWords } from './stackKey.js';
import type { Steps } from '../attribution/steps.js';
import type { FreeingCollection } from '../timeline/collectorMarks.js';
import type { TraceCurve } from './traceCurve.js';
import { UNKNOWN, type Anchors, type SpanLives, type TraceMeeting, type TraceSpan } from './traceSpan.js';

const stackless: Shape<StacklessBucket> = oneOf('beforeRecording', 'noStack');
const stepSource: Shape<Steps['source']> = oneOf('annotations', 'recorder', 'period');
const frame: Shape<DigestFrame> = record({ file: text, line: number, function: text });
const ordinals = where(words, rises);

const stackWords = { frames: list(count), forwardFrames: list(count), stackless };
const stack: Shape<StackWords> = record(stackWords);

const equal: Shape<EqualBlocks> = record({ size: number, blocks: count });

const group: Shape<LiveGroup> = record({
  ...stackWords,
  equal,
  liveBytes: number,
  requestedBytes: number,
  blocks: number,
  categories: where(floats, (categories) => categories.length === CATEGORY_CODES),
});

const blocks: Shape<LiveBlocks> = where(
  record({ count, device: integers, addrLow: words, addrHigh: words, size: floats, group: words, birth: words }),
  ({ count: rows, ...columns }) => Object.values(columns).every((column) => column.length === rows),
);

const setting: Shape<SettingValue> = (value): value is SettingValue =>
  value === null || text(value) || typeof value === 'number' || bool(value) || settings(value);
function settings(value: unknown): value is { readonly [key: string]: SettingValue } {
  return typeof value === 'object' && value !== null && Object.values(value).every(setting);
}

const segments: Shape<SegmentFacts> = record({
  pools: list<PoolFacts>(
    record({
      device: number,
      pool: orNull(text),
      stream: text,
      isExpandable: bool,
      reservedBytes: number,
      liveBytes: number,
      idleBytes: number,
    }),
  ),
  pinned: list<PinnedSegment>(record({ device: number, totalBytes: number, liveBytes: number, group: count })),
  pending: list<PendingBlocks>(record({ device: number, group: count, bytes: number, blocks: number })),
  outOfMemory: list(number),
  places: list<SegmentFacts['places'][number]>(record({ device: number, addresses: list(number) })),
  settings: orNull(settings),
});

const sentence = record<Omit<SnapshotWarning, 'device'>>({ code: text, message: text });
const warning: Shape<SnapshotWarning> = (value): value is SnapshotWarning =>
  sentence(value) && (!('device' in value) || count(value.device));

const steps: Shape<Steps> = record({ source: stepSource, device: number, starts: ordinals });

const lifetimes: Shape<DigestStackLifetimes> = record({
  ...stackWords,
  steps: count,
  stepSource,
  binSteps: number,
  floors: floats,
  survivorBirths: words,
  usualFreedAge: orNull(number),
  oldestFreedAge: orNull(number),
  drops: list(record({ step: number, bytes: number, site: orNull(frame) })),
});

const peak: Shape<DigestPeak> = record({
  device: number,
  event: number,
  timeUs: orNull(number),
  step: orNull(number),
  liveBytes: number,
  reservedBytes: orNull(number),
  phase: orNull(oneOf(...PHASES)),
  frames: list(count),
  older: record({
    parameterBytes: number,
    stateBytes: number,
    hasGradients: bool,
    freed: list(record({ frames: list(count), bytes: number, blocks: count })),
  }),
  groups: list<DigestPeakGroup>(
    record({
      ...stackWords,
      category: where(count, (category) => category < CATEGORY_CODES),
      bytes: number,
      blocks: number,
      equal,
      keptForBackward: number,
      fromEarlierSteps: number,
    }),
  ),
});

const anchors: Shape<Anchors> = where(
  record({ at: ordinals, hash: integers, timeUs: floats }),
  ({ at, hash, timeUs }) => hash.length === at.length && timeUs.length === at.length,
);
const meeting = {
  events: count,
  anchors,
  marks: list(count),
  takenAtUs: orNull(number),
  behindUs: orNull(number),
};

const lives: Shape<SpanLives> = where(
  record({
    count,
    birth: integers,
    death: integers,
    addrLow: words,
    addrHigh: words,
    bytes: floats,
    stack: words,
    site: words,
  }),
  ({ count: rows, ...columns }) => Object.values(columns).every((column) => column.length === rows),
);

const span: Shape<TraceSpan> = where(
  record({
    ...meeting,
    device: number,
    stepSource,
    starts: ordinals,
    startsUs: orNull(floats),
    since: number,
    lives,
    stacks: list(stack),
    sites: list(orNull(frame)),
  }),
  ({ starts, startsUs, lives: { stack: stackOf, site }, stacks, sites }) =>
    (startsUs?.length ?? starts.length) === starts.length &&
    stackOf.every((index) => index === UNKNOWN || index < stacks.length) &&
    site.every((index) => index === UNKNOWN || index < sites.length),
);

const failure: Shape<Failure> = record({
  event: count,
  time: orNull(number),
  askedBytes: number,
  deviceFreeBytes: orNull(number),
  liveBytes: number,
  reservedBytes: orNull(number),
  metadata: text,
});

const curve: Shape<TraceCurve> = where(
  record({
    device: number,
    event: ordinals,
    time: orNull(floats),
    startUs: orNull(number),
    live: floats,
    reserved: orNull(floats),
    outOfMemory: list(failure),
    collected: list<FreeingCollection>(
      record({ event: count, time: number, collected: record({ bytes: number, blocks: count }) }),
    ),
    meeting: record<TraceMeeting>(meeting),
  }),
  ({ event: { length }, time, live, reserved }) =>
    (time?.length ?? length) === length &&
    live.length === length + 1 &&
    (reserved?.length ?? length + 1) === length + 1,
);

const recording: Shape<Recording> = record({
  run: text,
  rank: orNull(number),
  worldSize: orNull(number),
  isLight: bool,
  step: orNull(number),
  takenAtUs: orNull(number),
  behindUs: list(orNull(number)),
  stepEndsUs: list(number),
  collections: list<Collection>(record({ fromUs: number, toUs: number })),
  devices: list<RecordedDevice>(record({ device: number, capacityBytes: orNull(number), outsideBytes: number })),
  owners: list<RecordedOwner>(
    record({
      kind: text,
      name: text,
      file: text,
      line: number,
      bytes: number,
      graphBytes: number,
      allocatedSteps: orNull(number),
      container: orNull<RecordedContainer>(record({ type: text, length: number, maxlen: orNull(number) })),
      allocatedAt: list(record({ file: text, line: number, bytes: number })),
    }),
  ),
  chances: record<RecordedChances>({
    loops: orNull(
      list<RecordedLoop>(
        record({
          file: text,
          function: text,
          line: number,
          lastLine: number,
          rounds: orNull(number),
          isStepLoop: bool,
        }),
      ),
    ),
    releases: orNull(list<RecordedRelease>(record({ file: text, line: number, runs: number }))),
    containers: orNull(
      list<GrownContainer>(
        record({
          root: text,
          name: text,
          file: text,
          line: number,
          kind: text,
          length: number,
          previousLength: number,
          bound: orNull(number),
          bytes: number,
        }),
      ),
    ),
    fullCollections: orNull(number),
  }),
  sources: list<RecordedSource>(record({ file: text, sha256: text })),
  commit: orNull(text),
});

const digest: Shape<SnapshotDigest> = record({
  path: text,
  rank: orNull(count),
  format: text,
  fileBytes: number,
  eventCount: count,
  takenAtUs: orNull(number),
  savedAtUs: orNull(number),
  devices: list<DeviceTotals>(
    record({ device: number, liveBytes: number, reservedBytes: orNull(number), requestedBytes: orNull(number) }),
  ),
  warnings: list(warning),
  frames: list(frame),
  groups: list(group),
  blocks,
  segments,
  heads: list<TraceHead>(
    record({ device: number, events: count, hashes: list(number), firstUs: orNull(number), isWhole: bool }),
  ),
  steps: orNull(steps),
  lifetimes: list(lifetimes),
  peaks: list(peak),
  failures: list<DigestFailure>(
    record({
      frames: list(count),
      forwardFrames: list(count),
      largestFreeBytes: orNull(number),
      held: peak,
    }),
  ),
  spans: list(span),
  curves: list(curve),
  recording: orNull(recording),
});

/** True of a digest whose every index leads into its table: nothing that is made of it stumbles. */
export function isDigest(value: unknown): value is SnapshotDigest {
  if (!digest(value)) return false;
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
