/** A report, and explained messages, in the format that was requested. */
import { isAbsolute, relative, sep } from 'node:path';
import { reportJson } from '../../core/render/findingJson.js';
import { renderGithub } from '../../core/render/renderGithub.js';
import { renderMarkdown } from '../../core/render/renderMarkdown.js';
import { renderSarif, type SarifLog } from '../../core/render/renderSarif.js';
import { renderText, unmappedText } from '../../core/render/renderText.js';
import type { Report } from '../../core/report/report.js';
import { visibleText } from '../../core/text/plainText.js';
import { VERSION } from '../../node/version.js';
import type { AnalyzeArguments } from '../arguments.js';
import type { CommandContext } from '../inputs.js';
import { printJson } from '../outFile.js';
import { explanationJson, explanationText, type ExplainedLog } from './explainedLogs.js';
import { withoutHomes, withoutHomesIn, withShownNames } from './shownNames.js';

/** Maximum number of unreadable files that are named. */
const MAX_FAILED = 20;

/** What is printed with a report. */
interface Beside {
  /** Explained messages of logs. */
  readonly messages: ExplainedLog['explanations'];
  /** Files that tasks of a fleet could not read. */
  readonly noted: Report['failed'];
  readonly paths: Parameters<typeof unmappedText>[0];
  readonly hasBaseline: boolean;
}

export function printReport(
  report: Report,
  { messages, noted, paths, hasBaseline }: Beside,
  command: AnalyzeArguments,
  context: CommandContext,
): void {
  const shown = withShownNames(report, command.root);
  const sarif = (): SarifLog =>
    withoutHomesIn(renderSarif(shown, VERSION, { hasBaseline, prefix: prefixOf(command), messages }));
  switch (command.output) {
    case 'json':
      printJson(messages.length === 0 ? reportJson(report) : { ...reportJson(report), messages }, context);
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
}

/** Prints explained messages before a report, or in its place. */
export function printExplained(
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
  else if (output === 'markdown') print(`\`\`\`text\n${withoutHomes(explanationText(logs))}\`\`\`\n${after}`);
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

/** The path of the root in the repository that GitHub Actions checked out; empty elsewhere. */
function prefixOf({ root }: AnalyzeArguments): string {
  const { GITHUB_WORKSPACE: repository = '' } = process.env;
  if (repository === '' || root === null) return '';
  const path = relative(repository, root);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? '' : `${path.split(sep).join('/')}/`;
}
