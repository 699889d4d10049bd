/** What the mark of a statement says that keeps other lines' memory. */
import { byteText } from '../../core/text/byteText.js';
import { Command, InternalCommand } from '../contributions.js';
import type { KeeperMark } from '../results/keeperMarks.js';
import { commandLink, escapeMarkdown } from '../text/markdownText.js';
import { basename } from '../text/pathText.js';
import type { Translator } from '../text/translator.js';
import { placeText } from './markText.js';

/** Characters of the holder's name behind its line. */
const LONGEST_NAME = 36;
/** Lines that a hover names. */
const MOST_LINES = 8;

/** The lens above the statement, 40 characters at most: `◆ keeps 1.2 GiB of model.py:14`. */
export function keeperLensText({ bytes, kept }: KeeperMark, l10n: Translator): string {
  const amount = byteText(bytes);
  return kept.length === 1
    ? `◆ ${l10n.t('keeps {0} of {1}', amount, placeText(kept[0].mark))}`
    : `◆ ${l10n.t('keeps {0} of {1} lines', amount, kept.length)}`;
}

/** The text behind it: in what it keeps, and without a lens also how much. */
export function keeperLineText(keeper: KeeperMark, withLens: boolean, l10n: Translator): string {
  const { name } = keeper;
  const short = name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
  const where = l10n.t('kept in {0}', short);
  return withLens ? where : `${keeperLensText(keeper, l10n)}  ${where}`;
}

/** Its hover, as Markdown: what is kept, with links to the lines that allocate it, and what to do. */
export function keeperMarkdown(
  keeper: KeeperMark,
  stale: string | null,
  canOpen: (file: string) => boolean,
  l10n: Translator,
): string {
  const { bytes, kept, name, fix } = keeper;
  const lines = kept.slice(0, MOST_LINES).map(({ mark: { file, line }, bytes: ofLine }) => {
    const place = `${basename(file)}:${line}`;
    const link = canOpen(file)
      ? commandLink(place, InternalCommand.openSource, [{ file, line }])
      : escapeMarkdown(place);
    return `- ${link}: ${escapeMarkdown(byteText(ofLine))}`;
  });
  const rest = kept.length - lines.length;
  if (rest > 0) lines.push(`- ${escapeMarkdown(l10n.t('and {0} more', rest))}`);
  const { file, line } = kept[0].mark;
  return [
    `**◆ ${escapeMarkdown(l10n.t('Keeps {0} in {1}', byteText(bytes), name))}** — ${escapeMarkdown(
      kept.length === 1 ? l10n.t('what this line allocates:') : l10n.t('what these lines allocate:'),
    )}`,
    ...(stale === null ? [] : [`*${escapeMarkdown(stale)}*`]),
    lines.join('\n'),
    ...(fix === null ? [] : [escapeMarkdown(fix)]),
    [
      commandLink(l10n.t('Show in Leaks'), InternalCommand.showLine, [{ file, line }]),
      commandLink(l10n.t('Show on timeline'), Command.showLineOnTimeline, [{ file, line }]),
    ].join(' · '),
  ].join('\n\n');
}
