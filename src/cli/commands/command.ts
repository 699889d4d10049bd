import type { JobCommand, McpArguments } from '../arguments.js';
import type { OptionName, Values } from './options.js';

/** How a command is called, and what `--help` tells of it. */
export interface Command<Of extends JobCommand | McpArguments = JobCommand | McpArguments> {
  readonly name: Of['command'];
  /** Its arguments, behind `leakline`. */
  readonly usage: string;
  /** What it does, for `--help`. */
  readonly help: string;
  readonly options: readonly OptionName[];
  /** Its inputs in words, if it needs one or more; null if `parse` counts them. */
  readonly takes: string | null;
  /** @throws UsageError */
  readonly parse: (inputs: readonly string[], values: Values) => Of;
}
