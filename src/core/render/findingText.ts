/** Findings for users: the answer, the fix, the evidence; and for programs. */
import type { Bytes } from '../model/units.js';
import { findingsOf, lineBytes, type Finding } from '../report/findings.js';
import { allocatedText, presentFinding } from '../present/presented.js';
import { isSuspect } from '../report/lineSelection.js';
import type { LineReport, Report, RunReport } from '../report/report.js';
import { fileAndLine, holderSourceText, placeText } from '../report/reportText.js';
import { t } from '../text/translate.js';

/** Lines of a finding that are named. */
const MAX_LINES = 8;

/** Findings of a run that a person has to look at. */
function suspectFindings(run: RunReport): Finding[] {
  return findingsOf(run.lines.filter(isSuspect));
}

/** A finding for programs: the command line's JSON, the API and language models. */
interface FindingJson extends Omit<Finding, 'lines'> {
  /** The answer for users. */
  readonly sentence: string;
  /** Lines that allocate the memory, those of the finding's verdict first; details are in the run's `lines`. */
  readonly lines: readonly (Pick<LineReport, 'file' | 'line' | 'function' | 'verdict'> & { readonly bytes: Bytes })[];
}

export type ReportJson = Omit<Report, 'runs'> & { runs: (RunReport & { findings: FindingJson[] })[] };

/** The report, with the important facts ahead of each run's lines. */
export function reportJson(report: Report): ReportJson {
  const runs = report.runs.map((run) => ({
    findings: suspectFindings(run).map((finding) => findingJson(finding, run)),
    ...run,
  }));
  return { ...report, runs };
}

export function findingJson({ lines, ...finding }: Finding, run: RunReport): FindingJson {
  return {
    sentence: presentFinding({ ...finding, lines }, run).sentence,
    ...finding,
    lines: lines.map((one) => {
      const { file, line, function: name, verdict } = one;
      return { file, line, function: name, verdict, bytes: lineBytes(one) };
    }),
  };
}

/** Lines of a terminal. */
export function findingLines(run: RunReport): string[] {
  return suspectFindings(run).flatMap((finding) => {
    const [answer, ...more] = parts(finding, run, (text) => text);
    return ['', `  ${fileAndLine(finding)}: ${answer}`, ...more.map((text) => `    ${text}`)];
  });
}

/** A list in Markdown. @param code makes a code span of a recorded name */
export function findingMarkdown(run: RunReport, code: (text: string) => string): string[] {
  const list = suspectFindings(run).flatMap((finding) => {
    const [answer, ...more] = parts(finding, run, code);
    return [`- ${code(fileAndLine(finding))}: **${answer}**`, ...more.map((text) => `  - ${text}`)];
  });
  return list.length === 0 ? [] : [...list, ''];
}

function parts(finding: Finding, run: RunReport, code: (text: string) => string): string[] {
  const { holder, lines } = finding;
  const { sentence, fix, evidence } = presentFinding(finding, run, code);
  const isElsewhere = lines.length > 1 || lines[0].line !== finding.line || lines[0].file !== finding.file;
  return [
    holder === null ? `${sentence}.` : `${sentence} (${holderSourceText(holder.source)}).`,
    ...(fix === null ? [] : [fix]),
    ...(evidence === null ? [] : [t('Evidence: {0}', evidence)]),
    ...(isElsewhere
      ? [
          allocatedText(
            lines.map((line) => code(placeText(line))),
            MAX_LINES,
          ),
        ]
      : []),
  ];
}
