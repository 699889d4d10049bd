/** `leakline explain-oom`: out-of-memory messages in logs, explained by their numbers. */
import { stat } from 'node:fs/promises';
import { memorySummary } from '../core/formats/memorySummary.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import { explanationLines, type FailureList, type OomExplanation } from '../core/oom/explanation.js';
import type { ReportWorkspace } from '../core/report/reportWorkspace.js';
import { countText } from '../core/text/numberText.js';
import { visibleText } from '../core/text/plainText.js';
import { logFailures } from '../node/logFailures.js';
import type { CommandContext } from './inputs.js';

const STANDARD_INPUT = '-';
/** Names of files that hold the output of a program. */
const LOG_NAME = /\.(?:log|txt|out|err)$/i;
/** A table of `memory_summary()` is recognized by that much. */
const HEAD_BYTES = 512;

/** The messages of one input. */
export interface ExplainedLog {
  readonly path: string;
  readonly explanations: readonly OomExplanation[];
  /** Further ones that are not explained. */
  readonly leftOut: number;
}

interface ReadLog {
  readonly failures: FailureList;
  /** True if the file is also an input of `analyze`. */
  readonly isSummary: boolean;
}

/** Explains each input, and complains about those without a message. */
export async function explainInputs(
  paths: readonly string[],
  workspace: ReportWorkspace,
  context: CommandContext,
): Promise<ExplainedLog[]> {
  const logs: ExplainedLog[] = [];
  for (const path of paths) {
    if (context.excluded.has(path)) continue;
    const name = path === STANDARD_INPUT ? 'Standard input' : path;
    try {
      const { failures } = await readLog(path, context);
      if (failures.size === 0) {
        context.complain(
          `${name} holds no out-of-memory message of PyTorch. Pass the output of the program that failed.`,
        );
      } else logs.push(explainedLog(path, failures, workspace));
    } catch (error) {
      if (!SnapshotError.is(error)) throw error;
      context.complain(error.message);
    }
  }
  return logs;
}

/**
 * Explains the files that are logs with an out-of-memory message.
 * @returns `rest`: the files to analyze
 */
export async function explainLogs(
  files: readonly string[],
  workspace: ReportWorkspace,
  context: CommandContext,
): Promise<{ logs: ExplainedLog[]; rest: string[] }> {
  const logs: ExplainedLog[] = [];
  const rest: string[] = [];
  for (const path of files) {
    const isLog = LOG_NAME.test(path) && (await stat(path).catch(() => null))?.isFile() === true;
    if (!isLog || context.excluded.has(path)) {
      rest.push(path);
      continue;
    }
    try {
      const { failures, isSummary } = await readLog(path, context);
      if (failures.size > 0) logs.push(explainedLog(path, failures, workspace));
      if (failures.size === 0 || isSummary) rest.push(path);
    } catch (error) {
      if (!SnapshotError.is(error)) throw error;
      rest.push(path);
    }
  }
  return { logs, rest };
}

/** Lines of text, with the name of each input where there are several. */
export function explanationText(logs: readonly ExplainedLog[]): string {
  return logs
    .map(({ path, explanations, leftOut }) => {
      const lines = explanationLines(explanations);
      if (leftOut > 0) lines.push('', `${countText(leftOut)} more messages are not explained.`);
      return [...(logs.length > 1 ? [`${path}:`] : []), ...lines].map((line) => `${visibleText(line)}\n`).join('');
    })
    .join('\n');
}

/** The text in a block of Markdown. */
export function explanationMarkdown(logs: readonly ExplainedLog[]): string {
  return `\`\`\`text\n${explanationText(logs)}\`\`\`\n`;
}

/** One line of JSON for each message. */
export function explanationJson(logs: readonly ExplainedLog[]): string {
  return logs
    .flatMap(({ explanations }) => explanations.map((one) => `${visibleText(JSON.stringify(one))}\n`))
    .join('');
}

function explainedLog(path: string, failures: FailureList, workspace: ReportWorkspace): ExplainedLog {
  return { path, explanations: failures.explain(workspace), leftOut: failures.leftOut };
}

/** @throws SnapshotError */
async function readLog(path: string, context: CommandContext): Promise<ReadLog> {
  context.reading(path);
  let isSummary = false;
  try {
    const failures = await logFailures(path === STANDARD_INPUT ? null : path, (head) => {
      isSummary = memorySummary.sniff(head.subarray(0, HEAD_BYTES));
    });
    context.read(path, 0);
    return { failures, isSummary };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SnapshotError('unreadable', `${path} cannot be read: ${reason}. Name a file, or - for standard input.`);
  }
}
