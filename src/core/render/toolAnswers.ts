/** Answers for language models. Recorded names are code spans or JSON strings, never prose that could instruct. */
import { evenly } from '../model/evenly.js';
import { findingsOf, worstFirst } from '../report/findings.js';
import { isSuspect } from '../report/lineSelection.js';
import type { CompareReport, LineReport, Report, RunReport, SourceEdit, StackReport } from '../report/report.js';
import type { DeviceWhatIf } from '../report/peak/whatIfDevices.js';
import { visibleLines } from '../text/plainText.js';
import { findingJson } from './findingJson.js';
import { renderCompareMarkdown, renderMarkdown, renderPeakMarkdown } from './renderMarkdown.js';
import { renderWhatIfText } from './renderText.js';

/** Lines in a table at most, leaks apart; findings, their lines, and ranks in an answer. */
const MAX_LISTED = 10;
const MAX_STACKS = 3;
const MAX_FRAMES = 12;
/** Maximum length of a list of numbers: more of them cost a model attention and tell it nothing. */
const MAX_NUMBERS = 8;
/** Maximum number of characters of an answer. */
const MAX_LENGTH = 40_000;
/** Maximum number of characters of the sentence on the omitted part, and of notes. */
const MAX_END = 100;
const MAX_NOTES = 4_000;

/** Every run's verdict, its leaking lines with bytes, rates and holders, and gaps of the recording. */
export function leaksAnswer(report: Report): string {
  return bounded(renderMarkdown(report, { maxLines: MAX_LISTED }));
}

/** Growth between two snapshots by line, as Markdown. */
export function compareAnswer(report: CompareReport): string {
  return bounded(renderCompareMarkdown(report, { maxLines: MAX_LISTED }));
}

/** What each change would reserve, in the words of `leakline what-if`. */
export function whatIfAnswer(devices: readonly DeviceWhatIf[]): string {
  return bounded(renderWhatIfText(devices));
}

/** The memory of each run at its peak and at out of memory, as Markdown. @param rank null for all */
export function peakAnswer(report: Report, rank: number | null): string {
  const runs = report.runs.filter((run) => rank === null || (run.rank ?? 0) === rank);
  if (runs.length > 0) return bounded(renderPeakMarkdown(runs.slice(0, MAX_LISTED), { maxLines: MAX_LISTED }));
  const ranks = [...new Set(report.runs.map((run) => run.rank ?? 0))].slice(0, MAX_LISTED).join(', ');
  return `There is no rank ${rank}. Recorded ranks: ${ranks}.`;
}

/** Lines on which the ranks of a job differ, and ranks that are missing or behind, as JSON. */
export function ranksAnswer({ ranks, missing, behind, runs }: Report): string {
  const messages = (of: readonly { job: string; message: string }[]): object => ({
    count: of.length,
    first: of.slice(0, MAX_LISTED).map(({ job, message }) => ({ job, message })),
  });
  return bounded(
    JSON.stringify({
      runs: runs.length,
      linesThatLeakOnSomeRanks: messages(ranks),
      missing: messages(missing),
      behind: messages(behind),
    }),
  );
}

/** All facts of a finding as JSON: sentence, holder, fix, and numbers, evidence and top stacks of each line and run. */
export function findingAnswer(file: string, line: number, { runs }: Report): string {
  const isHere = (place: { file: string; line: number }): boolean => place.file === file && place.line === line;
  const all = runs
    .flatMap((run) => findingsOf(run.lines.filter(isListed)).map((finding) => ({ run, finding })))
    .sort((a, b) => worstFirst(a.finding, b.finding));
  const found =
    all.find(({ finding }) => isHere(finding)) ?? all.find(({ finding }) => finding.lines.some((one) => isHere(one)));
  if (found === undefined) {
    const others = distinct(all.map(({ finding }) => finding)).slice(0, MAX_LISTED);
    return bounded(
      JSON.stringify({ file, line, verdict: null, meaning: 'This line is in no finding.', findings: others }),
    );
  }
  const same = all.filter(({ finding }) => isAt(finding, found.finding));
  const places = distinct(same.flatMap(({ finding }) => [...finding.lines]));
  const listed = isHere(found.finding) ? places.slice(0, MAX_LISTED) : places.filter(isHere);
  return bounded(
    jsonText({
      finding: findingJson(found.finding, found.run),
      lines: listed.map((place) => ({
        ...place,
        runs: same
          .flatMap(({ run, finding }) => finding.lines.filter((one) => isAt(one, place)).map((one) => partOf(run, one)))
          .slice(0, MAX_LISTED),
      })),
    }),
  );
}

/** A line that a person has to look at, or that only grows so far. */
function isListed(line: LineReport): boolean {
  return isSuspect(line) || (!line.ignored && line.verdict === 'tooShort' && line.growthBytes > 0);
}

function isAt(a: { file: string; line: number }, b: { file: string; line: number }): boolean {
  return a.file === b.file && a.line === b.line;
}

function distinct(places: readonly { file: string; line: number }[]): { file: string; line: number }[] {
  return [...new Map(places.map(({ file, line }) => [`${line}:${file}`, { file, line }])).values()];
}

function partOf(run: RunReport, line: LineReport): object {
  const { stacks, series, ...facts } = line;
  return {
    rank: run.rank,
    stepsAreFrom: run.steps,
    snapshots: run.snapshots.length,
    forecast: run.forecast,
    ...facts,
    liveBytesPerSnapshot: series,
    stacks: stacks.slice(0, MAX_STACKS).map(shortStack),
  };
}

function shortStack({ frames, liveBytes, blocks, verdict }: StackReport): object {
  const innermostFirst = frames.slice(0, MAX_FRAMES).map(({ file, line, function: name }) => `${file}:${line} ${name}`);
  return { liveBytes, blocks, verdict, innermostFirst };
}

/** Lines and columns of an edit from 1, as everywhere else in an answer; lists of numbers are thinned. */
function jsonText(answer: object): string {
  return JSON.stringify(answer, (key, value: unknown) => {
    if (key === 'edit' && value !== null) return countedFromOne(value as SourceEdit);
    const isLong = Array.isArray(value) && value.length > MAX_NUMBERS && value.every((one) => typeof one === 'number');
    return isLong ? evenly(value.length, MAX_NUMBERS).map((at): unknown => value[at]) : value;
  });
}

function countedFromOne({ changes, lines, ...edit }: SourceEdit): SourceEdit {
  return {
    ...edit,
    changes: changes.map(({ startLine, startColumn, endLine, endColumn, newText }) => ({
      startLine: startLine + 1,
      startColumn: startColumn + 1,
      endLine: endLine + 1,
      endColumn: endColumn + 1,
      newText,
    })),
    lines: lines.map(({ line, text }) => ({ line: line + 1, text })),
  };
}

/** An answer and notes on it without invisible characters, which could instruct, within the maximum length. */
export function bounded(answer: string, notes = ''): string {
  const text = visibleLines(answer);
  const end = visibleLines(notes).slice(0, MAX_NOTES);
  if (text.length + end.length <= MAX_LENGTH) return text + end;
  const kept = MAX_LENGTH - MAX_END - end.length;
  return `${text.slice(0, kept).replace(/[\ud800-\udbff]$/, '')}\n… ${text.length - kept} more characters. Ask for one line, or one rank.${end}`;
}
