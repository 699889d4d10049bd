/** `leakline compare`: two snapshots, or two runs. */
import type { SnapshotDigest } from '../../core/digest/digest.js';
import { trainedSteps } from '../../core/text/runId.js';
import { groupRuns, type Run } from '../../core/runs/runs.js';
import { SnapshotError } from '../../core/bytes/snapshotError.js';
import { buildCompare, compareRuns } from '../../core/report/compare/buildCompare.js';
import type { IgnoredLeak } from '../../core/report/ignoredLeaks.js';
import type { CompareReport, FixAnswer } from '../../core/report/report.js';
import type { ReportWorkspace } from '../../core/report/reportWorkspace.js';
import { ranksText } from '../../core/report/ranks/ranks.js';
import { renderCompareMarkdown } from '../../core/render/renderMarkdown.js';
import { renderCompareText } from '../../core/render/renderText.js';
import type { CompareArguments } from '../arguments.js';
import { printJson, printTo } from '../outFile.js';
import { UsageError } from '../usageError.js';
import { ignoreFile, workspaceOf } from '../workspace.js';
import { ranOutText, unansweredText } from './gate.js';
import { withoutHomes, withShownPair } from './shownNames.js';
import { expandInputs, readInputs, readOneSnapshot, type CommandContext, type Input } from '../inputs.js';

/** @returns true if `--fail-on` applies to the answer @throws UsageError */
export function comparePair(command: CompareArguments, context: CommandContext): Promise<boolean> {
  return printTo(command, context, (to) => compare(command, to));
}

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

/** Answers in the order in which users must see those of several ranks. */
const URGENCY: readonly FixAnswer[] = ['worse', 'cannotTell', 'same', 'smaller', 'gone'];

/** The answer on two inputs, and what it leaves out. */
interface Comparison {
  readonly report: CompareReport;
  /** Later snapshots in which memory ran out. */
  readonly ranOut: readonly SnapshotDigest[];
  /** Ranks of the earlier input that the later one lacks, ascending. */
  readonly lost: readonly number[];
}

/**
 * Compares two files, or the runs of two folders rank by rank: the worst rank is shown. @returns null after a complaint
 */
async function compareInputs(
  [before, after]: readonly string[],
  workspace: ReportWorkspace,
  ignored: readonly IgnoredLeak[],
  context: CommandContext,
  rankPattern: RegExp | null,
): Promise<Comparison | null> {
  const { complain } = context;
  const sides = [];
  for (const path of [before, after]) {
    const inputs = await expandInputs([path], context);
    if (inputs.length === 0) return null;
    const isFolder = inputs.some(({ found }) => found);
    sides.push({
      path,
      isFolder,
      digests: isFolder ? await many(path, inputs, context, rankPattern) : await one(path, context),
    });
  }
  context.analyzing();
  const [a, b] = sides;
  if (a.digests.length === 0 || b.digests.length === 0) return null;
  const ranOut = b.digests.filter(({ failures }) => failures.length > 0);
  if (!a.isFolder && !b.isFolder) {
    return { report: buildCompare(a.digests[0], b.digests[0], workspace, undefined, ignored), ranOut, lost: [] };
  }
  const runsA = byPart(groupRuns(a.digests));
  const runsB = byPart(groupRuns(b.digests));
  for (const [side, runs] of [[a, runsA] as const, [b, runsB] as const]) {
    if (runs !== null) continue;
    complain(`${side.path} holds several runs: name the folder of one.`);
  }
  if (runsA === null || runsB === null) return null;
  const reports = [...runsA].flatMap(([part, run]) => {
    const later = runsB.get(part);
    return later === undefined ? [] : [compareRuns(run, later, workspace, ignored)];
  });
  if (reports.length === 0) complain(`${a.path} and ${b.path} hold no run of the same rank: name two folders that do.`);
  // A part that leaks in neither is no answer for one that does.
  const leaking = reports.filter(({ fix }) => [fix?.before, fix?.after].some((side) => side?.leakBytesPerStep !== 0));
  const report = (leaking.length > 0 ? leaking : reports).reduce<CompareReport | null>(
    (worst, one) => (worst === null || urgency(one) < urgency(worst) ? one : worst),
    null,
  );
  const ranksB = new Set([...runsB.values()].map(rankOf));
  const lost = [...new Set([...runsA.values()].map(rankOf))].filter((rank) => !ranksB.has(rank)).sort((x, y) => x - y);
  return report === null ? null : { report, ranOut, lost };
}

async function many(
  path: string,
  inputs: readonly Input[],
  context: CommandContext,
  rankPattern: RegExp | null,
): Promise<readonly SnapshotDigest[]> {
  const { digests, trends, cycles } = await readInputs(inputs, context, rankPattern);
  const isOther = digests.length === 0 && trends.length + cycles.length > 0;
  if (isOther)
    context.complain(`${path} holds no snapshot, so there is nothing to compare: name a folder that holds some.`);
  return digests;
}

async function one(path: string, context: CommandContext): Promise<readonly SnapshotDigest[]> {
  if (context.excluded.has(path)) return [];
  try {
    return [await readOneSnapshot(path, context)];
  } catch (error) {
    if (!SnapshotError.is(error)) throw error;
    context.complain(error.message);
    return [];
  }
}

/** The runs of a folder by rank, the training apart from what follows it; null if two are of one. */
function byPart(runs: readonly Run[]): Map<string, Run> | null {
  const parts = new Map(runs.map((run) => [`${rankOf(run)} ${trainedSteps(run.id) === null}`, run]));
  return parts.size === runs.length ? parts : null;
}

/** A run that names no rank is the first: only the recorder names it. */
function rankOf({ rank }: Run): number {
  return rank ?? 0;
}

function urgency({ fix }: CompareReport): number {
  return fix === null ? URGENCY.length : URGENCY.indexOf(fix.answer);
}
