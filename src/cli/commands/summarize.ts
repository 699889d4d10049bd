import type { SummarizeArguments } from '../arguments.js';
import type { Command } from './command.js';
import { DIGESTS, shardOptions, workspaceOptions } from './options.js';

export const summarize: Command<SummarizeArguments> = {
  name: 'summarize',
  usage: 'summarize [options] OUT',
  help: 'write a summary of each rank: report then reads no digests',
  options: ['root', 'map', 'shard', 'shards'],
  takes: DIGESTS,
  parse: (inputs, values) => ({
    command: 'summarize',
    inputs,
    ...workspaceOptions(values),
    ...shardOptions(values),
  }),
};
