import type { FixAnswer } from '../../core/report/report.js';
import type { CompareArguments } from '../arguments.js';
import { UsageError } from '../usageError.js';
import type { Command } from './command.js';
import { commonOf, failuresOf, SNAPSHOTS, someInputs } from './options.js';

/** Values of `--fail-on`. */
const FAILURES: readonly FixAnswer[] = ['worse', 'same', 'smaller', 'cannotTell'];

export const compare: Command<CompareArguments> = {
  name: 'compare',
  usage: 'compare [options] A B',
  help: 'growth from snapshot A to snapshot B by source line; of two runs (a folder of snapshots each) also whether the leak is gone',
  options: ['root', 'map', 'json', 'markdown', 'out', 'fail-on', 'rank-pattern', 'all'],
  takes: null,
  parse: (inputs, values) => {
    if (inputs.length !== 2)
      throw new UsageError(
        `compare takes two snapshots, not ${inputs.length}: name the earlier one, then the later one, or a folder of each run.`,
      );
    return {
      command: 'compare',
      ...commonOf(someInputs('compare', inputs, SNAPSHOTS), values),
      failOn: failuresOf(values['fail-on'], FAILURES),
    };
  },
};
