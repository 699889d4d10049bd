import { stat } from 'node:fs/promises';
import { ReportsFromSources } from '../core/report/reportFromSources.js';
import { withIgnored, type IgnoredLeak } from '../core/report/ignoredLeaks.js';
import { visibleJson, visibleText } from '../core/text/plainText.js';
import type { LineReport } from '../core/report/report.js';
import type { ReportWorkspace } from '../core/report/reportWorkspace.js';
import { renderCompareMarkdown, renderMarkdown } from '../core/render/renderMarkdown.js';
import { renderSarif } from '../core/render/renderSarif.js';
import { renderCompareText, renderText, unmappedText } from '../core/render/renderText.js';
import { listPythonFiles } from '../node/listPythonFiles.js';
import { readIgnoredLeaks } from '../node/ignoreFile.js';
import { SourceFiles } from '../node/sourceFiles.js';
import { parseArguments, UsageError, type AnalyzeArguments, type CompareArguments } from './arguments.js';
import { compareInputs } from './compareInputs.js';
import { HELP } from './helpText.js';
import { expandInputs, readInputs, type Complain } from './inputs.js';
import { VERSION } from './version.js';

/** Where the command line's words go. */
export interface Output {
  /** Standard output. */
  print(text: string): void;
  /** Standard error; one line. */
  complain(line: string): void;
}

const EXIT_OK = 0;
/** What `--fail-on` names was found. */
export const EXIT_FOUND = 1;
/** Stronger than `EXIT_FOUND`: what was found may not be all. */
const EXIT_BAD_INPUT = 2;

/** Runs the command line. @returns the exit code */
export async function run(args: readonly string[], output: Output): Promise<number> {
  let complaints = 0;
  let found = false;
  const complain = (message: string): void => {
    complaints++;
    output.complain(visibleText(`leakline: ${message}`));
  };
  try {
    const invocation = parseArguments(args);
    switch (invocation.command) {
      case 'help':
        output.print(HELP);
        break;
      case 'version':
        output.print(`${VERSION}\n`);
        break;
      case 'analyze':
        found = await analyze(invocation, output, complain);
        break;
      case 'compare':
        found = await compare(invocation, output, complain);
        break;
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(error.message);
  }
  if (complaints > 0) return EXIT_BAD_INPUT;
  return found ? EXIT_FOUND : EXIT_OK;
}

/** @returns true if the report has a verdict that was asked to fail on */
async function analyze(command: AnalyzeArguments, output: Output, complain: Complain): Promise<boolean> {
  const workspace = await workspaceOf(command);
  const inputs = await expandInputs(command.inputs, complain);
  const { digests, ...others } = await readInputs(inputs, complain);
  if (digests.length + others.trends.length + others.cycles.length === 0) return false;
  const reports = new ReportsFromSources(() => performance.now());
  const { report: whole, paths } = await reports.report(digests, workspace, others);
  const report = withIgnored(whole, await ignoredLeaks(command.root, complain));
  switch (command.output) {
    case 'json':
      output.print(`${visibleJson(report)}\n`);
      break;
    case 'markdown':
      output.print(renderMarkdown(report, command));
      break;
    case 'sarif':
      output.print(`${visibleJson(renderSarif(report, VERSION))}\n`);
      break;
    case 'text': {
      output.print(renderText(report, command));
      const open = command.root === null ? [] : unmappedText(paths);
      if (open.length > 0) output.print(`\n${open.join('\n')}\nMap them with --map FROM=TO.\n`);
      break;
    }
  }
  const isFailure = ({ verdict, ignored }: LineReport): boolean => !ignored && command.failOn.includes(verdict);
  return report.runs.some(({ lines }) => lines.some(isFailure));
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
async function compare(command: CompareArguments, output: Output, complain: Complain): Promise<boolean> {
  const workspace = await workspaceOf(command);
  const ignored = await ignoredLeaks(command.root, complain);
  const report = await compareInputs(command.inputs, workspace, ignored, complain);
  if (report === null) return false;
  if (report.fix === null && command.failOn.length > 0) {
    throw new UsageError('--fail-on needs two runs, and both snapshots are of one: name a folder of each run.');
  }
  switch (command.output) {
    case 'json':
      output.print(`${visibleJson(report)}\n`);
      break;
    case 'markdown':
      output.print(renderCompareMarkdown(report, command));
      break;
    case 'text':
    case 'sarif':
      output.print(renderCompareText(report, command));
      break;
  }
  return report.fix !== null && command.failOn.includes(report.fix.answer);
}

/** @throws UsageError if the root is no folder */
async function workspaceOf({ root, rules }: AnalyzeArguments | CompareArguments): Promise<ReportWorkspace> {
  if (root === null) {
    if (rules.length > 0) throw new UsageError('--map needs --root: the workspace that holds the folder.');
    return { files: [], rules: [] };
  }
  const facts = await stat(root).catch(() => null);
  if (facts?.isDirectory() !== true) throw new UsageError(`The root ${root} is no folder: name the workspace's.`);
  const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder: root }]);
  return { files: await listPythonFiles(root), rules, lineText, sourceText, sourceFacts };
}
