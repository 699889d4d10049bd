import type { AnalyzeArguments } from '../arguments.js';
import { REPORT_OPTIONS, reportArguments } from './analyze.js';
import type { Command } from './command.js';
import { DIGESTS } from './options.js';

export const report: Command<AnalyzeArguments> = {
  name: 'report',
  usage: 'report [options] OUT',
  help: 'like analyze, from digests and summaries',
  options: REPORT_OPTIONS,
  takes: DIGESTS,
  parse: (inputs, values) => reportArguments('report', inputs, values),
};
