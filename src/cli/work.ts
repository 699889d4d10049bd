import { projectFolder } from '../node/projectFolder.js';
import type { JobCommand } from './arguments.js';
import { cleanFolders } from './fleet/clean.js';
import { digestInputs, type FinishedInput } from './fleet/digest.js';
import { summarizeRanks } from './fleet/summarize.js';
import type { CommandContext, Output, Progress } from './inputs.js';
import { analyzeInputs } from './tasks/analyzeInputs.js';
import { comparePair } from './tasks/comparePair.js';
import { explainOnly } from './tasks/explainedLogs.js';
import { answerWhatIf } from './tasks/whatIfDevices.js';

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
  const context: CommandContext = { ...output, ...progress, within };
  const isOpen = 'root' in request && request.root === null && request.rules.length === 0;
  const command = isOpen ? { ...request, root: await projectFolder(request.inputs) } : request;
  switch (command.command) {
    case 'compare':
      return comparePair(command, context);
    case 'what-if':
      return answerWhatIf(command, context);
    case 'explain-oom':
      return explainOnly(command, context);
    case 'digest':
      return digestInputs(command, context, finished);
    case 'summarize':
      return summarizeRanks(command, context);
    case 'clean':
      return cleanFolders(command, context);
    default:
      return analyzeInputs(command, context);
  }
}

function ignore(): undefined {
  return undefined;
}
