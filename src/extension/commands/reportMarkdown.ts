/** A report as Markdown, to paste into an issue. */
import type { LineReport, RunReport } from '../../core/report/report.js';
import { blocksText, rateText } from '../marks/markText.js';
import { toneOf } from '../results/lineMarks.js';
import { byteText, signedByteText } from '../text/byteText.js';
import type { Translator } from '../text/translator.js';

const MOST_LINES = 20;

/** Code in a table cell: nothing in it is markup, whatever the recording says. */
function code(text: string): string {
  return `\`${text.replace(/[`|\r\n]/g, ' ')}\``;
}

/** @param nameOf the name of a run for people */
export function reportMarkdown(
  runs: readonly RunReport[],
  nameOf: (run: RunReport) => string,
  l10n: Translator,
): string {
  return runs.map((run) => runMarkdown(run, nameOf(run), l10n)).join('\n');
}

function runMarkdown(run: RunReport, name: string, l10n: Translator): string {
  const last = run.snapshots.at(-1);
  const live = last?.devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0) ?? 0;
  const reserved = last?.devices.reduce((sum, { reservedBytes }) => sum + reservedBytes, 0) ?? 0;
  const head = [
    `## ${l10n.t('GPU memory of {0}', code(name))}`,
    '',
    l10n.t(
      '{0} snapshots; last: {1} live, {2} reserved. Verdict: {3}.',
      run.snapshots.length,
      byteText(live),
      byteText(reserved),
      run.verdict,
    ),
    ...run.process.map(({ message }) => `- ${message.replace(/\s+/g, ' ')}`),
    '',
  ];
  const lines = run.lines.filter((line) => toneOf(line) !== null);
  if (lines.length === 0) return [...head, l10n.t('No line leaks.'), ''].join('\n');
  const table = [
    `| ${[l10n.t('line'), l10n.t('verdict'), l10n.t('leaked'), l10n.t('live'), l10n.t('growth'), l10n.t('rate'), l10n.t('blocks')].join(' | ')} |`,
    '|---|---|--:|--:|--:|--:|--:|',
    ...lines.slice(0, MOST_LINES).map((line) => rowMarkdown(run, line, l10n)),
  ];
  const rest = lines.length - MOST_LINES;
  return [...head, ...table, ...(rest > 0 ? ['', l10n.t('… and {0} more lines.', rest)] : []), ''].join('\n');
}

function rowMarkdown(run: RunReport, line: LineReport, l10n: Translator): string {
  const cells = [
    code(`${line.file}:${line.line} (${line.function})`),
    line.verdict,
    byteText(line.leakedBytes),
    byteText(line.liveBytes),
    signedByteText(line.growthBytes),
    rateText(run, line, l10n) ?? '–',
    blocksText(line.blocks, l10n),
  ];
  return `| ${cells.join(' | ')} |`;
}
