import { stat } from 'node:fs/promises';
import { ReportsFromSources } from '../core/report/reportFromSources.js';
import { withIgnored, type IgnoredLeak } from '../core/report/ignoredLeaks.js';
import { reportJson } from '../core/render/findingText.js';
import { visibleJson } from '../core/text/plainText.js';
import type { LineReport } from '../core/report/report.js';
import type { ReportWorkspace } from '../core/report/reportWorkspace.js';
import { renderCompareMarkdown, renderMarkdown } from '../core/render/renderMarkdown.js';
import { renderSarif } from '../core/render/renderSarif.js';
import { renderCompareText, renderText, unmappedText } from '../core/render/renderText.js';
import { listPythonFiles } from '../node/listPythonFiles.js';
import { readIgnoredLeaks } from '../node/ignoreFile.js';
import { SourceFiles } from '../node/sourceFiles.js';
import { UsageError, type AnalyzeArguments, type CompareArguments } from './arguments.js';
import { compareInputs } from './compareInputs.js';
import { expandInputs, readInputs, type Complain, type Desk, type Progress, type Words } from './inputs.js';
import { VERSION } from './version.js';

/** Tells nothing. */
const ALONE: Progress = { setAside: new Set(), reading: ignore, read: ignore, judging: ignore };

/**
 * Does what a command asks for.
 * @returns true if there is what was asked to fail on
 * @throws UsageError
 */
export function work(
  command: AnalyzeArguments | CompareArguments,
  words: Words,
  progress: Progress = ALONE,
): Promise<boolean> {
  const desk = { ...words, ...progress };
  return command.command === 'analyze' ? analyze(command, desk) : compare(command, desk);
}

function ignore(): undefined {
  return undefined;
}

/** @returns true if the report has a verdict that was asked to fail on */
async function analyze(command: AnalyzeArguments, desk: Desk): Promise<boolean> {
  const { complain } = desk;
  const workspace = { ...(await workspaceOf(command)), expectRanks: command.expectRanks };
  const inputs = await expandInputs(command.inputs, complain);
  const { digests, failed, ...others } = await readInputs(inputs, desk, command.rankPattern);
  if (digests.length + others.trends.length + others.cycles.length === 0) return false;
  desk.judging();
  const reports = new ReportsFromSources(() => performance.now());
  const { report: whole, paths } = await reports.report(digests, workspace, others);
  const report = withIgnored({ ...whole, failed }, await ignoredLeaks(command.root, complain));
  switch (command.output) {
    case 'json':
      printJson(reportJson(report), desk);
      break;
    case 'markdown':
      desk.print(renderMarkdown(report, command));
      break;
    case 'sarif':
      printJson(renderSarif(report, VERSION), desk);
      break;
    case 'text': {
      desk.print(renderText(report, command));
      const open = command.root === null ? [] : unmappedText(paths);
      if (open.length > 0) desk.print(`\n${open.join('\n')}\nMap them with --map FROM=TO.\n`);
      break;
    }
  }
  const isFailure = ({ verdict, ignored }: LineReport): boolean => !ignored && command.failOn.includes(verdict);
  const isIncomplete = report.missing.length + report.failed.length > 0;
  return (
    (isIncomplete && command.failOn.includes('incomplete')) ||
    report.runs.some(
      ({ lines, process }) => lines.some(isFailure) || process.some(({ verdict }) => command.failOn.includes(verdict)),
    )
  );
}

/** What the workspace says is not to be reported; nothing if its file makes no sense, and that is complained about. */
async function ignoredLeaks(root: string | null, complain: Complain): Promise<IgnoredLeak[]> {
  if (root === null) return [];
  try {
    return await readIgnoredLeaks(root);
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return [];
  }
}

/** @returns true if the answer is one that was asked to fail on */
async function compare(command: CompareArguments, desk: Desk): Promise<boolean> {
  const { complain } = desk;
  const workspace = await workspaceOf(command);
  const ignored = await ignoredLeaks(command.root, complain);
  const report = await compareInputs(command.inputs, workspace, ignored, desk, command.rankPattern);
  if (report === null) return false;
  if (report.fix === null && command.failOn.length > 0) {
    throw new UsageError('--fail-on needs two runs, and both snapshots are of one: name a folder of each run.');
  }
  switch (command.output) {
    case 'json':
      printJson(report, desk);
      break;
    case 'markdown':
      desk.print(renderCompareMarkdown(report, command));
      break;
    case 'text':
    case 'sarif':
      desk.print(renderCompareText(report, command));
      break;
  }
  return report.fix !== null && command.failOn.includes(report.fix.answer);
}

/** @throws UsageError if the root is not a folder */
async function workspaceOf({ root, rules }: AnalyzeArguments | CompareArguments): Promise<ReportWorkspace> {
  if (root === null) {
    if (rules.length > 0) throw new UsageError('--map needs --root: the workspace that holds the folder.');
    return { files: [], rules: [] };
  }
  const facts = await stat(root).catch(() => null);
  if (facts?.isDirectory() !== true)
    throw new UsageError(`The root ${root} is not a folder: name that of the workspace.`);
  const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder: root }]);
  return { files: await listPythonFiles(root), rules, lineText, sourceText, sourceFacts };
}

/** In pieces: a report may be longer than a text may be. */
function printJson(value: unknown, { print }: Desk): void {
  visibleJson(value, print);
  print('\n');
}
