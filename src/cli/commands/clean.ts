import type { CleanArguments } from '../arguments.js';
import type { Command } from './command.js';
import { DIGESTS, someInputs } from './options.js';

export const clean: Command<CleanArguments> = {
  name: 'clean',
  usage: 'clean OUT',
  help: 'remove digests of different versions, and summaries without digests',
  options: [],
  parse: (inputs) => ({ command: 'clean', inputs: someInputs('clean', inputs, DIGESTS) }),
};
