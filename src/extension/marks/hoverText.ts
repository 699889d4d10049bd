/** The finding of a marked line as Markdown, the answer first. */
import { lineBytes } from '../../core/report/findings.js';
import type { StackReport } from '../../core/report/report.js';
import { actionTexts, allocatedText, presentFinding, presentLine } from '../../core/present/presented.js';
import { byteText } from '../../core/text/numberText.js';
import { named, printNames } from '../../core/text/names.js';
import { frameText, nameAndLine } from '../../core/text/pathText.js';
import { Command, InternalCommand } from '../contributions.js';
import { holdsOthers, type FindingMark } from '../results/findingMarks.js';
import type { LineMark } from '../results/lineMarks.js';
import { commandLink, escapeMarkdown } from '../text/markdownText.js';

/** Maximum number of lines that a hover names. */
const MAX_LINES = 4;
const MAX_FRAMES = 4;

/** Commands that links of a hover may run. */
export const HOVER_COMMANDS: readonly string[] = [
  InternalCommand.showLine,
  InternalCommand.openSource,
  Command.fixLeak,
  Command.showLineOnTimeline,
];

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

/** Recorded names and paths are escaped, and places in the workspace are links. */
export function hoverMarkdown(finding: FindingMark, { mark, stale, isInProblem, canOpen }: HoverPlace): string {
  const { finding: whole } = finding.parts[0];
  const told = presentFinding(finding.parts[0]);
  const { answer, heldBy, evidence } = mark === null ? told : presentLine(mark);
  const link = (place: { readonly file: string; readonly line: number }, label: string): string =>
    canOpen(place.file)
      ? commandLink(label, InternalCommand.openSource, [{ file: place.file, line: place.line }])
      : escapeMarkdown(label);
  const { holder } = mark === null ? whole : mark.parts[0].line;
  const isHere = holder === null || mark === null || (holder.file === mark.file && holder.line === mark.line);
  const stack = (mark?.parts[0].line ?? whole.lines[0]).stacks.at(0);
  return [
    isInProblem ? null : `**${escapeMarkdown(answer)}**`,
    stale === null ? null : `*${escapeMarkdown(stale)}*`,
    heldBy === null || (isInProblem && !told.isExplained)
      ? null
      : printNames(heldBy, (label) => (holder === null ? label : link(holder, label)), escapeMarkdown),
    isInProblem || !(mark === null || (isHere && holdsOthers(finding))) ? null : allocatedMarkdown(finding, link),
    told.fix === null ? null : escapeMarkdown(told.fix),
    actionLinks(finding, mark ?? finding.lines[0]),
    evidence === null ? null : escapeMarkdown(evidence),
    stack === undefined ? null : stackMarkdown(stack, canOpen, link),
  ]
    .filter((paragraph) => paragraph !== null)
    .join('\n\n');
}

function allocatedMarkdown({ lines }: FindingMark, link: (mark: LineMark, label: string) => string): string {
  const places = lines.map(
    ({ file, line, parts }) => `${named(nameAndLine({ file, line }))} (${byteText(lineBytes(parts[0].line))})`,
  );
  return printNames(allocatedText(places, MAX_LINES), (label, i) => link(lines[i], label), escapeMarkdown);
}

function actionLinks(finding: FindingMark, mark: LineMark): string {
  const statement = [{ file: finding.file, line: finding.line }];
  const { fix, timeline, leaks } = actionTexts();
  return [
    ...(finding.parts[0].finding.holder?.edit == null ? [] : [commandLink(fix, Command.fixLeak, statement)]),
    commandLink(timeline, Command.showLineOnTimeline, [{ file: mark.file, line: mark.line }]),
    commandLink(leaks, InternalCommand.showLine, statement),
  ].join(' · ');
}

function stackMarkdown(
  { frames }: StackReport,
  canOpen: (file: string) => boolean,
  link: (frame: StackReport['frames'][number], label: string) => string,
): string {
  const own = frames.filter(({ file }) => canOpen(file));
  return (own.length > 0 ? own : frames)
    .slice(0, MAX_FRAMES)
    .map((frame) => link(frame, frameText(frame)))
    .join(' ← ');
}
