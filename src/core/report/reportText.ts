/** Words that the renderings share. */
import type { Category } from '../attribution/category.js';
import type { Bucket } from '../attribution/owner.js';
import { getOrAdd } from '../maps.js';
import type { RunOrder } from '../runs/runs.js';
import { countText } from '../text/numberText.js';
import { GROWS } from '../verdict/shape.js';
import { t, tCount } from '../text/translate.js';
import { deviceName } from '../text/deviceName.js';
import { byteText, signedByteText } from '../text/byteText.js';
import { bucketParts } from './bucketParts.js';
import { findingsOf } from './findings.js';
import { sum } from './lineSelection.js';
import type {
  CategoryAmount,
  CompareReport,
  HolderReport,
  LineReport,
  PeakReport,
  RunReport,
  SnapshotReport,
  StepSource,
  Verdict,
} from './report.js';

/** The name of a bucket. */
export function bucketText(bucket: Bucket): string {
  return {
    library: t('library or native code'),
    beforeRecording: t('before recording'),
    noStack: t('no stack recorded'),
  }[bucket];
}

/** The reason why a comparison has no surviving blocks. */
export function unknownFlowSentence({ a, b }: CompareReport): string {
  return a.events === 0 || b.events === 0
    ? t('Surviving blocks are unknown: one snapshot has no trace.')
    : t('Surviving blocks are unknown: the two traces do not overlap.');
}

/** How a holder is known. */
export function holderSourceText(source: HolderReport['source']): string {
  return {
    recorder: t('seen in the running process'),
    cycle: t('a reference cycle'),
    pattern: t('read from the source'),
  }[source];
}

/** A rate: an amount per step. */
export function perStep(amount: string, steps: StepSource | null): string {
  switch (steps) {
    case null:
      return amount;
    case 'annotations':
    case 'recorder':
    case 'period':
      return t('{0}/step', amount);
    case 'snapshots':
      return t('{0}/snapshot', amount);
    case 'time':
      return t('{0}/second', amount);
  }
}

/** The name of a verdict in tables. */
export const VERDICT_TEXT: Readonly<Record<Verdict, string>> = {
  leak: 'LEAK',
  cycle: 'cycle',
  periodic: 'periodic',
  growing: 'growing?',
  plateau: 'plateau',
  oneOff: 'one-off',
  steady: 'steady',
  tooShort: 'growth',
};

/** Names of categories. */
export function categoryText(category: Category): string {
  return {
    parameters: t('parameters'),
    gradients: t('gradients'),
    optimizerState: t('optimizer state'),
    activations: t('activations'),
    inputs: t('inputs'),
    weightCopies: t('autocast’s weight copies'),
    backward: t('backward pass'),
    workspace: t('workspace'),
    other: t('other'),
  }[category];
}

/** Amounts by category, largest first; empty if there are none. */
export function categoriesText(amounts: readonly CategoryAmount[]): string {
  return amounts
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ category, bytes }) => `${categoryText(category)} ${byteText(bytes)}`)
    .join(', ');
}

/** The categories of the live bytes in a run's last snapshot. */
export function liveCategoriesText({ categories }: RunReport): string {
  return categoriesText(categories.map(({ category, liveBytes: bytes }) => ({ category, bytes })));
}

/** The part of a pass, as an adverbial; null if unknown. */
export function passText({ phase }: Pick<PeakReport, 'phase'>): string | null {
  if (phase === null) return null;
  return {
    forward: t('in the forward pass'),
    backward: t('in the backward pass'),
    optimizer: t('in the optimizer’s step'),
    evaluation: t('in the evaluation'),
  }[phase];
}

/** The event of a peak, the line that allocates there and its module. */
export function peakPlace({ event, at, module }: PeakReport, code: (text: string) => string): string {
  if (event < 0) return t('Before the trace begins');
  const ordinal = countText(event);
  if (at === null) return t('After event {0}', ordinal);
  const place = code(placeText(at));
  return module === null
    ? t('After event {0}, at {1}', ordinal, place)
    : t('After event {0}, at {1} in module {2}', ordinal, place, code(module));
}

/** Time, place and categories of the peak. @param code makes a code span of a recorded name */
export function peakSentence(peak: PeakReport, code: (text: string) => string): string {
  if (peak.isState) {
    const amount = [deviceName(peak.device), byteText(peak.liveBytes), countText(peak.liveBytes)];
    return `${t('Held on {0}: {1} ({2} B)', ...amount)}: ${categoriesText(peak.categories)}.`;
  }
  const live = [deviceName(peak.device), byteText(peak.liveBytes), countText(peak.liveBytes)];
  const height =
    peak.step === null
      ? t('Peak of {0}: {1} live ({2} B)', ...live)
      : t('Peak of {0}: {1} live ({2} B) in step {3}', ...live, countText(peak.step));
  const pass = passText(peak);
  return `${height}${pass === null ? '' : ` ${pass}`}. ${peakPlace(peak, code)}: ${categoriesText(peak.categories)}.`;
}

/** A line's verdict in a word. For too few snapshots: growth, or live memory without growth. */
export function verdictText({ verdict, growthBytes, ignored, inBaseline }: LineReport): string {
  if (ignored) return inBaseline ? 'baseline' : 'ignored';
  return verdict === 'tooShort' && growthBytes <= 0 ? 'live' : VERDICT_TEXT[verdict];
}

/** A sentence on the run's verdict, and one on ignored lines. @param code makes a code span of a recorded name */
export function verdictSentence(run: RunReport, code: (text: string) => string = (text) => text): string {
  const count = (baseline: boolean): number =>
    run.lines.filter(({ ignored, inBaseline }) => ignored && inBaseline === baseline).length;
  const [ignored, old] = [count(false), count(true)];
  return [
    isLoneSnapshot(run) ? holdersSentence(run, code) : judgedSentence(run),
    ...(ignored === 0 ? [] : [tCount(ignored, '1 line is ignored.', '{0} lines are ignored.')]),
    ...(old === 0 ? [] : [tCount(old, '1 line is in the baseline.', '{0} lines are in the baseline.')]),
  ].join(' ');
}

/** One snapshot in which nothing grows: users need the holders of its memory. */
export function isLoneSnapshot({ verdict, snapshots }: RunReport): boolean {
  return snapshots.length === 1 && !GROWS.has(verdict) && verdict !== 'cycle';
}

/** Parts of the memory that are named in one sentence. */
const MAX_PARTS = 3;
/** Share of all from which a part is named beside the largest. */
const LEAST_PART = 0.01;

/** Whether the passes of a lone snapshot's trace leave memory behind; empty without passes. */
function passesText({ passes }: RunReport): string[] {
  if (passes === null) return [];
  const { count, growthBytes } = passes;
  return [
    growthBytes <= 0
      ? t('Nothing grows over {0} passes.', countText(count))
      : t(
          'Live memory grows by {0} over the last half of {1} passes: record more of them.',
          byteText(growthBytes),
          countText(count),
        ),
  ];
}

/** The peak and what holds it, or, without a trace, the live memory. */
function holdersSentence(run: RunReport, code: (text: string) => string): string {
  const peak = run.peaks.find(({ liveBytes: bytes }) => bytes > 0);
  if (peak === undefined) {
    const { total, largest } = endParts(run, code);
    return total === 0 ? t('Nothing is live.') : t('{0} live. Largest: {1}.', byteText(total), largest);
  }
  const pass = passText(peak);
  const height = pass === null ? byteText(peak.liveBytes) : `${byteText(peak.liveBytes)} ${pass}`;
  // Memory at out of memory is listed above.
  return [
    peak.isState
      ? t('Held on {0}: {1}.', deviceName(peak.device), byteText(peak.liveBytes))
      : peak.isTruncated
        ? t('Peak of {0} in the recorded part: {1}.', deviceName(peak.device), height)
        : t('Peak of {0}: {1}.', deviceName(peak.device), height),
    ...(run.outOfMemory.length > 0 ? [] : [t('Largest: {0}.', peakParts(peak, code))]),
    ...passesText(run),
  ].join(' ');
}

/** The largest parts of a peak, with their places. */
export function peakParts(peak: PeakReport, code: (text: string) => string): string {
  const libraries = peak.libraries.map(({ name, bytes }) => [bytes, t('{0} (library)', code(name))] as const);
  const known = sum(libraries, ([bytes]) => bytes);
  return largestText([
    ...peak.lines.map((line) => [line.bytes, code(placeText(line))] as const),
    [peak.otherLines.bytes, otherLinesText(peak.otherLines.lines)],
    ...libraries,
    ...bucketParts(peak).map(
      ([bucket, bytes]) => [bucket === 'library' ? bytes - known : bytes, `(${bucketText(bucket)})`] as const,
    ),
  ]);
}

/** The memory that is live in the last snapshot, and its largest parts. */
export function endParts(run: RunReport, code: (text: string) => string): { total: number; largest: string } {
  const parts = [
    ...run.lines.map((line) => [line.liveBytes, code(placeText(line))] as const),
    [run.otherLines.liveBytes, otherLinesText(run.otherLines.lines)] as const,
    ...bucketParts(run).map(([bucket, bytes]) => [bytes, `(${bucketText(bucket)})`] as const),
  ];
  return { total: sum(parts, ([bytes]) => bytes), largest: largestText(parts) };
}

/** The largest parts of a memory, with their places. */
function largestText(parts: readonly (readonly [bytes: number, place: string])[]): string {
  const all = sum(parts, ([bytes]) => bytes);
  return parts
    .filter(([bytes]) => bytes > 0)
    .sort(([a], [b]) => b - a)
    .filter(([bytes], i) => i === 0 || bytes >= LEAST_PART * all)
    .slice(0, MAX_PARTS)
    .map(([bytes, place]) => `${byteText(bytes)} ${place}`)
    .join(', ');
}

function judgedSentence(run: RunReport): string {
  const isNews = GROWS.has(run.verdict) || run.verdict === 'cycle' || run.verdict === 'tooShort';
  if (!isNews && run.lines.some((line) => line.ignored && GROWS.has(line.verdict))) return t('No new leak.');
  const leaks = findingsOf(run.lines.filter((line) => line.verdict === 'leak' && !line.ignored));
  return {
    // A single one contains its amount.
    leak: tCount(
      leaks.length,
      '1 leak.',
      '{0} leaks: {1} so far.',
      byteText(sum(leaks, ({ bytes }) => bytes) + run.otherLines.leakedBytes),
    ),
    cycle: t('A reference cycle holds memory until the garbage collector runs.'),
    periodic: t('Memory rises and falls periodically; no leak.'),
    growing: t('Memory grows: a buffer and a leak still look the same. Record more snapshots.'),
    plateau: t('Memory rose and stays level.'),
    oneOff: t('Memory rose once and stays level.'),
    steady: t('Memory is steady.'),
    tooShort: t('Too few snapshots for a verdict: record at least 3.'),
  }[run.verdict];
}

/** Growth per step; empty where there is none, or none is known. */
export function rateText(line: LineReport, steps: StepSource | null): string {
  const rate = Math.round(line.bytesPerStep ?? 0);
  const isKnown = line.verdict !== 'tooShort' || line.growthBytes !== 0;
  return rate === 0 || steps === null || !isKnown ? '' : perStep(signedByteText(rate), steps);
}

/** `train.py:12`, or the file alone where the line is not known. */
export function fileAndLine({ file, line }: { file: string; line: number }): string {
  return line > 0 ? `${file}:${line}` : file;
}

/** Where a line is, in one piece that editors and terminals make a link of. */
export function placeText(place: { file: string; line: number; function: string }): string {
  return `${fileAndLine(place)} (${place.function})`;
}

/** Live bytes of all devices. */
export function liveBytes(snapshot: SnapshotReport): number {
  return sum(snapshot.devices, (device) => device.liveBytes);
}

/** One line per device that holds memory. */
export function deviceTexts(snapshot: SnapshotReport): string[] {
  const held = snapshot.devices.filter(({ liveBytes: live, reservedBytes }) => live > 0 || (reservedBytes ?? 0) > 0);
  return (held.length === 0 ? snapshot.devices.slice(0, 1) : held).map(
    ({ device, liveBytes: live, requestedBytes, reservedBytes, privatePoolBytes }) =>
      [
        t('{0}: {1} live ({2} B)', deviceName(device), byteText(live), countText(live)),
        ...(requestedBytes === null ? [] : [t('{0} of it requested', byteText(requestedBytes))]),
        ...(reservedBytes === null ? [] : [t('{0} reserved', byteText(reservedBytes))]),
        ...(privatePoolBytes === 0 ? [] : [t('{0} of it in private pools', byteText(privatePoolBytes))]),
      ].join(', '),
  );
}

/**
 * Warnings of a run's snapshots, each kind once per device, with the number of snapshots. Numbers are those of the
 * last.
 */
export function warningTexts(snapshots: readonly SnapshotReport[]): string[] {
  const kinds = new Map<string, string[]>();
  for (const { warnings } of snapshots) {
    const seen = new Map<string, number>();
    for (const { code, device, message } of warnings) {
      // The peak explains older memory, with its share and what to do.
      if (code === 'startedLate') continue;
      const sort = `${code} ${device ?? ''}`;
      const ordinal = seen.get(sort) ?? 0;
      seen.set(sort, ordinal + 1);
      getOrAdd(kinds, `${sort} ${ordinal}`, () => []).push(message);
    }
  }
  return [...kinds.values()].map((messages) => {
    const last = messages[messages.length - 1];
    if (snapshots.length === 1) return last;
    const [some, all] = [countText(messages.length), countText(snapshots.length)];
    return new Set(messages).size === 1
      ? t('{0} ({1} of {2} snapshots)', last, some, all)
      : t('{0} ({1} of {2} snapshots; the numbers are the last one’s)', last, some, all);
  });
}

/** Files that are different versions from those that ran, in one sentence, with the place of a function now. */
export function differentVersionTexts({ lines }: RunReport): string[] {
  const differing = lines.filter(({ differs }) => differs !== null);
  if (differing.length === 0) return [];
  const [first] = differing;
  const files = new Set(differing.map(({ file }) => file));
  if (files.size > 1) {
    return [
      t(
        '{0} files are different versions from those that ran, so their lines may have moved: {1}.',
        countText(files.size),
        [...files].slice(0, MAX_PARTS).join(', ') + (files.size > MAX_PARTS ? ', …' : ''),
      ),
    ];
  }
  const place = [first.file, first.function, first.line];
  const now = first.differs?.line ?? null;
  return [
    now === null
      ? t('{0} is a different version: {1} does not enclose line {2}.', ...place)
      : t('{0} is a different version: {1} does not enclose line {2}, it begins at line {3}.', ...place, now),
  ];
}

/** The source of the order of a run's snapshots, without steps and times in the files. */
function orderText(order: RunOrder): string | null {
  switch (order) {
    case 'namedTimes':
      return t('in order of the times in their names');
    case 'savedTimes':
      return t('in order of when their files were written, which copying may have changed');
    case 'names':
      return t('in order of their names');
    default:
      return null;
  }
}

/** The number of a run's snapshots, and their steps or the source of their order. */
export function spanText(run: RunReport): string {
  const order = run.snapshots.length > 1 ? orderText(run.order) : null;
  const more = run.atExit.length === 0 ? [] : [tCount(run.atExit.length, '1 more at exit', '{0} more at exit')];
  if (order !== null) return [snapshotsText(run.snapshots.length), order, ...more].join(', ');
  const steps = run.snapshots.map((snapshot) => snapshot.step).filter((step) => step !== null);
  const [first] = steps;
  const last = steps[steps.length - 1];
  const span = steps.length === 0 ? [] : [first === last ? t('step {0}', first) : t('steps {0} to {1}', first, last)];
  return [snapshotsText(run.snapshots.length), ...span, ...more].join(', ');
}

export function snapshotsText(count: number): string {
  return tCount(count, '1 snapshot', '{0} snapshots');
}

/** Lines of a table that are not in it by name. */
export function otherLinesText(count: number): string {
  return tCount(count, '1 other line', '{0} other lines');
}
