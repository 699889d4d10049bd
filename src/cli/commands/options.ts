/** The options of all commands, and how their values are read. */
import type { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import type { PathRule } from '../../core/attribution/paths/pathMapping.js';
import type { Bytes } from '../../core/model/units.js';
import { VERDICT_SIGNS, verdictName } from '../../core/present/words.js';
import type { Verdict } from '../../core/report/report.js';
import { parseBytes } from '../../core/text/numberText.js';
import { FORMATS, type CommonArguments, type OutputFormat, type ShardArguments } from '../arguments.js';
import { UsageError } from '../usageError.js';

const flag = (help: string) => ({ type: 'boolean', help }) as const;
/** @param value what stands for it in the help */
const text = (value: string, help: string) => ({ type: 'string', value, help }) as const;
/** An option that may be repeated. */
const texts = (value: string, help: string) => ({ ...text(value, help), multiple: true }) as const;

/** What the parser takes and `--help` describes. */
export const OPTIONS = {
  root: text(
    'DIR',
    'workspace to whose files recorded paths are mapped; default: the folder that the recorded program ran in, if it is here, else the current folder',
  ),
  map: texts('FROM=TO', 'map the recorded folder FROM to the folder TO of the workspace (repeatable)'),
  json: flag('print the report as JSON'),
  markdown: flag('print the report as Markdown, to paste into an issue'),
  sarif: flag('print the findings as SARIF 2.1.0, for code scanning'),
  github: flag('print the findings as annotations for GitHub Actions'),
  out: text('FILE', 'write the report into FILE'),
  'fail-on': texts(
    'WHAT',
    'end with exit code 1 on a verdict of analyze (leak, growing, …), on an answer of compare (worse, same, smaller, cannotTell), on missing ranks or files (incomplete), or where memory ran out (oom, which every check includes); separate several by commas',
  ),
  budget: text('SIZE', 'bytes that may leak per step, such as 512KiB, in place of the budget in DIR/.leakline.json'),
  capacity: text(
    'SIZE',
    'memory that what-if has to fit, such as 24GiB; default: that of a recorded out-of-memory error',
  ),
  set: texts(
    'NAME:VALUE',
    'setting of PYTORCH_CUDA_ALLOC_CONF for what-if, such as expandable_segments:True (repeatable); default: the usual ones',
  ),
  without: texts('FILE:LINE', 'line whose allocations what-if leaves out (repeatable)'),
  'rank-pattern': text('R', "regular expression that finds the rank in a path as its group: '_(\\d+)\\.pickle'"),
  cache: text('DIR', 'store digests of the inputs of analyze in DIR, and reuse them the next time'),
  jobs: text('N', 'threads that read files, for analyze and digest'),
  shard: text(
    'I/N',
    'part of this task in digest and summarize, I from 0 to N-1; default: from Slurm, MPI, Kubernetes or AWS Batch',
  ),
  shards: text('N', 'number of shards, where the launcher sets only the index'),
  name: text('NAME', 'name of a snapshot on standard input: leakline digest - --name x.pickle --out OUT'),
  'expect-ranks': text('N', "number of ranks of the job; default: the recorder's count"),
  all: flag('print every line and every rank, not only the largest'),
  help: { ...flag('print this text, or that of a command'), short: 'h' },
  version: { ...flag('print the version'), short: 'V' },
} as const;

export type OptionName = keyof typeof OPTIONS;
export type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>['values'];

/** Maximum number of rows of a table unless `--all`. */
const MAX_LINES = 30;

/** The options that all reports share. @throws UsageError */
export function commonOf(inputs: readonly string[], values: Values): CommonArguments {
  return {
    inputs,
    ...workspaceOptions(values),
    output: outputOf(values),
    out: values.out ?? null,
    maxLines: values.all === true ? Infinity : MAX_LINES,
    rankPattern: rankPatternOf(values),
  };
}

/** @throws UsageError */
export function workspaceOptions({ root, map = [] }: Values): Pick<CommonArguments, 'root' | 'rules'> {
  return { root: root ?? null, rules: map.map(parseRule) };
}

/** @throws UsageError */
export function shardOptions(values: Values): ShardArguments {
  return { rankPattern: rankPatternOf(values), shard: values.shard ?? null, shards: countOf('shards', values) };
}

/** The inputs, of which a command needs at least one. @param kind of inputs, for the message @throws UsageError */
export function someInputs(command: string, inputs: readonly string[], kind: string): readonly string[] {
  if (inputs.includes(''))
    throw new UsageError('The name of an input is empty: name files, or folders that hold some.');
  if (inputs.length === 0) throw new UsageError(`${command} takes ${kind}.`);
  return inputs;
}

export const SNAPSHOTS = 'snapshots: name files, or folders that hold some';
export const DIGESTS = 'a folder that leakline digest --out wrote';

/** V8's flag for its engine that never goes back. */
const LINEAR = 'l';

/** Names of files are not the user's: a pattern that is matched in linear time takes none of them too long. */
function rankPatternOf({ 'rank-pattern': text }: Values): RegExp | null {
  if (text === undefined) return null;
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

/** False in a Node that no longer has this engine. */
function hasLinearTime(): boolean {
  try {
    return new RegExp('', LINEAR).test('');
  } catch {
    return false;
  }
}

/** @returns null without the option @throws UsageError */
export function countOf(option: 'jobs' | 'shards' | 'expect-ranks', { [option]: text }: Values): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} takes a number from 1 on, not '${text}'.`);
}

/** @param what it takes, for the message @param min size @returns null without the option @throws UsageError */
export function sizeOf(
  option: 'budget' | 'capacity',
  { [option]: text }: Values,
  what: string,
  min: Bytes = 0,
): Bytes | null {
  if (text === undefined) return null;
  const bytes = parseBytes(text);
  if (bytes === null || bytes < min) throw new UsageError(`--${option} takes ${what}, not '${text}'.`);
  return bytes;
}

/** The format of a report that is text or JSON. */
export function textOrJson({ json }: Values): 'text' | 'json' {
  return json === true ? 'json' : 'text';
}

function outputOf(values: Partial<Record<OutputFormat, boolean>>): OutputFormat {
  const chosen = FORMATS.filter((format) => values[format] === true);
  if (chosen.length > 1) throw new UsageError(`Choose one of ${chosen.map((format) => `--${format}`).join(' and ')}.`);
  return chosen[0] ?? 'text';
}

/** The values of `--fail-on`, in one list with commas or in several. @throws UsageError */
export function failuresOf<Name extends string>(texts: readonly string[] = [], known: readonly Name[]): Name[] {
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

function parseRule(text: string): PathRule {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--map takes FROM=TO, not '${text}': a recorded folder and a workspace folder.`);
  const trim = (path: string): string => path.replace(/(?<=.)[\\/]+$/, '');
  return { recorded: trim(text.slice(0, at)), workspace: trim(text.slice(at + 1)) };
}
