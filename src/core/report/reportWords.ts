/** Words that the renderings share. */
import type { Category } from '../analysis/categories.js';
import type { Bucket } from '../analysis/owner.js';
import { byteText, countText, signedByteText } from './byteText.js';
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

/** What the buckets are called. */
export const BUCKET_WORD: Readonly<Record<Bucket, string>> = {
  library: 'library or native code',
  beforeRecording: 'before recording',
  noStack: 'no stack recorded',
};

/** Why a comparison does not say which blocks survived. */
export function unknownFlowSentence({ a, b }: CompareReport): string {
  const isTraceless = a.events === 0 || b.events === 0;
  return `Which blocks survived is not known: ${isTraceless ? 'not both have a trace' : 'the two traces do not overlap'}.`;
}

/** How a holder is known. */
export const HOLDER_SOURCE_WORD: Readonly<Record<HolderReport['source'], string>> = {
  recorder: 'seen in the running process',
  cycle: 'a reference cycle',
  pattern: 'read from the source',
};

/** What a rate is per. */
export const STEP_WORD: Readonly<Record<StepSource, string>> = {
  annotations: 'step',
  recorder: 'step',
  period: 'step',
  snapshots: 'snapshot',
  time: 'second',
};

const VERDICT_WORD: Readonly<Record<Verdict, string>> = {
  leak: 'LEAK',
  sawtooth: 'sawtooth',
  periodic: 'periodic',
  filling: 'filling?',
  plateau: 'plateau',
  oneOff: 'one-off',
  steady: 'steady',
  tooShort: 'growth',
};

const CATEGORY_WORD: Readonly<Record<Category, string>> = {
  parameters: 'parameters',
  gradients: 'gradients',
  optimizerState: 'optimizer state',
  activations: 'activations',
  inputs: 'inputs',
  workspace: 'workspace',
  other: 'other',
};

/** What memory is for, in words. */
export function categoryWord(category: Category): string {
  return CATEGORY_WORD[category];
}

/** Amounts by category, largest first; empty if there are none. */
export function categoriesText(amounts: readonly CategoryAmount[]): string {
  return amounts
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ category, bytes }) => `${CATEGORY_WORD[category]} ${byteText(bytes)}`)
    .join(', ');
}

/** What the live bytes of a run's last snapshot are for. */
export function liveCategoriesText({ categories }: RunReport): string {
  return categoriesText(categories.map(({ category, liveBytes: bytes }) => ({ category, bytes })));
}

/** When and where memory was highest, and what it was for. */
export function peakSentence(peak: PeakReport): string {
  const at = peak.event < 0 ? 'before the trace begins' : `after event ${countText(peak.event)}`;
  const step = peak.step === null ? '' : ` in step ${countText(peak.step)}`;
  return (
    `Peak of device ${peak.device}: ${byteText(peak.liveBytes)} live (${countText(peak.liveBytes)} B)${step}, ${at}: ` +
    `${categoriesText(peak.categories)}.`
  );
}

/** A line's verdict in a word. Too few snapshots show growth where there is some, and what is live where there is none. */
export function verdictWord({ verdict, growthBytes, ignored }: LineReport): string {
  if (ignored) return 'ignored';
  return verdict === 'tooShort' && growthBytes <= 0 ? 'live' : VERDICT_WORD[verdict];
}

/** One sentence on what a run's verdict means, and one on what the workspace ignores. */
export function verdictSentence(run: RunReport): string {
  const ignored = run.lines.filter((line) => line.ignored).length;
  return ignored === 0
    ? judgedSentence(run)
    : `${judgedSentence(run)} ${plural(ignored, 'line')} ${ignored === 1 ? 'is' : 'are'} ignored.`;
}

function judgedSentence(run: RunReport): string {
  const leaks = run.lines.filter((line) => line.verdict === 'leak' && !line.ignored);
  const leaked = byteText(sum(leaks, (line) => line.leakedBytes));
  switch (run.verdict) {
    case 'leak':
      return `${leaked} leaked on ${plural(leaks.length, 'line')}.`;
    case 'sawtooth':
      return 'Memory climbs until the garbage collector runs: a reference cycle holds it.';
    case 'periodic':
      return 'Memory climbs and is given back, again and again.';
    case 'filling':
      return 'Still filling or leaking: more snapshots will tell.';
    case 'plateau':
      return 'Memory rose and stays level.';
    case 'oneOff':
      return 'Memory rose once and stays level.';
    case 'steady':
      return 'Memory is steady.';
    case 'tooShort':
      return run.snapshots.length === 1
        ? 'A single snapshot shows what is live, not what leaks: record at least 3.'
        : 'Too few snapshots for a verdict: growth is shown as growth. Record at least 3.';
  }
}

/** Growth per step; empty where there is none, or none is known. */
export function rateText(line: LineReport, steps: StepSource): string {
  const rate = Math.round(line.bytesPerStep ?? 0);
  return rate === 0 ? '' : `${signedByteText(rate)}/${STEP_WORD[steps]}`;
}

/** Where a line is, in one piece that editors and terminals make a link of. */
export function placeText({ file, line, function: name }: { file: string; line: number; function: string }): string {
  return `${file}${line > 0 ? `:${line}` : ''} (${name})`;
}

/** Live bytes of all devices. */
export function liveBytes(snapshot: SnapshotReport): number {
  return sum(snapshot.devices, (device) => device.liveBytes);
}

/** One line per device. */
export function deviceTexts(snapshot: SnapshotReport): string[] {
  return snapshot.devices.map(({ device, liveBytes: live, requestedBytes, reservedBytes }) =>
    [
      `device ${device}: ${byteText(live)} live (${countText(live)} B)`,
      ...(requestedBytes === null ? [] : [`${byteText(requestedBytes)} of it requested`]),
      ...(reservedBytes === null ? [] : [`${byteText(reservedBytes)} reserved`]),
    ].join(', '),
  );
}

/** Warnings of a run's snapshots, each once, with the number of snapshots that give it. */
export function warningTexts(snapshots: readonly SnapshotReport[]): string[] {
  const counts = new Map<string, number>();
  for (const { warnings } of snapshots) {
    for (const message of new Set(warnings.map((warning) => warning.message))) {
      counts.set(message, (counts.get(message) ?? 0) + 1);
    }
  }
  return [...counts].map(([message, count]) =>
    snapshots.length > 1 ? `${message} (${count} of ${plural(snapshots.length, 'snapshot')})` : message,
  );
}

/** The steps that a run's snapshots were taken at. */
export function spanText(run: RunReport): string {
  const steps = run.snapshots.map((snapshot) => snapshot.step).filter((step) => step !== null);
  const [first] = steps;
  const last = steps[steps.length - 1];
  const span = steps.length === 0 ? '' : first === last ? `, step ${first}` : `, steps ${first} to ${last}`;
  return plural(run.snapshots.length, 'snapshot') + span;
}

export function plural(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}
