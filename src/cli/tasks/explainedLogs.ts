/** `leakline explain-oom`: out-of-memory messages in logs, explained by their numbers. */
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { memorySummary } from '../../core/formats/memorySummary.js';
import { groupBy } from '../../core/maps.js';
import {
  explainFailures,
  explanationLines,
  withCandidates,
  type FailureList,
  type OomExplanation,
} from '../../core/oom/explanation.js';
import { isSameFailure, type MessageOrigin } from '../../core/oom/sameFailure.js';
import { candidatesIn } from '../../core/report/sources/candidates.js';
import type { Report } from '../../core/report/report.js';
import type { ReportWorkspace } from '../../core/report/reportWorkspace.js';
import { countText } from '../../core/text/numberText.js';
import { visibleText } from '../../core/text/plainText.js';
import { plural } from '../../core/text/plural.js';
import { jobOfLog, logFailures } from '../../node/logFailures.js';
import type { ExplainOomArguments } from '../arguments.js';
import type { CommandContext } from '../inputs.js';
import { printTo } from '../outFile.js';
import { workspaceOf } from '../workspace.js';

const STANDARD_INPUT = '-';
/** Names of files that hold the output of a program. */
const LOG_NAME = /\.(?:log|txt|out|err)$/i;
/** A table of `memory_summary()` is recognized by that much. */
const HEAD_BYTES = 512;

/** The messages of one input, or of the logs of several ranks. */
export interface ExplainedLog {
  readonly paths: readonly string[];
  readonly explanations: readonly OomExplanation[];
  /** Further ones that are not explained. */
  readonly leftOut: number;
}

interface ReadLog {
  readonly path: string;
  readonly failures: FailureList;
  /** True if the file is also an input of `analyze`. */
  readonly isSummary: boolean;
}

/** Prints explanations and nothing else. @returns false: `--fail-on` does not apply @throws UsageError */
export function explainOnly(command: ExplainOomArguments, context: CommandContext): Promise<boolean> {
  return printTo(command, context, async (to) => {
    const workspace = await workspaceOf(command, to);
    const logs = await explained(await readLogs(command.inputs, to, to.complain), workspace);
    if (logs.length > 0) to.print(command.output === 'json' ? explanationJson(logs) : explanationText(logs));
    return false;
  });
}

/**
 * Explains the files that are logs with an out-of-memory message.
 * @param rankPattern finds the rank in a path
 * @returns `rest`: the files to analyze
 */
export async function explainLogs(
  files: readonly string[],
  workspace: ReportWorkspace,
  context: CommandContext,
  rankPattern: RegExp | null,
): Promise<{ logs: ExplainedLog[]; rest: string[] }> {
  const named: string[] = [];
  for (const path of files)
    if (LOG_NAME.test(path) && (await stat(path).catch(() => null))?.isFile() === true) named.push(path);
  const logs = await readLogs(named, context, () => undefined);
  const taken = new Set(logs.filter(({ isSummary }) => !isSummary).map(({ path }) => path));
  return { logs: await explained(logs, workspace, rankPattern), rest: files.filter((path) => !taken.has(path)) };
}

/** Lines of text, with the name of each input where there are several. */
export function explanationText(logs: readonly ExplainedLog[]): string {
  return logs
    .map(({ paths: [path, ...others], explanations, leftOut }) => {
      const lines = explanationLines(explanations);
      if (leftOut > 0) lines.push('', `${countText(leftOut)} more messages are not explained.`);
      const name = others.length === 0 ? path : `${path} and ${plural(others.length, 'more log')}`;
      return [...(logs.length > 1 ? [`${name}:`] : []), ...lines].map((line) => `${visibleText(line)}\n`).join('');
    })
    .join('\n');
}

/** One line of JSON for each message. */
export function explanationJson(logs: readonly ExplainedLog[]): string {
  return logs
    .flatMap(({ explanations }) => explanations.map((one) => `${visibleText(JSON.stringify(one))}\n`))
    .join('');
}

/** Explains the logs of several ranks in one folder together. */
async function explained(
  logs: readonly ReadLog[],
  workspace: ReportWorkspace,
  rankPattern: RegExp | null = null,
): Promise<ExplainedLog[]> {
  const ranked = logs.map((log) => ({ ...log, ...jobOfLog(log.path, rankPattern) }));
  const jobs = [...groupBy(ranked, ({ job }) => job).values()];
  return Promise.all(
    jobs.map(async (job) => ({
      paths: job.map(({ path }) => path),
      explanations: await withCandidates(explainFailures(job, workspace), candidatesIn(workspace)),
      leftOut: job.reduce((sum, { failures }) => sum + failures.leftOut, 0),
    })),
  );
}

/** The logs that hold a message. @param complain gets a sentence on each other one */
async function readLogs(
  paths: readonly string[],
  context: CommandContext,
  complain: (message: string) => void,
): Promise<ReadLog[]> {
  const logs: ReadLog[] = [];
  for (const path of paths) {
    if (context.excluded.has(path)) continue;
    const isStandardInput = path === STANDARD_INPUT;
    context.reading(path);
    let isSummary = false;
    try {
      const failures = await logFailures(isStandardInput ? null : path, (head) => {
        isSummary = memorySummary.sniff(head.subarray(0, HEAD_BYTES));
      });
      context.read(path, 0);
      if (failures.size > 0) logs.push({ path, failures, isSummary });
      else
        complain(
          `${isStandardInput ? 'Standard input' : path} holds no out-of-memory message of PyTorch. Pass the output of the program that failed.`,
        );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      complain(`${path} cannot be read: ${reason}. Name a file, or - for standard input.`);
    }
  }
  return logs;
}

/** The logs without the messages whose failure a snapshot of the report has: that says more. */
export async function unrecorded(logs: readonly ExplainedLog[], { runs }: Report): Promise<ExplainedLog[]> {
  const failures = runs.flatMap(({ outOfMemory }) => outOfMemory);
  if (failures.length === 0) return [...logs];
  const left = await Promise.all(
    logs.map(async (log) => {
      const origins = await Promise.all(log.paths.map(originOf));
      const isRecorded = (message: OomExplanation): boolean =>
        origins.some((origin) => failures.some((one) => isSameFailure(message, origin, { ...one, atUs: one.timeUs })));
      return { ...log, explanations: log.explanations.filter((message) => !isRecorded(message)) };
    }),
  );
  return left.filter(({ explanations }) => explanations.length > 0);
}

async function originOf(path: string): Promise<MessageOrigin> {
  const file = await stat(path).catch(() => null);
  return { writtenAtUs: file === null ? null : file.mtimeMs * 1000, folder: dirname(path) };
}
