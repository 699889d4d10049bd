import { stat, rm } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import { NO_BUDGET, overBudget } from '../core/report/budget.js';
import { withIgnored } from '../core/report/ignoredLeaks.js';
import { ranksText } from '../core/report/ranks.js';
import { reportJson } from '../core/render/findingJson.js';
import { visibleJson, visibleText } from '../core/text/plainText.js';
import type { LineReport, Report } from '../core/report/report.js';
import type { ReportWorkspace } from '../core/report/reportWorkspace.js';
import { renderCompareMarkdown, renderMarkdown } from '../core/render/renderMarkdown.js';
import { renderGithub } from '../core/render/renderGithub.js';
import { renderSarif, type SarifLog } from '../core/render/renderSarif.js';
import { renderCompareText, renderText, unmappedText, renderWhatIfText } from '../core/render/renderText.js';
import { FleetFolder } from '../node/fleetFolder.js';
import { listPythonFiles } from '../node/listPythonFiles.js';
import { projectFolder } from '../node/projectFolder.js';
import { type IgnoreFile, readIgnoreFile } from '../node/ignoreFile.js';
import { SourceFiles } from '../node/sourceFiles.js';
import type {
  AnalyzeArguments,
  CompareArguments,
  ExplainOomArguments,
  JobCommand,
  WhatIfArguments,
} from './arguments.js';
import { UsageError } from './usageError.js';
import { writeBaseline } from './baseline.js';
import { compareInputs } from './compareInputs.js';
import { gateOf, ranOutText, unansweredText, unjudgedText } from './gate.js';
import {
  addContents,
  expandInputs,
  readInputs,
  type Complain,
  type CommandContext,
  type Progress,
  type Output,
} from './inputs.js';
import {
  explainInputs,
  unrecorded,
  explainLogs,
  explanationJson,
  explanationMarkdown,
  explanationText,
  type ExplainedLog,
} from './explainOom.js';
import { EarlierDumps } from './earlierDumps.js';
import { throughCache } from './fleet/cache.js';
import { digestInputs, type FinishedInput } from './fleet/digest.js';
import { writeFacts } from './fleet/facts.js';
import { gather, reportOfGathered } from './fleet/gather.js';
import { printTo } from './outFile.js';
import { summarize } from './fleet/summarize.js';
import { Reporting } from './fleet/summary.js';
import { withoutHomes, withoutHomesIn, withShownNames, withShownPair } from './shownNames.js';
import { addLeakReplays, whatIfDevices } from './whatIf.js';
import { VERSION } from '../node/version.js';
import { OtherVersionError, readFleetFile } from '../node/fleetFile.js';

/** Tells nothing. */
const ALONE: Progress = { excluded: new Set(), reading: ignore, read: ignore, analyzing: ignore };

/**
 * Runs a command.
 * @param finished digests from other threads, by path
 * @returns true if `--fail-on` applies
 * @throws UsageError
 */
export async function work(
  request: JobCommand,
  output: Output,
  progress: Progress = ALONE,
  finished: ReadonlyMap<string, FinishedInput> = new Map(),
): Promise<boolean> {
  const within = 'within' in request ? (request.within ?? null) : null;
  const context = { ...output, ...progress, within };
  const isOpen = 'root' in request && request.root === null && request.rules.length === 0;
  const command = isOpen ? { ...request, root: await projectFolder(request.inputs) } : request;
  switch (command.command) {
    case 'compare':
      return printTo(command, context, (to) => compare(command, to));
    case 'digest':
      await digestInputs(command, context, finished);
      return false;
    case 'summarize':
      await summarize(command, await workspaceOf(command, context), context);
      return false;
    case 'clean':
      await clean(command.inputs, context);
      return false;
    case 'facts':
      return analyze(command, context);
    case 'what-if':
      return printTo(command, context, (to) => whatIf(command, to));
    case 'explain-oom':
      return printTo(command, context, (to) => explainOom(command, to));
    default:
      return printTo(command, context, (to) => analyze(command, to));
  }
}

function ignore(): undefined {
  return undefined;
}

/** @returns true if `--fail-on` applies */
async function analyze(command: AnalyzeArguments, context: CommandContext): Promise<boolean> {
  const { complain } = context;
  const workspace = { ...(await workspaceOf(command, context)), expectRanks: command.expectRanks };
  const folders: string[] = [];
  let files: string[] = [];
  for (const path of command.inputs) ((await FleetFolder.is(path)) ? folders : files).push(path);
  let logs: ExplainedLog[] = [];
  if (command.command === 'analyze')
    ({ logs, rest: files } = await explainLogs(files, workspace, context, command.rankPattern));
  const messages = logs.flatMap(({ explanations }) => explanations);
  const file = await ignoreFile(command.root, complain);
  const budget = {
    ...NO_BUDGET,
    ...file?.budget,
    ...(command.budget === null ? {} : { leakBytesPerStep: command.budget }),
  };
  const gate = gateOf(command, budget);
  const failsOnMissing = command.failOn.includes('incomplete');
  const ranOut = (runs: Report['runs']): boolean => {
    const text = gate.isSet
      ? ranOutText([...runs.flatMap(({ outOfMemory }) => outOfMemory), ...logs.map(({ paths: [path] }) => ({ path }))])
      : null;
    if (text !== null) complain(text);
    return text !== null;
  };
  if (logs.length > 0 && files.length + folders.length === 0) {
    printExplained(logs, command, false, context);
    return ranOut([]);
  }
  if ((command.command === 'report' || command.command === 'facts') && files.length > 0)
    throw new UsageError(`${files[0]} holds no digests: leakline digest --out writes them.`);
  const reporting = new Reporting(workspace);
  const { contents, summaries } = await gather(folders, reporting, context);
  const noted = [...contents.failed];
  const { rankPattern } = command;
  const inputs = await expandInputs(files, context);
  const dumps = new EarlierDumps(inputs, context, rankPattern);
  const cache = command.cache === null ? undefined : throughCache(new FleetFolder(command.cache), complain);
  // Digests of folders and stored digests are complete.
  const isFilesOnly = folders.length === 0 && cache === undefined;
  const read = isFilesOnly ? await dumps.read() : await readInputs(inputs, context, rankPattern, cache);
  addContents(contents, read);
  if (contents.digests.length + contents.trends.length + contents.cycles.length + summaries.length === 0) {
    printExplained(logs, command, false, context);
    for (const { message } of noted) complain(message);
    if (folders.length > 0) complain(`${folders.join(', ')}: there is no digest to report on. Digest snapshots first.`);
    return ranOut([]) || (failsOnMissing && (contents.failed.length > 0 || command.expectRanks !== null));
  }
  const { report: found, paths } = await dumps.report(contents, () =>
    reportOfGathered({ contents, summaries }, reporting, context),
  );
  if (command.command === 'baseline') {
    if (file !== null) await writeBaseline(found, file, command, workspace, context);
    return false;
  }
  const leaks = file?.leaks ?? [];
  const judged = withIgnored(found, leaks);
  if (command.command === 'analyze') await addLeakReplays(judged, workspace);
  const report = { ...judged, overBudget: overBudget(judged, budget) };
  const shown = withShownNames(report, command.root);
  const sarif = (): SarifLog =>
    withoutHomesIn(
      renderSarif(shown, VERSION, {
        hasBaseline: leaks.some(({ inBaseline }) => inBaseline),
        prefix: prefixOf(command),
        messages,
      }),
    );
  if (command.command === 'facts') {
    const out = command.out ?? join(command.inputs[0], 'facts');
    const { lines, snapshots, ranks } = await writeFacts(report, out, command.output === 'json' ? 'json' : 'parquet');
    context.print(`${out}: ${lines} lines, ${snapshots} snapshots, ${ranks} ranks.\n`);
    return false;
  }
  printExplained(await unrecorded(logs, report), command, true, context);
  switch (command.output) {
    case 'json':
      printJson(logs.length === 0 ? reportJson(report) : { ...reportJson(report), messages }, context);
      break;
    case 'markdown':
      context.print(withoutHomes(renderMarkdown(shown, command)));
      break;
    case 'sarif':
      printJson(sarif(), context);
      break;
    case 'github':
      context.print(renderGithub(sarif()));
      break;
    case 'text': {
      context.print(renderText(shown, command));
      if (noted.length > 0) context.print(failedText(noted));
      const isAny = report.runs.some(({ lines }) => lines.some(({ mapped }) => mapped));
      const open = command.root === null ? [] : unmappedText(paths, isAny);
      if (open.length > 0) context.print(`\n${open.join('\n')}\n`);
      break;
    }
  }
  for (const { message } of report.overBudget) complain(message);
  const isFailure = ({ verdict, ignored }: LineReport): boolean => !ignored && command.failOn.includes(verdict);
  const isOver = report.overBudget.length > 0;
  const isMissing = failsOnMissing && report.missing.length + report.failed.length > 0;
  const isFound = report.runs.some(
    ({ lines, process }) => lines.some(isFailure) || process.some(({ verdict }) => command.failOn.includes(verdict)),
  );
  if (ranOut(report.runs) || isOver || isMissing || isFound) return true;
  // The check has passed, as far as it could see.
  const blind = gate.judges ? unjudgedText(found, command.root) : null;
  if (blind !== null) complain(blind);
  if (gate.isSet && command.expectRanks !== null)
    for (const { message } of report.missing) complain(`${message} Pass the snapshots of every rank.`);
  return false;
}

/** Prints explained messages before a report, or in its place. */
function printExplained(
  logs: readonly ExplainedLog[],
  command: AnalyzeArguments,
  hasReport: boolean,
  context: CommandContext,
): void {
  if (logs.length === 0) return;
  const { print, complain } = context;
  const { output } = command;
  const after = hasReport ? '\n' : '';
  if (output === 'text') print(explanationText(logs) + after);
  else if (output === 'markdown') print(withoutHomes(explanationMarkdown(logs)) + after);
  // A report in the other formats holds them.
  else if (output === 'json' && !hasReport) print(explanationJson(logs));
  if (output !== 'sarif' && output !== 'github') return;
  const lineless = logs.filter(({ explanations }) => explanations.some(({ asked }) => asked === null));
  for (const path of lineless.flatMap(({ paths }) => paths))
    complain(`${path} holds a message without a line, which --${output} cannot show: use leakline explain-oom.`);
  if (hasReport) return;
  const messages = logs.flatMap(({ explanations }) => explanations);
  const options = { hasBaseline: false, prefix: prefixOf(command), messages };
  const sarif = withoutHomesIn(renderSarif({ overBudget: [], runs: [] }, VERSION, options));
  if (output === 'sarif') printJson(sarif, context);
  else print(renderGithub(sarif));
}

/** Files that tasks could not read. */
function failedText(failed: Report['failed']): string {
  const rest = failed.length - MAX_FAILED;
  const shown = failed.slice(0, MAX_FAILED).map(({ message }) => `  ${visibleText(message)}\n`);
  const more = rest > 0 ? `  and ${rest} more: see --json\n` : '';
  return `\nNot read: ${failed.length}\n${shown.join('')}${more}`;
}

/** Files that could not be read, named at most. */
const MAX_FAILED = 20;

/** The ignore file of a workspace; null without a workspace, or after a complaint about an invalid file. */
async function ignoreFile(root: string | null, complain: Complain): Promise<IgnoreFile | null> {
  if (root === null) return null;
  try {
    return await readIgnoreFile(root);
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return null;
  }
}

/** The path of the root in the repository that GitHub Actions checked out; empty elsewhere. */
function prefixOf({ root }: AnalyzeArguments): string {
  const { GITHUB_WORKSPACE: repository = '' } = process.env;
  if (repository === '' || root === null) return '';
  const path = relative(repository, root);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? '' : `${path.split(sep).join('/')}/`;
}

/** @returns true if `--fail-on` applies to the answer */
async function compare(command: CompareArguments, context: CommandContext): Promise<boolean> {
  const { complain } = context;
  const workspace = await workspaceOf(command, context);
  const ignored = (await ignoreFile(command.root, complain))?.leaks ?? [];
  const comparison = await compareInputs(command.inputs, workspace, ignored, context, command.rankPattern);
  if (comparison === null) return false;
  const { report, ranOut, lost } = comparison;
  if (report.fix === null && command.failOn.length > 0) {
    throw new UsageError('--fail-on needs two runs, and both snapshots are of one: name a folder of each run.');
  }
  switch (command.output) {
    case 'json':
      printJson(report, context);
      break;
    case 'markdown':
      context.print(withoutHomes(renderCompareMarkdown(withShownPair(report, command.root), command)));
      break;
    default:
      context.print(renderCompareText(withShownPair(report, command.root), command));
      break;
  }
  if (command.failOn.length === 0) return false;
  const ended = ranOutText(ranOut);
  if (ended !== null) complain(ended);
  if (ended !== null || (report.fix !== null && command.failOn.includes(report.fix.answer))) return true;
  const blind = unansweredText(report, command.root);
  if (blind !== null) complain(blind);
  if (lost.length > 0)
    complain(`${command.inputs[1]} has no snapshot of rank ${ranksText(lost)}. Record every rank again.`);
  return false;
}

/** @returns false: `--fail-on` does not apply */
async function whatIf(command: WhatIfArguments, context: CommandContext): Promise<false> {
  try {
    const devices = await whatIfDevices(command, await workspaceOf(command, context), context);
    if (command.output === 'json') printJson({ devices }, context);
    else context.print(renderWhatIfText(devices));
  } catch (error) {
    if (!SnapshotError.is(error)) throw error;
    context.complain(error.message);
  }
  return false;
}

/** @returns false: `--fail-on` does not apply */
async function explainOom(command: ExplainOomArguments, context: CommandContext): Promise<false> {
  const logs = await explainInputs(command.inputs, await workspaceOf(command, context), context);
  if (logs.length > 0) context.print(command.output === 'json' ? explanationJson(logs) : explanationText(logs));
  return false;
}

/** @throws UsageError if the root is not a folder */
async function workspaceOf(
  { root, rules }: Pick<AnalyzeArguments, 'root' | 'rules'>,
  { within }: Pick<CommandContext, 'within'>,
): Promise<ReportWorkspace> {
  if (root === null) {
    if (rules.length > 0) throw new UsageError('--map needs --root: the workspace that holds the folder.');
    return { files: [], rules: [] };
  }
  const facts = await stat(root).catch(() => null);
  if (facts?.isDirectory() !== true)
    throw new UsageError(`The root ${root} is not a folder: name that of the workspace.`);
  const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder: root }]);
  return { files: await listPythonFiles(root, within), rules, lineText, sourceText, sourceFacts };
}

/** Prints JSON in pieces, because a report may be too long for one text. */
function printJson(value: unknown, { print }: CommandContext): void {
  visibleJson(value, print);
  print('\n');
}

/** Removes digests of different versions, summaries without digests, and partial files of killed tasks. */
async function clean(paths: readonly string[], { print }: CommandContext): Promise<void> {
  for (const path of paths)
    if (!(await FleetFolder.is(path)))
      throw new UsageError(`${path} holds no digests: leakline digest --out writes them.`);
  for (const path of paths) {
    const folder = new FleetFolder(path);
    await folder.sweep();
    const removed = { digests: 0, summaries: 0 };
    for (const { name, digests } of await folder.groups()) {
      let left = digests.length;
      for (const file of digests) {
        const digest = join(path, 'digests', name, file);
        const isOther = await readFleetFile(digest).then(
          () => false,
          (error: unknown) => error instanceof OtherVersionError,
        );
        if (!isOther) continue;
        await rm(digest, { force: true });
        removed.digests++;
        left--;
      }
      if (left > 0) continue;
      removed.summaries += await rm(folder.summaryPath(name)).then(
        () => 1,
        () => 0,
      );
    }
    print(`${path}: ${removed.digests} digests and ${removed.summaries} summaries removed.\n`);
  }
}
