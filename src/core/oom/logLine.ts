/** Lines of logs and terminals: what stands before a program's own words, and the frames of tracebacks. */
import type { DigestFrame } from '../model/digestFrame.js';

/** Colors, titles and cursor movements of a terminal. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const TERMINAL_CODES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

export function withoutTerminalCodes(line: string): string {
  return line.includes('\u001b') ? line.replace(TERMINAL_CODES, '') : line;
}

/** What launchers and loggers write before a line. Those with a group name the process. */
const PREFIXES: readonly { readonly pattern: RegExp; readonly isRank: boolean }[] = [
  // `[rank3]:` of torchrun's exceptions, `[default3]:` of its redirected output.
  { pattern: /^\[(?:rank|default) ?(\d{1,6})\]:?/, isRank: true },
  // `3: ` of `srun --label`.
  { pattern: /^(\d{1,6}): /, isRank: true },
  // `(RayTrainWorker pid=1234)`, `(Worker_TP0 pid=548)`.
  { pattern: /^\(([\w .,:=/-]{0,80}pid=\d{1,9}[^()]{0,80})\)/, isRank: false },
  // `trainer-1  | ` of Docker Compose.
  { pattern: /^([\w.-]{1,60}) +\| /, isRank: false },
  { pattern: /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]*(?:Z|[+-]\d\d:?\d\d)?\]?(?: ?[-:|] )?/, isRank: false },
  {
    pattern: /^\[?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|Error)\]?(?: \d\d-\d\d \d\d:\d\d:\d\d)?[ :|-]{1,9}/,
    isRank: false,
  },
];
const RANK = /\brank[ =]?(\d{1,6})\b/i;

/** Most prefixes that a line has: one of each, and one of them twice. */
const MAX_PREFIXES = 6;

/** A line without what others wrote before it. */
export interface LogLine {
  /** Distinguishes the processes that write into one log; empty for a single one. */
  readonly process: string;
  readonly rank: number | null;
  readonly text: string;
}

export function readLogLine(line: string): LogLine {
  let text = line;
  let process = '';
  let rank: number | null = null;
  for (let count = 0; count < MAX_PREFIXES; count++) {
    const start = text.trimStart();
    const found = PREFIXES.map(({ pattern, isRank }) => ({ match: pattern.exec(start), isRank })).find(
      ({ match }) => match !== null,
    );
    if (found?.match == null) break;
    const [whole, name] = found.match as unknown as [string, string | undefined];
    text = start.slice(whole.length);
    if (name === undefined) continue;
    process += `${name}\n`;
    const named = found.isRank ? name : RANK.exec(name)?.[1];
    if (named !== undefined) rank = Number(named);
  }
  return { process, rank, text };
}

const PYTHON = /File "([^"\n]{1,4096})", line (\d{1,9}), in ([^\n]{1,400})/;
/** `File ~/model.py:34, in Model.forward(self, x)` */
const IPYTHON_FILE = /^\s*File ([^\s"][^"\n]{0,4095}?\.\w{1,4}):(\d{1,9}),? in ([\w.<>]{1,200})/;
/** `Cell In[3], line 12, in forward(x)` and `Input In [3], in <cell line: 12>()` */
const IPYTHON_CELL = /^\s*(?:Cell |Input )In ?\[(\d{1,9})\], (?:line (\d{1,9})(?:, in ([\w.<>]{1,200}))?|in )/;
/** `~/model.py in forward(self, x)`, whose line follows after an arrow. */
const OLD_IPYTHON = /^(<ipython-input-[\w-]{1,80}>|[~/\w][^"\n]{0,4095}?\.py) in ([\w.<>]{1,200})(?:\(|\s*$)/;
const ARROW = /^-{1,}> (\d{1,9})\b/;
/** `│ /home/u/model.py:34 in forward │` of rich. */
const RICH = /^\s*[│┃|] ([^\s│┃|][^│┃|\n]{0,4095}?\.py):(\d{1,9}) in (\S{1,200})/;

/** The start of a traceback. */
const HEADER = /Traceback (?:of TorchScript, original code )?\(most recent call last\)/;
/** The start of the traceback inside another one, whose frames go on being of use. */
const INNER_HEADER = 'Original Traceback (';

export type TracebackPart =
  | { readonly kind: 'header'; readonly isInner: boolean }
  | { readonly kind: 'frame'; readonly frame: DigestFrame }
  /** The line of the frame before it. */
  | { readonly kind: 'line'; readonly line: number };

/** What a line tells of a traceback, null for nothing. */
export function tracebackPart(text: string): TracebackPart | null {
  if (text.includes('Traceback (') || text.includes('Traceback of'))
    return HEADER.test(text) ? { kind: 'header', isInner: text.includes(INNER_HEADER) } : null;
  if (text.startsWith('-')) {
    const arrow = ARROW.exec(text);
    return arrow === null ? null : { kind: 'line', line: Number(arrow[1]) };
  }
  const cell = text.includes(' In') || text.startsWith('Input') ? IPYTHON_CELL.exec(text) : null;
  if (cell !== null) {
    const [, number, line, name] = cell as unknown as [string, string, string | undefined, string | undefined];
    return frameOf(`<ipython-input-${number}>`, line === undefined ? -1 : Number(line), name ?? '<module>');
  }
  if (!text.includes(' in ')) return null;
  const match = PYTHON.exec(text) ?? IPYTHON_FILE.exec(text) ?? RICH.exec(text);
  if (match !== null) return frameOf(match[1], Number(match[2]), match[3].trim());
  const old = OLD_IPYTHON.exec(text);
  return old === null ? null : frameOf(old[1], -1, old[2]);
}

function frameOf(file: string, line: number, name: string): TracebackPart {
  return { kind: 'frame', frame: { file: file.startsWith('~/') ? file.slice(2) : file, line, function: name } };
}
