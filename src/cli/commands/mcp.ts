import type { McpArguments } from '../arguments.js';
import { UsageError } from '../usageError.js';
import type { Command } from './command.js';
import { workspaceOptions } from './options.js';

/** The server runs in the main thread, and its questions as jobs. */
export const mcp: Command<McpArguments> = {
  name: 'mcp',
  usage: 'mcp --root DIR [FOLDERS...]',
  help: 'answer agents over standard input and output (Model Context Protocol)',
  options: ['root', 'map'],
  takes: null,
  parse: (inputs, values) => {
    const { root, rules } = workspaceOptions(values);
    if (root === null) throw new UsageError('mcp needs --root: the workspace that agents may read.');
    return { command: 'mcp', inputs, root, rules };
  },
};
