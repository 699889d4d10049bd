import type { AnalyzeArguments } from '../arguments.js';
import { reportArguments } from './analyze.js';
import type { Command } from './command.js';
import { DIGESTS } from './options.js';

export const facts: Command<AnalyzeArguments> = {
  name: 'facts',
  usage: 'facts [options] OUT',
  help: 'write the report as Parquet tables into OUT/facts, or --out; with --json as lines of JSON',
  options: ['root', 'map', 'json', 'out', 'expect-ranks'],
  takes: DIGESTS,
  parse: (inputs, values) => reportArguments('facts', inputs, values),
};
