import { stat } from 'node:fs/promises';
import type { SnapshotDigest } from '../core/analysis/digest.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import { buildCompare } from '../core/report/buildCompare.js';
import { buildReport } from '../core/report/buildReport.js';
import { withIgnored, type IgnoredLeak } from '../core/report/ignoredLeaks.js';
import { visibleJson, visibleText } from '../core/report/plainText.js';
import type { ReportWorkspace } from '../core/report/reportWorkspace.js';
import { renderCompareMarkdown, renderMarkdown } from '../core/report/renderMarkdown.js';
import { renderCompareText, renderText, unmappedText } from '../core/report/renderText.js';
import { listPythonFiles } from '../node/listPythonFiles.js';
import { readIgnoredLeaks } from '../node/ignoreFile.js';
import { SourceFiles } from '../node/sourceFiles.js';
import { parseArguments, UsageError, type AnalyzeArguments, type CompareArguments } from './arguments.js';
import { HELP } from './helpText.js';
import { expandInputs, readInputs, readOneSnapshot } from './inputs.js';
import { VERSION } from './version.js';

/** Takes one sentence about a bad input. */
type Complain = (message: string) => void;

/** Where the command line's words go. */
export interface Output {
  /** Standard output. */
  print(text: string): void;
  /** Standard error; one line. */
  complain(line: string): void;
}

export const EXIT_OK = 0;
export const EXIT_BAD_INPUT = 2;

/** Runs the command line. @returns the exit code */
export async function run(args: readonly string[], output: Output): Promise<number> {
  let complaints = 0;
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
        await analyze(invocation, output, complain);
        break;
      case 'compare':
        await compare(invocation, output, complain);
        break;
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(error.message);
  }
  return complaints > 0 ? EXIT_BAD_INPUT : EXIT_OK;
}

async function analyze(command: AnalyzeArguments, output: Output, complain: Complain): Promise<void> {
  const workspace = await workspaceOf(command);
  const inputs = await expandInputs(command.inputs, complain);
  const { digests, ...others } = await readInputs(inputs, complain);
  if (digests.length + others.trends.length + others.cycles.length === 0) return;
  const { report: whole, paths } = buildReport(digests, workspace, others);
  const report = withIgnored(whole, await ignoredLeaks(command.root, complain));
  switch (command.output) {
    case 'json':
      output.print(`${visibleJson(report)}\n`);
      break;
    case 'markdown':
      output.print(renderMarkdown(report, command));
      break;
    case 'text': {
      output.print(renderText(report, command));
      const open = command.root === null ? [] : unmappedText(paths);
      if (open.length > 0) output.print(`\n${open.join('\n')}\nMap them with --map FROM=TO.\n`);
      break;
    }
  }
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

async function compare(command: CompareArguments, output: Output, complain: Complain): Promise<void> {
  const workspace = await workspaceOf(command);
  const digests: SnapshotDigest[] = [];
  for (const path of command.inputs) {
    try {
      digests.push(await readOneSnapshot(path));
    } catch (error) {
      if (!SnapshotError.is(error)) throw error;
      complain(error.message);
    }
  }
  if (digests.length < 2) return;
  const report = buildCompare(digests[0], digests[1], workspace);
  switch (command.output) {
    case 'json':
      output.print(`${visibleJson(report)}\n`);
      break;
    case 'markdown':
      output.print(renderCompareMarkdown(report, command));
      break;
    case 'text':
      output.print(renderCompareText(report, command));
      break;
  }
}

/** @throws UsageError if the root is no folder */
async function workspaceOf({ root, rules }: AnalyzeArguments | CompareArguments): Promise<ReportWorkspace> {
  if (root === null) {
    if (rules.length > 0) throw new UsageError('--map needs --root: the workspace that holds the folder.');
    return { files: [], rules: [] };
  }
  const facts = await stat(root).catch(() => null);
  if (facts?.isDirectory() !== true) throw new UsageError(`The root ${root} is no folder: name the workspace's.`);
  const { lineText, sourceFacts } = new SourceFiles([{ prefix: '', folder: root }]);
  return { files: await listPythonFiles(root), rules, lineText, sourceFacts };
}
