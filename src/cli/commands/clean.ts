import type { CleanArguments } from '../arguments.js';
import type { Command } from './command.js';
import { DIGESTS } from './options.js';

export const clean: Command<CleanArguments> = {
  name: 'clean',
  usage: 'clean OUT',
  help: 'remove digests of different versions, and summaries without digests',
  options: [],
  takes: DIGESTS,
  parse: (inputs) => ({ command: 'clean', inputs }),
};
