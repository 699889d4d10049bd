import type { DigestArguments } from '../arguments.js';
import { UsageError } from '../usageError.js';
import type { Command } from './command.js';
import { countOf, shardOptions, SNAPSHOTS } from './options.js';

export const digest: Command<DigestArguments> = {
  name: 'digest',
  usage: 'digest --out OUT FILES...',
  help: 'write a digest of each snapshot that has none in OUT',
  options: ['out', 'name', 'jobs', 'rank-pattern', 'shard', 'shards'],
  takes: SNAPSHOTS,
  parse: (inputs, values) => {
    const { out, name = null } = values;
    if (out === undefined) throw new UsageError('digest needs --out: the folder that the digests are written to.');
    const isStream = inputs.includes('-');
    if (isStream !== (name !== null) || (isStream && inputs.length > 1))
      throw new UsageError('Standard input is - alone, with --name: leakline digest - --name x.pickle --out OUT.');
    return {
      command: 'digest',
      ...{ inputs, out, name },
      jobs: countOf('jobs', values) ?? 1,
      ...shardOptions(values),
    };
  },
};
