/** The texts of marks: short ones for the editor, sentences for the hover. */
import { basename } from '../text/pathText.js';
import type { CompareLine } from '../../core/report/report.js';
import type { LineMark, MarkTone } from '../results/lineMarks.js';
import { byteText, signedByteText } from '../../core/text/byteText.js';
import { countText } from '../../core/text/numberText.js';
import { sparkline } from '../../core/text/sparkline.js';
import { lineAnswer } from './findingText.js';
import type { Translator } from '../text/translator.js';

/** Maximum length of a place in a lens. */
const MAX_PLACE = 18;
/** Maximum length of a snapshot's name in a lens. */
const MAX_NAME = 20;

export function blocksText(blocks: number, l10n: Translator): string {
  return blocks === 1 ? l10n.t('1 block') : l10n.t('{0} blocks', countText(blocks));
}

/** A sign beside the color of each tone. */
const GLYPHS: Record<MarkTone, string> = { leak: '▲', cycle: '↻', growth: '▲', growing: '△' };

/** Which of several ranks a mark's numbers are of; empty if there is one only. */
export function rankText(mark: LineMark, l10n: Translator): string {
  const { rank } = mark.parts[0].run;
  if (mark.ranks < 2 || rank === null) return '';
  const others = mark.parts.length - 1;
  return others === 0 ? l10n.t('rank {0}', rank) : l10n.t('rank {0} +{1}', rank, others);
}

/** `model.py:14`, its name shortened in the middle where it is long. */
export function placeText({ file, line }: { file: string; line: number }): string {
  const name = basename(file);
  const room = MAX_PLACE - `:${line}`.length;
  if (name.length <= room) return `${name}:${line}`;
  const half = (room - 1) >> 1;
  return `${name.slice(0, room - 1 - half)}…${name.slice(-half)}:${line}`;
}

/** The lens above a marked line: the amount, as in its finding. */
export function lensText(mark: LineMark, l10n: Translator): string {
  const { line } = mark.parts[0];
  const text = `${GLYPHS[mark.tone]} ${lineAnswer(mark.parts[0])}`;
  if (line.unfound !== null) return l10n.t('{0} · in {1}, not found', text, placeText(line.unfound));
  return [text, rankText(mark, l10n)].filter(Boolean).join(' · ');
}

/** Characters of a trend behind a line. */
const TREND_WIDTH = 8;

/**
 * The text at the end of a line that allocates: trend and the way to the holder, which says the rest; without one, first
 * and last value. Without a lens, also the amount.
 */
export function endOfLineText(mark: LineMark, withLens: boolean, l10n: Translator): string {
  const { line } = mark.parts[0];
  const hasTrend = line.series.length > 2;
  const story = line.holder !== null ? wayText(line.holder, mark.file, l10n) : hasTrend ? spanText(line.series) : '';
  const trend = [hasTrend ? sparkline(line.series, TREND_WIDTH) : '', story].filter(Boolean).join(' ');
  return [withLens ? '' : lensText(mark, l10n), trend].filter(Boolean).join('  ');
}

/** `→ held at line 18`, in another file `→ held at model.py:18`. */
function wayText(holder: { file: string; line: number }, from: string, l10n: Translator): string {
  return holder.file === from
    ? l10n.t('→ held at line {0}', holder.line)
    : l10n.t('→ held at {0}:{1}', basename(holder.file), holder.line);
}

/** First and last value of a series: `161 MiB → 1.4 GiB`. */
function spanText(series: readonly number[]): string {
  return `${byteText(series[0])} → ${byteText(series[series.length - 1])}`;
}

/** The lens above a line that two snapshots were compared on. */
export function compareLensText(line: CompareLine, pathA: string, l10n: Translator): string {
  return l10n.t('{0} since {1}', signedByteText(line.growthBytes), snapshotName(pathA));
}

/** The name of a snapshot's file without its ending, shortened in the middle where it is long. */
export function snapshotName(path: string): string {
  const name = basename(path).replace(/\.(pickle|pkl)(\.gz)?$/i, '');
  if (name.length <= MAX_NAME) return name;
  const half = (MAX_NAME - 1) >> 1;
  return `${name.slice(0, half)}…${name.slice(-half)}`;
}

/** The text of a mark whose line differs from the one that ran, or may differ. */
export function staleText(text: string, { edited, otherVersion }: Staleness, l10n: Translator): string {
  if (!edited || text === '') return text;
  return otherVersion ? l10n.t('{0} · different version', text) : l10n.t('{0} · before your edit', text);
}

/** The same as a sentence; null if the line is the one that ran. */
export function staleSentence({ edited, otherVersion, holderEdited }: Staleness, l10n: Translator): string | null {
  if (!edited) return null;
  if (holderEdited === true) {
    return l10n.t('The statement that holds this memory was edited after the run. Record again.');
  }
  return otherVersion
    ? l10n.t('This file is a different version from the one that ran.')
    : l10n.t('This line was edited after the run.');
}

interface Staleness {
  readonly edited: boolean;
  readonly otherVersion: boolean;
  readonly holderEdited?: boolean;
}
