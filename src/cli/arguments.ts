import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { PathRule } from '../core/source/pathMapping.js';

export type OutputFormat = 'text' | 'json' | 'markdown';

interface CommonArguments {
  readonly inputs: readonly string[];
  /** Workspace folder, null for none. */
  readonly root: string | null;
  readonly rules: readonly PathRule[];
  readonly output: OutputFormat;
  readonly mostLines: number;
}

export interface AnalyzeArguments extends CommonArguments {
  readonly command: 'analyze';
}

/** Two inputs: the earlier one, then the later one. */
export interface CompareArguments extends CommonArguments {
  readonly command: 'compare';
}

export type Invocation = AnalyzeArguments | CompareArguments | InformationRequest;

export interface InformationRequest {
  readonly command: 'help' | 'version';
}

/** A mistake in the arguments. The message is one sentence that says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const OPTIONS = {
  root: { type: 'string' },
  map: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  markdown: { type: 'boolean' },
  all: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const satisfies ParseArgsConfig['options'];

/** Rows of a table unless `--all`. */
const MOST_LINES = 30;

/** @throws UsageError */
export function parseArguments(args: readonly string[]): Invocation {
  const { values, positionals } = parse(args);
  if (values.help === true) return { command: 'help' };
  if (values.version === true) return { command: 'version' };
  const [command, ...inputs] = positionals;
  if (positionals.length === 0) throw new UsageError('Say what to do: analyze or compare.');
  if (command !== 'analyze' && command !== 'compare') {
    throw new UsageError(`There is no command '${command}': say analyze or compare.`);
  }
  if (command === 'compare' && inputs.length !== 2) {
    throw new UsageError(
      `compare takes two snapshots, not ${inputs.length}: name the earlier one, then the later one.`,
    );
  }
  if (inputs.length === 0) throw new UsageError('analyze takes snapshots: name files, or folders that hold some.');
  if (values.json === true && values.markdown === true) throw new UsageError('Choose one of --json and --markdown.');
  return {
    command,
    inputs,
    root: values.root ?? null,
    rules: (values.map ?? []).map(parseRule),
    output: values.json === true ? 'json' : values.markdown === true ? 'markdown' : 'text',
    mostLines: values.all === true ? Infinity : MOST_LINES,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${first.replace(/\.$/, '')}. See --help.`);
  }
}

function parseRule(text: string): PathRule {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--map takes FROM=TO, not '${text}': a recorded folder and a workspace folder.`);
  const trim = (path: string): string => path.replace(/(?<=.)[\\/]+$/, '');
  return { recorded: trim(text.slice(0, at)), workspace: trim(text.slice(at + 1)) };
}
