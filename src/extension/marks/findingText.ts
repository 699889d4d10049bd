/** The sentences of a finding: short ones for the editor and its views, complete ones for hovers. */
import { evidenceText, findingEvidence } from '../../core/report/evidenceText.js';
import { lineBytes } from '../../core/report/findings.js';
import { amountSentence, findingSentence } from '../../core/report/findingSentence.js';
import type { LineReport, RunReport, StackReport } from '../../core/report/report.js';
import { byteText } from '../../core/text/byteText.js';
import { Command, InternalCommand } from '../contributions.js';
import { holdsOthers, type FindingMark } from '../results/findingMarks.js';
import type { LineMark } from '../results/lineMarks.js';
import { commandLink, escapeMarkdown } from '../text/markdownText.js';
import { basename } from '../text/pathText.js';
import type { Translator } from '../text/translator.js';

/** Characters of the holder's name behind its line. */
const MAX_NAME = 36;
/** Lines that a hover names. */
const MAX_LINES = 4;
const MAX_FRAMES = 4;

/** Commands that links of a hover may run. */
export const HOVER_COMMANDS: readonly string[] = [
  InternalCommand.showLine,
  InternalCommand.openSource,
  Command.fixLeak,
  Command.showLineOnTimeline,
];

/** `Leaks 35.8 MiB/step (1.3 GiB so far), held by Model.seen`. */
export function sentenceOf({ parts: [{ run, finding }] }: FindingMark): string {
  return findingSentence(finding, run.steps);
}

/** The lens above the statement. The text at the end of the line completes the sentence. */
export function holderLensText({ parts: [{ run, finding }] }: FindingMark): string {
  return `◆ ${amountSentence(finding, run.steps)}`;
}

/** The text at the end of the line: the holder, and without a lens also the amount. */
export function holderLineText(finding: FindingMark, withLens: boolean): string {
  const name = finding.parts[0].finding.holder?.name ?? '';
  const short = name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1)}…`;
  return withLens ? short : `${holderLensText(finding)}  ${short}`;
}

/** The place of a hover, and the targets of its links. */
interface HoverPlace {
  /** The allocating line; null above the statement that holds memory of others. */
  readonly mark: LineMark | null;
  /** Why the line may differ from the one that ran; null if it does not. */
  readonly stale: string | null;
  /** True if a problem on this line already contains the sentence and the lines that allocate. VS Code shows it above. */
  readonly isInProblem: boolean;
  /** True for files of the workspace: only these are linked. */
  readonly canOpen: (file: string) => boolean;
}

/** The finding of a marked line as Markdown, the answer first. Recorded names and paths are escaped. */
export function hoverMarkdown(
  finding: FindingMark,
  { mark, stale, isInProblem, canOpen }: HoverPlace,
  l10n: Translator,
): string {
  const { run, finding: whole } = finding.parts[0];
  const part = mark?.parts[0] ?? { run, line: whole.lines[0] };
  const answer = mark === null ? amountSentence(whole, run.steps) : lineAnswer(part);
  const { holder } = mark === null ? whole : part.line;
  const link = (place: { file: string; line: number }, label = `${basename(place.file)}:${place.line}`): string =>
    canOpen(place.file)
      ? commandLink(label, InternalCommand.openSource, [{ file: place.file, line: place.line }])
      : escapeMarkdown(label);
  const isElsewhere = mark !== null && holder !== null && !(holder.file === mark.file && holder.line === mark.line);
  const paragraphs = isInProblem ? [] : [`**${escapeMarkdown(answer)}**`];
  if (stale !== null) paragraphs.push(`*${escapeMarkdown(stale)}*`);
  if (holder !== null && !(isInProblem && holder.text === holder.name)) {
    const by = escapeMarkdown(l10n.t('Held by {0}', holder.text));
    paragraphs.push(isElsewhere ? `${by}, ${link(holder)}` : by);
  }
  if (!isInProblem && (mark === null || (!isElsewhere && holdsOthers(finding))))
    paragraphs.push(allocatedMarkdown(finding, link, l10n));
  const fix = whole.holder?.fix ?? null;
  if (fix !== null) paragraphs.push(escapeMarkdown(l10n.t('Fix: {0}', fix)));
  paragraphs.push(actionLinks(finding, mark ?? finding.lines[0], l10n));
  const evidence = mark === null ? findingEvidence(whole) : part.line.evidence && evidenceText(part.line.evidence);
  if (evidence !== null) paragraphs.push(escapeMarkdown(evidence));
  const stack = part.line.stacks.at(0);
  if (stack !== undefined) paragraphs.push(stackMarkdown(stack, canOpen, link));
  return paragraphs.join('\n\n');
}

/** The part of a finding that one line allocates. */
export function lineAnswer({ run, line }: { run: RunReport; line: LineReport }): string {
  return amountSentence({ ...line, bytes: lineBytes(line) }, run.steps);
}

function allocatedMarkdown({ lines }: FindingMark, link: (mark: LineMark) => string, l10n: Translator): string {
  const named = lines
    .slice(0, MAX_LINES)
    .map((mark) => `${link(mark)} ${escapeMarkdown(`(${byteText(lineBytes(mark.parts[0].line))})`)}`);
  const rest = lines.length - named.length;
  if (rest > 0) named.push(escapeMarkdown(l10n.t('{0} more', rest)));
  return `${escapeMarkdown(l10n.t('Allocated at'))} ${named.join(', ')}`;
}

function actionLinks(finding: FindingMark, mark: LineMark, l10n: Translator): string {
  const statement = [{ file: finding.file, line: finding.line }];
  const hasEdit = finding.parts[0].finding.holder?.edit != null;
  return [
    ...(hasEdit ? [commandLink(l10n.t('Fix…'), Command.fixLeak, statement)] : []),
    commandLink(l10n.t('Show on timeline'), Command.showLineOnTimeline, [{ file: mark.file, line: mark.line }]),
    commandLink(l10n.t('Show in Leaks'), InternalCommand.showLine, statement),
  ].join(' · ');
}

function stackMarkdown(
  { frames }: StackReport,
  canOpen: (file: string) => boolean,
  link: (place: { file: string; line: number }, label: string) => string,
): string {
  const own = frames.filter(({ file }) => canOpen(file));
  return (own.length > 0 ? own : frames)
    .slice(0, MAX_FRAMES)
    .map((frame) => link(frame, `${frame.function} (${basename(frame.file)}:${frame.line})`))
    .join(' ← ');
}
