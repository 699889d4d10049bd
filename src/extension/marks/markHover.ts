/** The story of a line as Markdown. Names and paths come from the recording: they are escaped, never markup. */
import type { StackReport } from '../../core/report/report.js';
import { Command, InternalCommand } from '../contributions.js';
import type { LineMark } from '../results/lineMarks.js';
import { byteText } from '../../core/text/byteText.js';
import { holderSourceText } from '../../core/report/reportWords.js';
import { commandLink, escapeMarkdown } from '../text/markdownText.js';
import { basename } from '../text/pathText.js';
import { sparkline } from '../../core/text/sparkline.js';
import type { Translator } from '../text/translator.js';
import { blocksText, evidenceTexts, headlineText, spanText, verdictText } from './markText.js';

const MOST_STACKS = 3;
const MOST_FRAMES = 4;

/** Commands that links of a hover may run. */
export const HOVER_COMMANDS: readonly string[] = [
  InternalCommand.showLine,
  InternalCommand.openSource,
  Command.showLineOnTimeline,
];

/**
 * @param stale why the line may not be the one that ran, null if it is
 * @param canOpen true for files of the workspace: their frames become links
 */
export function hoverMarkdown(
  mark: LineMark,
  stale: string | null,
  canOpen: (file: string) => boolean,
  l10n: Translator,
): string {
  const part = mark.parts[0];
  const { line } = part;
  const paragraphs = [
    `**${escapeMarkdown(headlineText(mark, l10n))}** — ${escapeMarkdown(verdictText(line.verdict, l10n))}`,
  ];
  if (stale !== null) paragraphs.push(`*${escapeMarkdown(stale)}*`);
  paragraphs.push(
    evidenceTexts(part, l10n)
      .map((sentence) => `- ${escapeMarkdown(sentence)}`)
      .join('\n'),
  );
  if (line.series.length > 1) {
    paragraphs.push(`${sparkline(line.series, 24)}  ${escapeMarkdown(spanText(line.series))}`);
  }
  if (line.holder !== null) {
    const { text, file, line: at, source, fix } = line.holder;
    const keeper = l10n.t('Kept by {0} ({1}:{2}), {3}.', text, basename(file), at, holderSourceText(source));
    paragraphs.push(escapeMarkdown([keeper, fix ?? ''].join(' ').trim()));
  }
  for (const stack of line.stacks.slice(0, MOST_STACKS)) paragraphs.push(stackMarkdown(stack, canOpen, l10n));
  const place = [{ file: mark.file, line: mark.line }];
  const { holder } = line;
  const isElsewhere = holder !== null && !(holder.file === mark.file && holder.line === mark.line);
  paragraphs.push(
    [
      ...(isElsewhere && canOpen(holder.file)
        ? [
            commandLink(l10n.t('Go to what keeps it'), InternalCommand.openSource, [
              { file: holder.file, line: holder.line },
            ]),
          ]
        : []),
      commandLink(l10n.t('Show in Leaks'), InternalCommand.showLine, place),
      commandLink(l10n.t('Show on timeline'), Command.showLineOnTimeline, place),
    ].join(' · '),
  );
  return paragraphs.join('\n\n');
}

function stackMarkdown(stack: StackReport, canOpen: (file: string) => boolean, l10n: Translator): string {
  const frames = stack.frames.filter(({ file }) => canOpen(file));
  const named = (frames.length > 0 ? frames : stack.frames)
    .slice(0, MOST_FRAMES)
    .map(({ file, line, function: name }) => {
      const label = `${name} (${basename(file)}:${line})`;
      return canOpen(file) ? commandLink(label, InternalCommand.openSource, [{ file, line }]) : escapeMarkdown(label);
    });
  const amount = `${byteText(stack.liveBytes)} · ${blocksText(stack.blocks, l10n)}`;
  return `${escapeMarkdown(amount)}: ${named.join(' ← ')}`;
}
