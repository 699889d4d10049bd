/** Findings for programs. */
import type { Bytes } from '../model/units.js';
import { lineBytes, type Finding } from '../report/findings.js';
import { presentFinding } from '../present/presented.js';
import { findingTexts, suspectFindings } from '../present/runDocument.js';
import type { LineReport, Report, RunReport } from '../report/report.js';
import { asItIs } from '../text/names.js';

/** A finding for programs: the command line's JSON, the API and language models. */
interface FindingJson extends Omit<Finding, 'lines'> {
  /** The answer for users. */
  readonly sentence: string;
  /** The finding in lines, as a terminal shows it. */
  readonly told: readonly string[];
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
    sentence: presentFinding({ finding: { ...finding, lines }, run }).sentence,
    told: findingTexts({ ...finding, lines }, run, { name: asItIs, text: asItIs }),
    ...finding,
    lines: lines.map((one) => {
      const { file, line, function: name, verdict } = one;
      return { file, line, function: name, verdict, bytes: lineBytes(one) };
    }),
  };
}
