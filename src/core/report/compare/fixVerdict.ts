import { rateOfRun } from '../../verdict/rate.js';
import { t, tCount } from '../../text/translate.js';
import { byteText } from '../../text/numberText.js';
import { matchLines } from './lineMatching.js';
import { sum } from '../lineSelection.js';
import type { FixAnswer, FixLine, FixVerdict, LineReport, RunReport, StepSource, Verdict } from '../report.js';
import { areSteps } from '../reportText.js';

/** Rates this near to each other are the same. */
const NEAR = 0.1;
/** Snapshots between the same steps from which on rates are taken from them. */
const MIN_COMMON = 3;
/** Two sources that count the same steps. */
const COUNTED: ReadonlySet<StepSource | null> = new Set(['annotations', 'recorder']);
/** Verdicts under which memory still grows, or may. */
const OPEN: ReadonlySet<Verdict> = new Set(['growing', 'tooShort']);

/**
 * Tells whether a change of the program fixed its leaks. Rates cover equal steps. Lines that one run ignores do not
 * count.
 */
export function fixVerdict(before: RunReport, after: RunReport): FixVerdict {
  const rateOf = ratesOf(before, after);
  const all = matchLines(before.lines, after.lines);
  const pairs = new Map([...all].filter(([line, later]) => !line.ignored && !later.ignored));
  const matched = new Set(all.values());
  const counted = before.lines.filter((line) => !line.ignored && all.get(line)?.ignored !== true);
  const leaks = counted.filter(isLeak);
  const lines = [
    ...leaks.map((line) => fixLine(line, pairs.get(line) ?? null, after, rateOf)),
    ...counted
      .filter((line) => !isLeak(line))
      .flatMap((line) => {
        const later = pairs.get(line);
        return later === undefined || !isLeak(later) ? [] : [newLine(line, later, rateOf)];
      }),
    ...after.lines.filter((line) => isLeak(line) && !matched.has(line)).map((line) => newLine(null, line, rateOf)),
  ];
  const grew = counted
    .filter(({ verdict }) => verdict === 'growing')
    .map((line) => fixLine(line, pairs.get(line) ?? null, after, rateOf));
  // Growth that a change ends needs no proof that it was a leak.
  const isOver = lines.length === 0 && grew.length > 0 && !OPEN.has(after.verdict) && grew.every(hasStopped);
  const shown = (isOver ? grew : lines).sort((a, b) => fastest(b) - fastest(a));
  return {
    ...(isOver ? { answer: 'gone', why: t('Nothing grows now.') } : conclude(before, after, shown)),
    before: sideOf(before, isOver ? 'growing' : 'leak', rateOf.before),
    after: sideOf(after, 'leak', rateOf.after),
    lines: shown,
  };
}

/** True if a line grew over the steps that both runs have, and does not now. */
function hasStopped({ answer, bytesPerStepBefore: was, bytesPerStepAfter: is }: FixLine): boolean {
  return answer === 'gone' && was !== null && was > 0 && is !== null && is <= NEAR * was;
}

/** Bytes per step of a line, null if the steps of the runs are not comparable. */
type LineRate = (line: LineReport) => number | null;

function ratesOf(before: RunReport, after: RunReport): { before: LineRate; after: LineRate } {
  const from = Math.max(firstStep(before), firstStep(after));
  const to = Math.min(lastStep(before), lastStep(after));
  const within = (run: RunReport): number[] =>
    run.snapshots.flatMap(({ step }, i) => (step !== null && step >= from && step <= to ? [i] : []));
  const common = { before: within(before), after: within(after) };
  if (common.before.length >= MIN_COMMON && common.after.length >= MIN_COMMON) {
    const over =
      (run: RunReport, places: readonly number[]): LineRate =>
      (line) =>
        rateOfRun(
          places.map((i) => run.snapshots[i].step ?? 0),
          places.map((i) => line.series[i]),
        )?.median ?? null;
    return { before: over(before, common.before), after: over(after, common.after) };
  }
  const alike =
    (COUNTED.has(before.steps) && COUNTED.has(after.steps)) || (before.steps === after.steps && areSteps(before.steps));
  const rate: LineRate = (line) => (alike ? line.bytesPerStep : null);
  return { before: rate, after: rate };
}

function firstStep(run: RunReport): number {
  return Math.min(...run.snapshots.map(({ step }) => step ?? Infinity));
}

function lastStep(run: RunReport): number {
  return Math.max(...run.snapshots.map(({ step }) => step ?? -Infinity));
}

function fixLine(
  line: LineReport,
  later: LineReport | null,
  after: RunReport,
  rateOf: { before: LineRate; after: LineRate },
): FixLine {
  const was = rateOf.before(line);
  const is = later === null ? 0 : rateOf.after(later);
  return {
    ...placeOf(later ?? line),
    lineBefore: line.line,
    lineAfter: later?.line ?? null,
    verdictBefore: line.verdict,
    verdictAfter: later?.verdict ?? null,
    bytesPerStepBefore: was,
    bytesPerStepAfter: is,
    answer: answerOf(later, after, was, is),
  };
}

function answerOf(later: LineReport | null, after: RunReport, was: number | null, is: number | null): FixAnswer {
  // A line that was not seen at all may come yet, if little was seen.
  if (later === null) return after.verdict === 'tooShort' ? 'cannotTell' : 'gone';
  if (OPEN.has(later.verdict) && (is === null || is > 0)) return 'cannotTell';
  if (later.verdict === 'tooShort') return 'cannotTell';
  // Memory that the garbage collector frees is held by a cycle until then.
  if (later.verdict === 'cycle') return 'smaller';
  if (!isLeak(later) && later.verdict !== 'growing') return 'gone';
  return compared(was, is);
}

function compared(was: number | null, is: number | null): FixAnswer {
  if (was === null || is === null || was <= 0) return 'cannotTell';
  if (is > was * (1 + NEAR)) return 'worse';
  return is < was * (1 - NEAR) ? 'smaller' : 'same';
}

/** A line that leaks only now. */
function newLine(line: LineReport | null, later: LineReport, rateOf: { before: LineRate; after: LineRate }): FixLine {
  const wasOpen = line !== null && OPEN.has(line.verdict) && line.growthBytes > 0;
  return {
    ...placeOf(later),
    lineBefore: line?.line ?? null,
    lineAfter: later.line,
    verdictBefore: line?.verdict ?? null,
    verdictAfter: later.verdict,
    bytesPerStepBefore: line === null ? 0 : rateOf.before(line),
    bytesPerStepAfter: rateOf.after(later),
    answer: wasOpen ? 'cannotTell' : 'worse',
  };
}

function conclude(before: RunReport, after: RunReport, lines: readonly FixLine[]): Pick<FixVerdict, 'answer' | 'why'> {
  const old = lines.filter((line) => line.verdictBefore === 'leak');
  const fresh = lines.filter((line) => line.verdictBefore !== 'leak');
  const left = lines.filter((line) => line.verdictAfter === 'leak');
  if (before.verdict === 'tooShort') {
    return cannotTell(
      t(
        'The run before is too short to show a leak: record at least 3 snapshots, or one with a trace of at least 15 steps.',
      ),
    );
  }
  if (after.verdict === 'tooShort') {
    return cannotTell(
      t(
        'The run after is too short to show a leak: record at least 3 snapshots, or one with a trace of at least 15 steps.',
      ),
    );
  }
  if (lines.length === 0) {
    if (before.verdict === 'growing') {
      return cannotTell(t('Memory of the earlier run still grows. Record more steps of it.'));
    }
    return after.verdict === 'growing'
      ? cannotTell(t('Memory of the later run still grows. Record more steps of it.'))
      : { answer: 'same', why: t('Neither run leaks.') };
  }
  if (old.length === 0) {
    return fresh.some((line) => line.answer === 'worse')
      ? { answer: 'worse', why: beganText(fresh) }
      : cannotTell(t('The lines that leak now only grew before. Record more steps of the earlier run.'));
  }
  if (lines.every((line) => line.answer === 'gone')) {
    const now = tCount(old.length, 'It does not leak now.', 'None of them leaks now.');
    return { answer: 'gone', why: `${leakedText(old)} ${now}` };
  }
  const undecided = lines.filter((line) => line.answer === 'cannotTell');
  if (undecided.some((line) => line.bytesPerStepBefore === null || line.bytesPerStepAfter === null)) {
    return cannotTell(
      t(
        'A leak remains, and the two runs have no common steps to compare its rate: take snapshots at the same steps ' +
          'and put the step into their names, or use the recorder.',
      ),
    );
  }
  if (undecided.length > 0) {
    return cannotTell(
      tCount(
        undecided.length,
        '1 line grows in one of the runs, unconfirmed. Record more steps.',
        '{0} lines grow in one of the runs, unconfirmed. Record more steps.',
      ),
    );
  }
  const was = sum(old, (line) => line.bytesPerStepBefore ?? 0);
  const is = sum(left, (line) => line.bytesPerStepAfter ?? 0);
  const began =
    fresh.length === 0
      ? []
      : [tCount(fresh.length, '1 of these lines did not leak before.', '{0} of these lines did not leak before.')];
  return { answer: compared(was, is), why: [leakedText(old), leaksText(left), ...began].join(' ') };
}

function cannotTell(why: string): Pick<FixVerdict, 'answer' | 'why'> {
  return { answer: 'cannotTell', why };
}

function leakedText(lines: readonly FixLine[]): string {
  const rate = rateOfAll(lines.map((line) => line.bytesPerStepBefore));
  return rate === null
    ? tCount(lines.length, '1 line leaked before.', '{0} lines leaked before.')
    : tCount(lines.length, '1 line leaked {1} per step before.', '{0} lines leaked {1} per step before.', rate);
}

function leaksText(lines: readonly FixLine[]): string {
  const rate = rateOfAll(lines.map((line) => line.bytesPerStepAfter));
  return rate === null
    ? tCount(lines.length, '1 line leaks now.', '{0} lines leak now.')
    : tCount(lines.length, '1 line leaks {1} per step now.', '{0} lines leak {1} per step now.', rate);
}

function beganText(lines: readonly FixLine[]): string {
  const rate = rateOfAll(lines.map((line) => line.bytesPerStepAfter));
  return rate === null
    ? tCount(lines.length, '1 line began to leak.', '{0} lines began to leak.')
    : tCount(lines.length, '1 line began to leak {1} per step.', '{0} lines began to leak {1} per step.', rate);
}

/** Bytes per step of all together, null if one is unknown. */
function rateOfAll(rates: readonly (number | null)[]): string | null {
  return rates.includes(null) ? null : byteText(Math.round(sum(rates, (rate) => rate ?? 0)));
}

function sideOf(run: RunReport, verdict: Verdict, rateOf: LineRate): FixVerdict['before'] {
  const rates = run.lines.filter((line) => line.verdict === verdict && !line.ignored).map(rateOf);
  return {
    run: run.id,
    rank: run.rank,
    lastStep: Number.isFinite(lastStep(run)) ? lastStep(run) : null,
    snapshots: run.snapshots.length,
    leakBytesPerStep: rates.includes(null) ? null : sum(rates, (rate) => rate ?? 0),
  };
}

function placeOf({ file, function: name, mapped }: LineReport): Pick<FixLine, 'file' | 'function' | 'mapped'> {
  return { file, function: name, mapped };
}

function fastest(line: FixLine): number {
  return Math.max(line.bytesPerStepBefore ?? 0, line.bytesPerStepAfter ?? 0);
}

function isLeak(line: LineReport): boolean {
  return line.verdict === 'leak' && !line.ignored;
}
