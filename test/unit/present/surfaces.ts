/** What each surface says of a report, as Markdown. */
import type { Report } from '../../../src/core/report/report.js';
import { verdictSentence } from '../../../src/core/present/runText.js';
import { reportJson } from '../../../src/core/render/findingJson.js';
import { renderGithub } from '../../../src/core/render/renderGithub.js';
import { renderMarkdown, renderPeakMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderSarif } from '../../../src/core/render/renderSarif.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { askingSentences, askingShort } from '../../../src/core/present/failed.js';
import { rateOf } from '../../../src/core/present/findingSentence.js';
import {
  endOfLine,
  listed,
  presentFinding,
  presentLine,
  staleSentence,
  staleText,
  withStale,
} from '../../../src/core/present/presented.js';
import { leakAlert, leaksShort, runningOutAlert, stepsLeft } from '../../../src/core/present/summary.js';
import { hoverMarkdown } from '../../../src/extension/marks/hoverText.js';
import { askingMarks } from '../../../src/extension/results/askingMarks.js';
import { findingMarks, holdsOthers, type FindingMark } from '../../../src/extension/results/findingMarks.js';
import { lineMarks, type LineMark } from '../../../src/extension/results/lineMarks.js';
import { asItIs, printNames } from '../../../src/core/text/names.js';
import { LineVerdicts } from '../../../src/worker/lineVerdicts.js';

/** Rows of tables in a report. */
const MAX_LINES = 4;
const NOT_EDITED = { edited: false, otherVersion: false };
const EDITED = { edited: true, otherVersion: false };
const OTHER = { edited: true, otherVersion: true };

type Row = readonly [surface: string, text: string];

export function surfacesOf(report: Report): string[] {
  const files = new Set(
    report.runs.flatMap(({ lines }) => lines.filter(({ mapped }) => mapped).map(({ file }) => file)),
  );
  const findings = findingMarks(report, lineMarks(report), (file) => files.has(file));
  const rows = [
    ...report.runs.map((run): Row => ['run', verdictSentence(run)]),
    ...findings.flatMap((finding) => findingRows(report, finding, (file) => files.has(file))),
    ...askingMarks(report).flatMap((mark): Row[] => [
      ['out of memory: lens', askingShort(mark)],
      ['out of memory: problem', askingSentences(mark)],
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
    [
      'pytest, Python',
      reportJson(report)
        .runs.flatMap((run) => run.findings.map(({ told }) => told.join('\n  ')))
        .join('\n'),
    ],
    ['terminal', renderText(report, { maxLines: MAX_LINES })],
    ['Markdown', renderMarkdown(report, { maxLines: MAX_LINES })],
    // What a report of growth has as well.
    ...(findings.length > 0
      ? []
      : [['answer to an agent on the peak', renderPeakMarkdown(report.runs, { maxLines: MAX_LINES })] as const]),
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

function findingRows(report: Report, finding: FindingMark, canOpen: (file: string) => boolean): Row[] {
  const [{ finding: worst, run }] = finding.parts;
  const { short, sentence, detail } = presentFinding(finding.parts[0]);
  const rate = rateOf(worst.bytesPerStep, run.steps);
  const place = `${finding.file}:${finding.line}`;
  return [
    ['problem', sentence],
    ['row of the Leaks view', listed(short, worst.holder?.name)],
    ['tooltip of the row', detail.join('\n')],
    ...(finding.tone === 'leak'
      ? ([
          ['status bar', leaksShort(1, short, stepsLeft(run))],
          ['notification', leakAlert('runs', rate, place)],
          ['notification, device nearly full', runningOutAlert('runs', run.forecast?.stepsToOom ?? 1, place)],
        ] as const)
      : []),
    ...(holdsOthers(finding) ? holderRows(finding, canOpen) : []),
    ...finding.lines.flatMap((mark, i) => (i === 0 ? lineRows(report, finding, mark, canOpen) : [])),
  ];
}

function holderRows(finding: FindingMark, canOpen: (file: string) => boolean): Row[] {
  const told = presentFinding(finding.parts[0]);
  return [
    ['holding line: lens', told.lens],
    ['holding line: lens, edited', withStale(told.lens, EDITED)],
    ['holding line: end', endOfLine(told, true, NOT_EDITED)],
    ['holding line: end without lens', endOfLine(told, false, NOT_EDITED)],
    ['holding line: end without lens, edited', endOfLine(told, false, EDITED)],
    ['holding line: hover', hoverOf(finding, null, null, canOpen)],
  ];
}

function lineRows(report: Report, finding: FindingMark, mark: LineMark, canOpen: (file: string) => boolean): Row[] {
  const told = presentLine(mark);
  const { short, lens, allocates, unfound, rank, detail } = told;
  return [
    ['allocating line: lens', lens],
    ['allocating line: lens, edited', withStale(lens, EDITED)],
    ['allocating line: lens, different version', withStale(lens, OTHER)],
    ['allocating line: end', endOfLine(told, true, NOT_EDITED)],
    ['allocating line: end without lens', endOfLine(told, false, NOT_EDITED)],
    ['allocating line: end without lens, edited', endOfLine(told, false, EDITED)],
    ['allocating line: related to the problem', allocates],
    ['allocating line: row', listed(short, unfound, rank)],
    ['allocating line: row, edited', listed(short, staleText(EDITED), unfound, rank)],
    ['allocating line: tooltip of its row', detail.join('\n')],
    ['allocating line: hover', hoverOf(finding, mark, null, canOpen)],
    ['allocating line: timeline', timelineText(report, mark, null)],
    ['allocating line: timeline, edited', timelineText(report, mark, staleText(EDITED))],
    ['allocating line: hover, edited', hoverOf(finding, mark, staleSentence(EDITED), canOpen)],
  ];
}

/** The selection of the timeline, below bytes, age and stack. */
function timelineText(report: Report, { parts: [{ run, line }] }: LineMark, stale: string | null): string {
  const verdicts = new LineVerdicts();
  verdicts.take(report);
  const found = verdicts.finding(run.snapshots[0].path, { line });
  const held = found?.holder == null ? [] : [printNames(found.holder.text, (name) => `[${name}]`, asItIs)];
  return [listed(found?.answer, stale), ...held, ...(found?.advice ?? [])].join('\n');
}

/** A hover as its reader sees it: links by their labels. */
function hoverOf(
  finding: FindingMark,
  mark: LineMark | null,
  stale: string | null,
  canOpen: (file: string) => boolean,
): string {
  return hoverMarkdown(finding, { mark, stale, isInProblem: false, canOpen })
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\[([^\]]*)\]\(command:[^)]*\)/g, '[$1]');
}
