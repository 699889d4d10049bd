import type { AnalyzeArguments } from '../arguments.js';
import { UsageError } from '../usageError.js';
import { reportArguments } from './analyze.js';
import type { Command } from './command.js';
import { SNAPSHOTS, someInputs } from './options.js';

export const baseline: Command<AnalyzeArguments> = {
  name: 'baseline',
  usage: 'baseline write --root DIR FILES...',
  help: 'record the lines that leak now in DIR/.leakline.json: they fail no check',
  options: ['root', 'map', 'fail-on', 'rank-pattern', 'cache'],
  takes: null,
  parse: ([verb, ...inputs], values) => {
    if (verb !== 'write' || values.root === undefined)
      throw new UsageError('Write a baseline as: leakline baseline write --root DIR FILES.');
    return reportArguments('baseline', someInputs('baseline', inputs, SNAPSHOTS), values);
  },
};
