import type { SummarizeArguments } from '../arguments.js';
import type { Command } from './command.js';
import { DIGESTS, shardOptions, someInputs, workspaceOptions } from './options.js';

export const summarize: Command<SummarizeArguments> = {
  name: 'summarize',
  usage: 'summarize [options] OUT',
  help: 'write a summary of each rank: report then reads no digests',
  options: ['root', 'map', 'shard', 'shards'],
  parse: (inputs, values) => ({
    command: 'summarize',
    inputs: someInputs('summarize', inputs, DIGESTS),
    ...workspaceOptions(values),
    ...shardOptions(values),
  }),
};
