/** A finding and its lines in words. Every surface shows these texts, and has no wording of its own. */
import { factOf } from '../factOf.js';
import { lineBytes, type Finding } from '../report/findings.js';
import type { HolderReport, LineReport, RunReport } from '../report/report.js';
import { markCode } from '../text/codeInText.js';
import { asItIs, named } from '../text/names.js';
import { byteText } from '../text/numberText.js';
import { nameAndLine } from '../text/pathText.js';
import { sparkline } from '../text/sparkline.js';
import { trendScale } from './trendScale.js';
import { t } from '../text/translate.js';
import { evidenceText, findingEvidence } from './evidenceText.js';
import { findingSentence, shortAmount } from './findingSentence.js';
import { cut, shortPlace } from './shortText.js';
import { VERDICT_SIGNS } from './words.js';

/** Characters of a trend after a line. */
const TREND_WIDTH = 8;
/** Maximum number of characters after a line: they and eighty of code fit into 1,600 pixels beside the side bar. */
const MAX_END = 64;
/** Maximum number of characters of a holder's name after its line. */
const MAX_NAME = 36;

export interface Presented {
  /** The number that matters first, for narrow places: `35.8 MiB/step`. */
  readonly short: string;
  /** `Leaks 35.8 MiB/step (1.3 GiB so far)`. */
  readonly answer: string;
  /** Above the line. */
  readonly lens: string;
  /** After the line, where there is a lens: it completes what the lens says. */
  readonly end: string;
  /** After the line, where there is no lens. */
  readonly endAlone: string;
  /** What was observed, and why it is the verdict. */
  readonly evidence: string | null;
  readonly fix: string | null;
  /** All of it, a sentence each: the tooltip of a row. */
  readonly detail: readonly string[];
}

export interface PresentedFinding extends Presented {
  /** The answer with the holder: `…, held by Model.seen`. */
  readonly sentence: string;
  /** The holder with its explanation; null without one. */
  readonly heldBy: string | null;
  /** True if the explanation says more than the sentence. */
  readonly isExplained: boolean;
}

interface PresentedLine extends Presented {
  /** The holder with its explanation and a place, which is a name; no place if it is this line. */
  readonly heldBy: string | null;
  /** The text of the line as a part of its finding. */
  readonly allocates: string;
  /** The file that allocates and is not in the workspace. */
  readonly unfound: string | null;
  /** Which of several ranks the numbers are of; empty for one. */
  readonly rank: string;
}

/** A line with the runs that show it, the worst first. */
interface LineOfRuns {
  readonly file: string;
  readonly parts: readonly [{ readonly run: RunReport; readonly line: LineReport }, ...unknown[]];
  /** Number of ranks in the report. */
  readonly ranks: number;
}

/** A finding of a run. */
export interface FindingOfRun {
  readonly run: RunReport;
  readonly finding: Finding;
}

/** @param code prints a recorded name */
export function presentFinding({ finding, run: { steps } }: FindingOfRun, code = asItIs): PresentedFinding {
  const { holder } = finding;
  const answer = findingSentence(finding, steps, null);
  const lens = `${finding.verdict === 'growing' ? '◇' : '◆'} ${answer}`;
  const end = cut(holder?.name ?? '', MAX_NAME);
  const sentence = findingSentence(finding, steps, holder === null ? null : code(holder.name));
  const heldBy = holder === null ? null : t('Held by {0}', holder.text);
  const isExplained = holder !== null && holder.text !== holder.name;
  const fix = fixOf(finding, code);
  const evidence = findingEvidence(finding);
  return {
    ...{ short: shortAmount(finding, steps), answer, sentence, lens, end, endAlone: fitting(`${lens}  ${end}`, lens) },
    ...{ heldBy, isExplained, fix, evidence },
    detail: [sentence, isExplained ? heldBy : null, fix, evidence].filter((text) => text !== null),
  };
}

/** Written once for each line: an edit moves marks, and asks for the texts of all of them. */
export const presentLine = factOf(({ file, parts: [{ run, line }, ...others], ranks }: LineOfRuns): PresentedLine => {
  const amount = { ...line, bytes: lineBytes(line) };
  const answer = findingSentence(amount, run.steps, null);
  const unfound = line.unfound === null ? null : t('in {0}, not found', shortPlace(line.unfound));
  const rank = ranks < 2 || run.rank === null ? '' : rankText(run.rank, others.length);
  const amountOnly = `${VERDICT_SIGNS[line.verdict]} ${answer}`;
  const lens = listed(amountOnly, unfound ?? rank);
  const way = wayText(line, { file, line: line.line });
  const trend = line.series.length > 2 ? sparkline(line.series, TREND_WIDTH, trendScale(run)) : '';
  const end = [trend, way].filter(Boolean).join(' ');
  const evidence = line.evidence === null ? null : evidenceText(line.evidence);
  return {
    ...{ short: shortAmount(amount, run.steps), answer, lens, end: cut(end, MAX_END), evidence },
    endAlone: fitting(`${lens}  ${end}`, `${lens}  ${way}`, lens, amountOnly),
    detail: [answer, ...(evidence === null ? [] : [evidence])],
    heldBy: line.holder === null ? null : heldText(line.holder, { file, line: line.line }),
    allocates: t('allocates {0}', byteText(amount.bytes)),
    ...{ unfound, rank, fix: fixOf(line, asItIs) },
  };
});

/** The first text that has room after a line. */
function fitting(...texts: readonly string[]): string {
  const all = texts.map((text) => text.trimEnd());
  return all.find(({ length }) => length <= MAX_END) ?? cut(all[all.length - 1], MAX_END);
}

/** @param places of the lines that allocate */
export function allocatedText(places: readonly string[], max: number): string {
  const rest = places.length - max;
  const named = [...places.slice(0, max), ...(rest > 0 ? [t('{0} more', rest)] : [])];
  return t('Allocated at {0}', named.join(', '));
}

/** Facts beside each other. */
export function listed(...facts: readonly (string | null | undefined)[]): string {
  return facts.filter(Boolean).join(' · ');
}

function rankText(rank: number, others: number): string {
  return others === 0 ? t('rank {0}', rank) : t('rank {0} +{1}', rank, others);
}

function fixOf(
  { verdict, holder }: Pick<Finding, 'verdict' | 'holder'>,
  code: (text: string) => string,
): string | null {
  if (holder?.fix == null) return null;
  const text = markCode(holder.fix, code);
  return verdict === 'growing' ? t('If it is a leak: {0}', text) : t('Fix: {0}', text);
}

function heldText({ file, line, text }: HolderReport, own: { file: string; line: number }): string {
  return file === own.file && line === own.line
    ? t('Held by {0}', text)
    : t('Held by {0}, {1}', text, named(nameAndLine({ file, line })));
}

/** The way to the holder: `→ held at line 18`, or its name if that is this line; without one, first and last value. */
function wayText({ holder, series }: LineReport, from: { file: string; line: number }): string {
  if (holder === null)
    return series.length > 2 ? `${byteText(series[0])} → ${byteText(series[series.length - 1])}` : '';
  if (holder.file === from.file && holder.line === from.line) return cut(holder.name, MAX_NAME);
  return holder.file === from.file ? t('→ held at line {0}', holder.line) : t('→ held at {0}', shortPlace(holder));
}

/** What can be done about a finding, in the same words everywhere. */
export function actionTexts(): Record<'fix' | 'timeline' | 'leaks', string> {
  return { fix: t('Fix…'), timeline: t('Show on timeline'), leaks: t('Show in Leaks') };
}

/** Whether the source is still, or may be, the one that ran. */
interface Staleness {
  /** Edited since, or perhaps a different version. */
  readonly edited: boolean;
  readonly otherVersion: boolean;
  /** The statement that holds the memory was edited, not this line. */
  readonly holderEdited?: boolean;
}

/** Why a line is not the one that ran, in a few words; null if it is. */
export function staleText({ edited, otherVersion }: Staleness): string | null {
  if (!edited) return null;
  return otherVersion ? t('different version') : t('before your edit');
}

/** Above the line. */
export function withStale(lens: string, stale: Staleness): string {
  return listed(lens, staleText(stale));
}

/** After the line: what the lens does not say. Without a lens, an edit is worth more than the holder. */
export function endOfLine({ lens, end, endAlone }: Presented, hasLens: boolean, stale: Staleness): string {
  if (hasLens) return end;
  return stale.edited ? withStale(lens, stale) : endAlone;
}

export function staleSentence({ edited, otherVersion, holderEdited }: Staleness): string | null {
  if (!edited) return null;
  if (holderEdited === true) return t('The statement that holds this memory was edited after the run. Record again.');
  return otherVersion
    ? t('This file is a different version from the one that ran.')
    : t('This line was edited after the run.');
}
