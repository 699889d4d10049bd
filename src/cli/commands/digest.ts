import type { DigestArguments } from '../arguments.js';
import { UsageError } from '../usageError.js';
import type { Command } from './command.js';
import { countOf, shardOptions, SNAPSHOTS, someInputs } from './options.js';

export const digest: Command<DigestArguments> = {
  name: 'digest',
  usage: 'digest --out OUT FILES...',
  help: 'write a digest of each snapshot that has none in OUT',
  options: ['out', 'name', 'jobs', 'rank-pattern', 'shard', 'shards'],
  parse: (named, values) => {
    const inputs = someInputs('digest', named, SNAPSHOTS);
    const { out, name = null, jobs } = values;
    if (out === undefined) throw new UsageError('digest needs --out: the folder that the digests are written to.');
    const isStream = inputs.includes('-');
    if (isStream !== (name !== null) || (isStream && inputs.length > 1))
      throw new UsageError('Standard input is - alone, with --name: leakline digest - --name x.pickle --out OUT.');
    return {
      command: 'digest',
      ...{ inputs, out, name },
      jobs: jobs === undefined ? 1 : countOf('jobs', jobs),
      ...shardOptions(values),
    };
  },
};
