/** `leakline analyze`, and what else is made of its report. */
import { join } from 'node:path';
import { NO_BUDGET, overBudget } from '../../core/report/budget.js';
import { withIgnored } from '../../core/report/ignoredLeaks.js';
import type { Report } from '../../core/report/report.js';
import { FleetFolder } from '../../node/fleetFolder.js';
import type { AnalyzeArguments } from '../arguments.js';
import { throughCache } from '../fleet/cache.js';
import { digestFolders } from '../fleet/digestFolders.js';
import { writeFacts } from '../fleet/facts.js';
import { gather, reportOfGathered } from '../fleet/gather.js';
import { Reporting } from '../fleet/summary.js';
import { addContents, expandInputs, isEmpty, readInputs, type CommandContext } from '../inputs.js';
import { printTo } from '../outFile.js';
import { ignoreFile, workspaceOf } from '../workspace.js';
import { writeBaseline } from './baseline.js';
import { EarlierDumps } from './earlierDumps.js';
import { explainLogs, unrecorded, type ExplainedLog } from './explainedLogs.js';
import { gateOf, isFailed, ranOutText, unjudgedText } from './gate.js';
import { printExplained, printReport } from './printReport.js';
import { addLeakReplays } from './whatIfDevices.js';

/** @returns true if `--fail-on` applies @throws UsageError */
export function analyzeInputs(command: AnalyzeArguments, context: CommandContext): Promise<boolean> {
  // The output of `facts` is a folder.
  return command.command === 'facts'
    ? analyze(command, context)
    : printTo(command, context, (to) => analyze(command, to));
}

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
  if (command.command === 'report' || command.command === 'facts') await digestFolders(files);
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
  if (isEmpty(contents) && summaries.length === 0) {
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
  if (command.command === 'facts') {
    const out = command.out ?? join(command.inputs[0], 'facts');
    const { lines, snapshots, ranks } = await writeFacts(report, out, command.output === 'json' ? 'json' : 'parquet');
    context.print(`${out}: ${lines} lines, ${snapshots} snapshots, ${ranks} ranks.\n`);
    return false;
  }
  printExplained(await unrecorded(logs, report), command, true, context);
  const hasBaseline = leaks.some(({ inBaseline }) => inBaseline);
  printReport(report, { messages, noted, paths, hasBaseline }, command, context);
  for (const { message } of report.overBudget) complain(message);
  if (ranOut(report.runs) || isFailed(report, command.failOn)) return true;
  // The check has passed, as far as it could see.
  const blind = gate.judges ? unjudgedText(found, command.root) : null;
  if (blind !== null) complain(blind);
  if (gate.isSet && command.expectRanks !== null)
    for (const { message } of report.missing) complain(`${message} Pass the snapshots of every rank.`);
  return false;
}
