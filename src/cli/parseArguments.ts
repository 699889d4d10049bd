import { parseArgs } from 'node:util';
import type { JobCommand, McpArguments } from './arguments.js';
import { COMMANDS } from './commands/all.js';
import type { Command } from './commands/command.js';
import { OPTIONS, someInputs, type OptionName, type Values } from './commands/options.js';
import { UsageError } from './usageError.js';

/** A question about the program. */
type Information =
  /** @see helpText */
  { readonly command: 'help'; readonly of: Command | null } | { readonly command: 'version' };

const NAMES = COMMANDS.map(({ name }) => name);
const COMMAND_LIST = `${NAMES.slice(0, -1).join(', ')} or ${NAMES[NAMES.length - 1]}`;

/** @throws UsageError */
export function parseArguments(args: readonly string[]): JobCommand | McpArguments | Information {
  const { values, positionals } = parse(args);
  const [name, ...inputs] = positionals;
  const command = COMMANDS.find((one) => one.name === name);
  if (values.help === true) return { command: 'help', of: command ?? null };
  if (values.version === true) return { command: 'version' };
  if (positionals.length === 0) throw new UsageError(`Missing command: ${COMMAND_LIST}.`);
  if (command === undefined) throw new UsageError(`Unknown command '${name}': use ${COMMAND_LIST}.`);
  // An option without effect could be a check that never fails.
  const foreign = (Object.keys(values) as OptionName[]).find((option) => !command.options.includes(option));
  if (foreign !== undefined)
    throw new UsageError(`--${foreign} does not work with ${name}. See leakline ${name} --help.`);
  return command.parse(command.takes === null ? inputs : someInputs(command.name, inputs, command.takes), values);
}

function parse(args: readonly string[]): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s/);
    throw new UsageError(`${first.replace(/\.$/, '')}. See --help.`);
  }
}
