/** What each surface says of a report, as Markdown. */
import type { Report } from '../../../src/core/report/report.js';
import { verdictSentence } from '../../../src/core/report/reportText.js';
import { reportJson } from '../../../src/core/render/findingText.js';
import { renderGithub } from '../../../src/core/render/renderGithub.js';
import { renderMarkdown, renderPeakMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderSarif } from '../../../src/core/render/renderSarif.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { holderLensText, holderLineText, hoverMarkdown, sentenceOf } from '../../../src/extension/marks/findingText.js';
import { endOfLineText, lensText, staleSentence, staleText } from '../../../src/extension/marks/markText.js';
import { askingLensText, askingMarks, askingProblemText } from '../../../src/extension/results/askingMarks.js';
import { findingMarks, holdsOthers, type FindingMark } from '../../../src/extension/results/findingMarks.js';
import { lineMarks, type LineMark } from '../../../src/extension/results/lineMarks.js';
import { plainText } from '../extension/support/plainText.js';

/** Rows of tables in a report. */
const MOST = 4;
const EDITED = { edited: true, otherVersion: false };
const OTHER = { edited: true, otherVersion: true };

type Row = readonly [surface: string, text: string];

export function surfacesOf(report: Report): string[] {
  const files = new Set(
    report.runs.flatMap(({ lines }) => lines.filter(({ mapped }) => mapped).map(({ file }) => file)),
  );
  const findings = findingMarks(report, lineMarks(report), (file) => files.has(file));
  const rows = [
    ...report.runs.map((run): Row => ['status bar, tooltip without findings', verdictSentence(run)]),
    ...findings.flatMap((finding) => findingRows(finding, (file) => files.has(file))),
    ...askingMarks(report).flatMap((mark): Row[] => [
      ['out of memory: lens', askingLensText(mark, plainText)],
      ['out of memory: problem', askingProblemText(mark)],
    ]),
  ];
  const sarif = renderSarif(report, '1.0.0');
  const rowsOfFiles: Row[] = [
    ['SARIF', [...new Set(sarif.runs[0].results.map(({ message }) => message.text))].join('\n')],
    ['GitHub annotations', renderGithub(sarif)],
    [
      'JSON',
      reportJson(report)
        .runs.flatMap((run) => run.findings.map(({ sentence }) => sentence))
        .join('\n'),
    ],
    ['terminal', renderText(report, { mostLines: MOST })],
    ['Markdown', renderMarkdown(report, { mostLines: MOST })],
    // What a report of growth has as well.
    ...(findings.length > 0 ? [] : [['answer to an agent on the peak', renderPeakMarkdown(report.runs)] as const]),
  ];
  return told([...rows, ...rowsOfFiles]);
}

/** Texts of one line side by side, then those of several. */
function told(rows: readonly Row[]): string[] {
  const all = rows.map(([surface, text]): Row => [surface, text.trimEnd()]).filter(([, text]) => text !== '');
  const short = all.filter(([, text]) => !text.includes('\n'));
  const long = all.filter(([, text]) => text.includes('\n'));
  const table = short.map(([surface, text]) => `| ${surface} | ${text.replaceAll('|', '\\|')} |\n`);
  return [
    `| surface | text |\n| :-- | :-- |\n${table.join('')}`,
    ...long.map(([surface, text]) => `**${surface}**\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`),
  ];
}

function findingRows(finding: FindingMark, canOpen: (file: string) => boolean): Row[] {
  return [
    ...(holdsOthers(finding) ? holderRows(finding, canOpen) : []),
    ...finding.lines.flatMap((mark, i) => (i === 0 ? lineRows(finding, mark, canOpen) : [])),
  ];
}

function holderRows(finding: FindingMark, canOpen: (file: string) => boolean): Row[] {
  return [
    ['holding line: problem', sentenceOf(finding)],
    ['holding line: lens', holderLensText(finding)],
    ['holding line: lens, edited', staleText(holderLensText(finding), EDITED, plainText)],
    ['holding line: end', holderLineText(finding, true)],
    ['holding line: end without lens', holderLineText(finding, false)],
    ['holding line: hover', hoverOf(finding, null, null, canOpen)],
  ];
}

function lineRows(finding: FindingMark, mark: LineMark, canOpen: (file: string) => boolean): Row[] {
  return [
    ['allocating line: lens', lensText(mark, plainText)],
    ['allocating line: lens, edited', staleText(lensText(mark, plainText), EDITED, plainText)],
    ['allocating line: lens, different version', staleText(lensText(mark, plainText), OTHER, plainText)],
    ['allocating line: end', endOfLineText(mark, true, plainText)],
    ['allocating line: end without lens', endOfLineText(mark, false, plainText)],
    ['allocating line: hover', hoverOf(finding, mark, null, canOpen)],
    ['allocating line: hover, edited', hoverOf(finding, mark, staleSentence(EDITED, plainText), canOpen)],
  ];
}

/** A hover as its reader sees it: links by their labels. */
function hoverOf(
  finding: FindingMark,
  mark: LineMark | null,
  stale: string | null,
  canOpen: (file: string) => boolean,
): string {
  return hoverMarkdown(finding, { mark, stale, isInProblem: false, canOpen }, plainText)
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\[([^\]]*)\]\(command:[^)]*\)/g, '[$1]');
}
