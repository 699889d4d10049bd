import type { ExplainOomArguments } from '../arguments.js';
import type { Command } from './command.js';
import { textOrJson, workspaceOptions } from './options.js';

export const explainOom: Command<ExplainOomArguments> = {
  name: 'explain-oom',
  usage: 'explain-oom [options] FILE',
  help: 'out-of-memory messages in a log, or in standard input (-): why memory ran out, as far as the numbers show it, the line that requested it, and what may be the cause in the source',
  options: ['root', 'map', 'json', 'out'],
  takes: 'logs: name files, or - for standard input',
  parse: (inputs, values) => ({
    command: 'explain-oom',
    inputs,
    ...workspaceOptions(values),
    ...{ out: values.out ?? null, output: textOrJson(values) },
  }),
};
