import { parseArgs, type ParseArgsConfig } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { DEFAULT_SETTINGS, withSettings } from '../core/allocator/settings.js';
import type { FixAnswer, ProcessFinding, Verdict } from '../core/report/report.js';
import { VERDICT_SIGNS, verdictName } from '../core/present/words.js';
import { parseBytes } from '../core/text/numberText.js';
import type { Bytes } from '../core/model/units.js';
import { UsageError } from './usageError.js';
import type { PathRule } from '../core/attribution/pathMapping.js';

/** Formats of a report, besides text. */
const FORMATS = ['json', 'markdown', 'sarif', 'github'] as const;
type OutputFormat = 'text' | (typeof FORMATS)[number];

/** Values of `--fail-on`, by command. */
const FAILURES = {
  analyze: [
    ...(Object.keys(VERDICT_SIGNS) as Verdict[]),
    ...([
      'reservedOnly',
      'hostOnly',
      'hostMemory',
      'pinnedSegments',
      'pendingFrees',
    ] satisfies ProcessFinding['verdict'][]),
    'incomplete',
    'oom',
  ],
  compare: ['worse', 'same', 'smaller', 'cannotTell'],
} as const satisfies { analyze: readonly Failure[]; compare: readonly FixAnswer[] };

type Failure = Verdict | ProcessFinding['verdict'] | 'incomplete' | 'oom';

interface CommonArguments {
  readonly inputs: readonly string[];
  /** Workspace folder, null for that of the recorded program, see `projectFolder`. */
  readonly root: string | null;
  readonly rules: readonly PathRule[];
  /** Real folders that links may lead into, set by `mcp` only. */
  readonly within?: readonly string[];
  readonly output: OutputFormat;
  /** The file that the report is written to, null for standard output; of `facts` the folder, null beside the digests. */
  readonly out: string | null;
  readonly mostLines: number;
  /** Finds the rank in a path, as its first group; null for the words that launchers write. */
  readonly rankPattern: RegExp | null;
}

export interface AnalyzeArguments extends CommonArguments {
  /** `report` reads folders that `digest` wrote; `facts` writes it as tables, `baseline` writes the lines that leak. */
  readonly command: 'analyze' | 'report' | 'facts' | 'baseline';
  /**
   * Values that lead to `EXIT_FOUND`: verdicts, `incomplete` for missing ranks or files, `oom` for memory that ran out.
   */
  readonly failOn: readonly Failure[];
  /** Ranks of each job, null for the recorder's count. */
  readonly expectRanks: number | null;
  /** Folder of the digests, null for none. */
  readonly cache: string | null;
  /** Threads that read. */
  readonly jobs: number;
  /** Bytes per step that may leak, in place of the workspace's budget; null for that. */
  readonly budget: Bytes | null;
}

/** Two inputs: the earlier one, then the later one; files or folders. */
export interface CompareArguments extends CommonArguments {
  readonly command: 'compare';
  /** Answers that end in `EXIT_FOUND`. */
  readonly failOn: readonly FixAnswer[];
}

interface ShardArguments {
  readonly rankPattern: RegExp | null;
  /** `I/N`, null for the launcher's values. */
  readonly shard: string | null;
  /** Number of shards, for launchers that set only the index. */
  readonly shards: number | null;
}

export interface DigestArguments extends ShardArguments {
  readonly command: 'digest';
  readonly inputs: readonly string[];
  /** The folder of digests. */
  readonly out: string;
  /** The name of standard input; null for files. */
  readonly name: string | null;
  /** Threads that read. */
  readonly jobs: number;
}

export interface SummarizeArguments extends ShardArguments, Pick<CommonArguments, 'inputs' | 'root' | 'rules'> {
  readonly command: 'summarize';
}

interface CleanArguments {
  readonly command: 'clean';
  readonly inputs: readonly string[];
}

/** Serves agents; `inputs` are the folders that they may read beside the root. */
export interface McpArguments extends Pick<CommonArguments, 'inputs' | 'rules'> {
  readonly command: 'mcp';
  readonly root: string;
}

/** One snapshot, and what would be different. */
export interface WhatIfArguments extends Pick<CommonArguments, 'inputs' | 'root' | 'rules' | 'within' | 'out'> {
  readonly command: 'what-if';
  readonly output: 'text' | 'json';
  /** Memory that the driver gives, null for that of the recording. */
  readonly capacity: Bytes | null;
  /** Settings in the syntax of PYTORCH_CUDA_ALLOC_CONF; none for the usual ones. */
  readonly settings: readonly string[];
  /** Lines whose allocations are left out. */
  readonly without: readonly { readonly file: string; readonly line: number }[];
}

/** Logs, or standard input as `-`. */
export interface ExplainOomArguments extends Pick<CommonArguments, 'inputs' | 'root' | 'rules' | 'out'> {
  readonly command: 'explain-oom';
  readonly output: 'text' | 'json';
}

/** A command that is done once, in a thread. */
export type JobCommand =
  | CleanArguments
  | AnalyzeArguments
  | CompareArguments
  | DigestArguments
  | SummarizeArguments
  | WhatIfArguments
  | ExplainOomArguments;

type Invocation = JobCommand | McpArguments | InformationRequest;

interface InformationRequest {
  readonly command: 'help' | 'version';
}

const OPTIONS = {
  root: { type: 'string' },
  map: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  markdown: { type: 'boolean' },
  sarif: { type: 'boolean' },
  github: { type: 'boolean' },
  budget: { type: 'string' },
  'fail-on': { type: 'string', multiple: true },
  'rank-pattern': { type: 'string' },
  out: { type: 'string' },
  name: { type: 'string' },
  cache: { type: 'string' },
  jobs: { type: 'string' },
  shard: { type: 'string' },
  shards: { type: 'string' },
  capacity: { type: 'string' },
  set: { type: 'string', multiple: true },
  without: { type: 'string', multiple: true },
  'expect-ranks': { type: 'string' },
  all: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const satisfies ParseArgsConfig['options'];

const COMMANDS = [
  'analyze',
  'compare',
  'what-if',
  'explain-oom',
  'digest',
  'summarize',
  'report',
  'facts',
  'clean',
  'baseline',
  'mcp',
] as const;
const COMMAND_LIST = `${COMMANDS.slice(0, -1).join(', ')} or ${COMMANDS[COMMANDS.length - 1]}`;
const FOLDER = 'a folder that leakline digest --out wrote';

/** Rows of a table unless `--all`. */
const MAX_LINES = 30;

/** @throws UsageError */
export function parseArguments(args: readonly string[]): Invocation {
  const { values, positionals } = parse(args);
  if (values.help === true) return { command: 'help' };
  if (values.version === true) return { command: 'version' };
  const [command, ...named] = positionals;
  if (positionals.length === 0) throw new UsageError(`Missing command: ${COMMAND_LIST}.`);
  const known = COMMANDS.find((one) => one === command);
  if (known === undefined) throw new UsageError(`Unknown command '${command}': use ${COMMAND_LIST}.`);
  if (known === 'baseline' && (named[0] !== 'write' || values.root === undefined))
    throw new UsageError('Write a baseline as: leakline baseline write --root DIR FILES.');
  const inputs = known === 'baseline' ? named.slice(1) : named;
  if (known === 'compare' && inputs.length !== 2) {
    throw new UsageError(
      `compare takes two snapshots, not ${inputs.length}: name the earlier one, then the later one, or a folder of each run.`,
    );
  }
  const rules = (values.map ?? []).map(parseRule);
  if (known === 'mcp') {
    if (values.root === undefined) throw new UsageError('mcp needs --root: the workspace that agents may read.');
    return { command: known, inputs, root: values.root, rules };
  }
  if (inputs.includes(''))
    throw new UsageError('The name of an input is empty: name files, or folders that hold some.');
  if (inputs.length === 0) {
    const takes =
      known === 'explain-oom'
        ? 'logs: name files, or - for standard input'
        : known !== 'report' && known !== 'summarize' && known !== 'facts' && known !== 'clean'
          ? 'snapshots: name files, or folders that hold some'
          : FOLDER;
    throw new UsageError(`${known} takes ${takes}.`);
  }
  const shards = {
    rankPattern: values['rank-pattern'] === undefined ? null : patternOf(values['rank-pattern']),
    shard: values.shard ?? null,
    shards: values.shards === undefined ? null : countOf('shards', values.shards),
  };
  const jobs = values.jobs === undefined ? 1 : countOf('jobs', values.jobs);
  if (known === 'digest') {
    const { out, name = null } = values;
    if (out === undefined) throw new UsageError('digest needs --out: the folder that the digests are written to.');
    const isStream = inputs.includes('-');
    if (isStream !== (name !== null) || (isStream && inputs.length > 1))
      throw new UsageError('Standard input is - alone, with --name: leakline digest - --name x.pickle --out OUT.');
    return { command: known, inputs, out, name, jobs, ...shards };
  }
  if (known === 'clean') return { command: known, inputs };
  if (known === 'what-if') return whatIfArguments(inputs, rules, values);
  if (known === 'explain-oom') {
    const { root = null, out = null } = values;
    return { command: known, inputs, root, rules, out, output: textOrJson(known, values) };
  }
  const common = {
    inputs,
    root: values.root ?? null,
    rules,
    output: outputOf(values),
    out: values.out ?? null,
    mostLines: values.all === true ? Infinity : MAX_LINES,
    rankPattern: shards.rankPattern,
  };
  if (known === 'summarize') return { command: known, ...common, ...shards };
  if (known !== 'compare') {
    const failOn = failuresOf(values['fail-on'], FAILURES.analyze);
    const expected = values['expect-ranks'];
    return {
      command: known,
      ...common,
      failOn,
      budget: values.budget === undefined ? null : sizeOf(values.budget),
      cache: values.cache ?? null,
      jobs,
      expectRanks: expected === undefined ? null : countOf('expect-ranks', expected),
    };
  }
  for (const option of ['sarif', 'github', 'budget'] as const) {
    if (values[option] !== undefined) throw new UsageError(`--${option} works with analyze and report only.`);
  }
  return { command: known, ...common, failOn: failuresOf(values['fail-on'], FAILURES.compare) };
}

/** V8's flag for its engine that never goes back. */
const LINEAR = 'l';

/** Names of files are not the user's: a pattern that is matched in linear time takes none of them too long. */
function patternOf(text: string): RegExp {
  setFlagsFromString('--enable-experimental-regexp-engine');
  const flags = hasLinearTime() ? LINEAR : '';
  try {
    const pattern = new RegExp(text, flags);
    if (new RegExp(`${text}|`, flags).exec('')?.length === 2) return pattern;
  } catch {
    // The message is below.
  }
  throw new UsageError(
    `--rank-pattern takes a regular expression with one group and no look-around, such as '_(\\d+)\\.pickle', not '${text}'.`,
  );
}

/** False in a Node that has this engine no more. */
function hasLinearTime(): boolean {
  try {
    return new RegExp('', LINEAR).test('');
  } catch {
    return false;
  }
}

function countOf(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} takes a number from 1 on, not '${text}'.`);
}

function sizeOf(text: string): Bytes {
  const bytes = parseBytes(text);
  if (bytes === null) throw new UsageError(`--budget takes bytes per step, such as 512KiB or 0B, not '${text}'.`);
  return bytes;
}

function whatIfArguments(
  inputs: readonly string[],
  rules: readonly PathRule[],
  values: ReturnType<typeof parse>['values'],
): WhatIfArguments {
  if (inputs.length !== 1) throw new UsageError(`what-if takes one snapshot, not ${inputs.length}.`);
  const output = textOrJson('what-if', values);
  const capacity = values.capacity === undefined ? null : parseBytes(values.capacity);
  if (values.capacity !== undefined && (capacity === null || capacity === 0))
    throw new UsageError(`--capacity takes the memory of a device, such as 24GiB, not '${values.capacity}'.`);
  const settings = values.set ?? [];
  for (const setting of settings) {
    try {
      withSettings(DEFAULT_SETTINGS, setting);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new UsageError(`--set: ${error.message}`);
    }
  }
  const without = (values.without ?? []).map((text) => {
    const [, file = '', line = ''] = /^(.+):([1-9]\d{0,8})$/.exec(text) ?? [];
    if (file === '') throw new UsageError(`--without takes FILE:LINE, such as train.py:40, not '${text}'.`);
    return { file, line: Number(line) };
  });
  const { root = null, out = null } = values;
  return { command: 'what-if', inputs, root, rules, out, output, capacity, settings, without };
}

function textOrJson(command: string, values: Partial<Record<OutputFormat, boolean>>): 'text' | 'json' {
  const output = outputOf(values);
  if (output === 'text' || output === 'json') return output;
  throw new UsageError(`--${output} does not work with ${command}: use --json.`);
}

function outputOf(values: Partial<Record<OutputFormat, boolean>>): OutputFormat {
  const chosen = FORMATS.filter((format) => values[format] === true);
  if (chosen.length > 1) throw new UsageError(`Choose one of ${chosen.map((format) => `--${format}`).join(' and ')}.`);
  return chosen[0] ?? 'text';
}

/** The values of an option, in one list with commas or in several. */
function failuresOf<Name extends string>(texts: readonly string[] = [], known: readonly Name[]): Name[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => {
      const name = known.find((one) => one === text.trim() || verdictText(one) === text.trim().toLowerCase());
      if (name === undefined) throw new UsageError(`--fail-on takes ${known.join(', ')}, not '${text.trim()}'.`);
      return name;
    });
}

/** The verdict as texts name it. */
function verdictText(name: string): string | null {
  return Object.hasOwn(VERDICT_SIGNS, name) ? verdictName(name as Verdict) : null;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s/);
    throw new UsageError(`${first.replace(/\.$/, '')}. See --help.`);
  }
}

function parseRule(text: string): PathRule {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--map takes FROM=TO, not '${text}': a recorded folder and a workspace folder.`);
  const trim = (path: string): string => path.replace(/(?<=.)[\\/]+$/, '');
  return { recorded: trim(text.slice(0, at)), workspace: trim(text.slice(at + 1)) };
}
