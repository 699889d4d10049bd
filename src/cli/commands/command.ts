import type { JobCommand, McpArguments } from '../arguments.js';
import type { OptionName, Values } from './options.js';

/** A command: its arguments, and what `--help` tells of it. */
export interface Command<Of extends JobCommand | McpArguments = JobCommand | McpArguments> {
  readonly name: Of['command'];
  /** The arguments after `leakline`, as `--help` shows them. */
  readonly usage: string;
  /** What the command does, for `--help`. */
  readonly help: string;
  readonly options: readonly OptionName[];
  /** The required inputs in words; null if `parse` counts them. */
  readonly takes: string | null;
  /** @throws UsageError */
  readonly parse: (inputs: readonly string[], values: Values) => Of;
}
