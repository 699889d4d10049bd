import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withIgnored, type IgnoredLeak } from '../core/report/ignoredLeaks.js';
import { reportJson } from '../core/render/findingText.js';
import { visibleJson, visibleText } from '../core/text/plainText.js';
import type { LineReport, Report } from '../core/report/report.js';
import type { ReportWorkspace } from '../core/report/reportWorkspace.js';
import { renderCompareMarkdown, renderMarkdown } from '../core/render/renderMarkdown.js';
import { renderSarif } from '../core/render/renderSarif.js';
import { renderCompareText, renderText, unmappedText } from '../core/render/renderText.js';
import { FleetFolder } from '../node/fleetFolder.js';
import { listPythonFiles } from '../node/listPythonFiles.js';
import { readIgnoredLeaks } from '../node/ignoreFile.js';
import { SourceFiles } from '../node/sourceFiles.js';
import { type AnalyzeArguments, type Command, type CompareArguments } from './arguments.js';
import { UsageError } from './usageError.js';
import { compareInputs } from './compareInputs.js';
import { expandInputs, readInputs, type Complain, type Desk, type Progress, type Words } from './inputs.js';
import { throughCache } from './fleet/cache.js';
import { clean } from './fleet/clean.js';
import { digestInputs, type Kept } from './fleet/digest.js';
import { writeFacts } from './fleet/facts.js';
import { gather, reportOfGathered } from './fleet/gather.js';
import { summarize } from './fleet/summarize.js';
import { workspaceKey } from './fleet/summary.js';
import { VERSION } from '../node/version.js';

/** Tells nothing. */
const ALONE: Progress = { setAside: new Set(), reading: ignore, read: ignore, judging: ignore };

/**
 * Does what a command asks for.
 * @param kept what other threads have digested, by path
 * @returns true if there is what was asked to fail on
 * @throws UsageError
 */
export async function work(
  command: Command,
  words: Words,
  progress: Progress = ALONE,
  kept: ReadonlyMap<string, Kept> = new Map(),
): Promise<boolean> {
  const desk = { ...words, ...progress };
  switch (command.command) {
    case 'compare':
      return compare(command, desk);
    case 'digest':
      await digestInputs(command, desk, kept);
      return false;
    case 'summarize':
      await summarize(command, await workspaceOf(command), desk);
      return false;
    case 'clean':
      await clean(command.inputs, desk);
      return false;
    default:
      return analyze(command, desk);
  }
}

function ignore(): undefined {
  return undefined;
}

/** @returns true if the report has a verdict that was asked to fail on */
async function analyze(command: AnalyzeArguments, desk: Desk): Promise<boolean> {
  const { complain } = desk;
  const workspace = { ...(await workspaceOf(command)), expectRanks: command.expectRanks };
  const folders: string[] = [];
  const files: string[] = [];
  for (const path of command.inputs) ((await FleetFolder.is(path)) ? folders : files).push(path);
  if (command.command !== 'analyze' && files.length > 0)
    throw new UsageError(`${files[0]} holds no digests: leakline digest --out writes them.`);
  const { contents, summaries } = await gather(folders, folders.length === 0 ? null : workspaceKey(workspace), desk);
  const noted = [...contents.failed];
  const cache = command.cache === null ? undefined : throughCache(new FleetFolder(command.cache), complain);
  const read = await readInputs(await expandInputs(files, complain), desk, command.rankPattern, cache);
  for (const kind of ['failed', 'digests', 'trends', 'cycles'] as const)
    contents[kind].push(...(read[kind] as never[]));
  if (contents.digests.length + contents.trends.length + contents.cycles.length + summaries.length === 0) {
    for (const { message } of noted) complain(message);
    if (folders.length > 0) complain(`${folders.join(', ')}: there is no digest to report on. Digest snapshots first.`);
    return contents.failed.length > 0 && command.failOn.includes('incomplete');
  }
  const { report: whole, paths } = await reportOfGathered({ contents, summaries }, workspace, desk);
  const report = withIgnored(whole, await ignoredLeaks(command.root, complain));
  if (command.command === 'facts') {
    const out = command.out ?? join(command.inputs[0], 'facts');
    const { lines, snapshots, ranks } = await writeFacts(report, out, command.output === 'json' ? 'json' : 'parquet');
    desk.print(`${out}: ${lines} lines, ${snapshots} snapshots, ${ranks} ranks.\n`);
    return false;
  }
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
      if (noted.length > 0) desk.print(failedText(noted));
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

/** Files that tasks could not read. */
function failedText(failed: Report['failed']): string {
  const rest = failed.length - MOST_FAILED;
  const shown = failed.slice(0, MOST_FAILED).map(({ message }) => `  ${visibleText(message)}\n`);
  const more = rest > 0 ? `  and ${rest} more: see --json\n` : '';
  return `\nNot read: ${failed.length}\n${shown.join('')}${more}`;
}

/** Files that could not be read, named at most. */
const MOST_FAILED = 20;

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
async function workspaceOf({ root, rules }: Pick<AnalyzeArguments, 'root' | 'rules'>): Promise<ReportWorkspace> {
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
