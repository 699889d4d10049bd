/** The output of `--help`, of all commands or of one. */
import { COMMANDS } from './commands/all.js';
import type { Command } from './commands/command.js';
import { OPTIONS, type OptionName } from './commands/options.js';

const WIDTH = 120;
/** Where descriptions begin. */
const OF_COMMANDS = 40;
const OF_OPTIONS = 20;

const FILES = `FILES are snapshots of torch.cuda.memory._dump_snapshot; a folder stands for every .pickle and
.pkl file below it, gzipped or not, and for graphs of PyTorch's cycle detector (*cycle*.html, .dot)
and logs of memory_stats() (memory_stats*.json, .jsonl), memory_summary() (memory_summary*.txt) and
nvidia-smi (nvidia-smi*.csv). Several snapshots in one file are numbered: page.html#2.
Snapshots of one training process are analyzed together as a run. Logs (.log, .txt, .out, .err) with an
out-of-memory message are explained.
`;
const EXIT_CODE = `Exit code: 1 if --fail-on applies or a budget is exceeded; else 2 if an argument or an input is bad, or a check had
nothing to judge: standard error has one sentence for each; else 0.
`;

/** @param only null for all commands */
export function helpText(only: Command | null): string {
  const commands = only === null ? COMMANDS : [only];
  const takesFiles = commands.some(({ usage }) => usage.includes('FILES'));
  const options = (Object.keys(OPTIONS) as OptionName[]).filter(
    (name) =>
      name === 'help' || (name === 'version' && only === null) || commands.some((one) => one.options.includes(name)),
  );
  return [
    `Usage:\n${commands.map(({ usage, help }) => columns(`leakline ${usage}`, help, OF_COMMANDS)).join('')}`,
    ...(takesFiles ? [FILES] : []),
    `Options:\n${options.map(optionText).join('')}`,
    ...(options.includes('fail-on') ? [EXIT_CODE] : []),
  ].join('\n');
}

function optionText(name: OptionName): string {
  const option = OPTIONS[name];
  return columns('value' in option ? `--${name} ${option.value}` : `--${name}`, option.help, OF_OPTIONS);
}

/** A name, and beside it what it means, in lines. @param at the column of the meaning */
function columns(name: string, meaning: string, at: number): string {
  const lines = [''];
  for (const word of meaning.split(' ')) {
    const line = lines[lines.length - 1];
    if (at + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  const head = `  ${name}`;
  if (head.length + 2 > at) lines.unshift('');
  return lines.map((line, i) => `${(i === 0 ? head : '').padEnd(line === '' ? 0 : at)}${line}\n`).join('');
}
