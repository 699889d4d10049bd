import { VERDICT_SIGNS } from '../../core/present/words.js';
import type { ProcessFinding, Verdict } from '../../core/report/report.js';
import type { AnalyzeArguments, FailOn } from '../arguments.js';
import type { Command } from './command.js';
import { commonOf, countOf, failuresOf, sizeOf, SNAPSHOTS, type OptionName, type Values } from './options.js';

/** Values of `--fail-on`. */
const FAILURES: readonly FailOn[] = [
  ...(Object.keys(VERDICT_SIGNS) as Verdict[]),
  ...([
    'reservedOnly',
    'hostOnly',
    'hostMemory',
    'pinnedSegments',
    'pendingFrees',
  ] satisfies ProcessFinding['verdict'][]),
  'incomplete',
  'oom',
];

/** Options of every report. */
export const REPORT_OPTIONS = [
  ...(['root', 'map', 'json', 'markdown', 'sarif', 'github', 'out'] as const),
  ...(['fail-on', 'budget', 'expect-ranks', 'all'] as const),
] satisfies readonly OptionName[];

export const analyze: Command<AnalyzeArguments> = {
  name: 'analyze',
  usage: 'analyze [options] FILES...',
  help: 'live and leaked GPU memory by source line',
  options: [...REPORT_OPTIONS, 'rank-pattern', 'cache', 'jobs'],
  takes: SNAPSHOTS,
  parse: (inputs, values) => reportArguments('analyze', inputs, values),
};

/** @throws UsageError */
export function reportArguments(
  command: AnalyzeArguments['command'],
  inputs: readonly string[],
  values: Values,
): AnalyzeArguments {
  return {
    command,
    ...commonOf(inputs, values),
    failOn: failuresOf(values['fail-on'], FAILURES),
    budget: sizeOf('budget', values, 'bytes per step, such as 512KiB or 0B'),
    cache: values.cache ?? null,
    jobs: countOf('jobs', values) ?? 1,
    expectRanks: countOf('expect-ranks', values),
  };
}
