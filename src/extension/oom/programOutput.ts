/** What programs print, as far as it may hold an out-of-memory message. */

/** Words that each out-of-memory message has. */
const WORDS = ['out of memory', 'exceed allowed memory'];
/** The longest of them may begin in one piece and end in the next. */
const OVERLAP = 24;
/** Maximum number of characters that are kept: a traceback of hundreds of frames. */
const MAX_KEPT = 1 << 18;

/** The end of a program's output. It costs one search of each piece, however much is printed. */
export class RecentText {
  private kept = '';
  private tail = '';

  /** @returns true if a message may be in this piece */
  add(piece: string): boolean {
    this.kept += piece;
    if (this.kept.length > 2 * MAX_KEPT) this.kept = this.kept.slice(-MAX_KEPT);
    const searched = this.tail + piece;
    this.tail = searched.slice(-OVERLAP);
    const found = hasFailure(searched);
    // The next piece must not find the same words again.
    if (found) this.tail = '';
    return found;
  }

  get text(): string {
    return this.kept;
  }
}

/** `python3 train.py --lr 1e-3`: only plain words, which mean the same without a shell. */
const PYTHON_COMMAND = /^(?:\S*[\\/])?python[\d.]*(?:\.exe)?((?: +[\w@%+=:,.\\/-]+)+) *$/;

/** The arguments of a program that a command line runs; null if it runs another one, or needs a shell. */
export function argumentsOf(commandLine: string, program: string): string[] | null {
  const words = PYTHON_COMMAND.exec(commandLine)?.[1].trim().split(/ +/) ?? [];
  const at = words.findIndex((word) => !word.startsWith('-'));
  if (at === -1) return null;
  const script = words[at].replaceAll('\\', '/').replace(/^\.\//, '');
  return script === program || script.endsWith(`/${program}`) || program.endsWith(`/${script}`)
    ? words.slice(at + 1)
    : null;
}

export function hasFailure(text: string): boolean {
  return WORDS.some((words) => text.includes(words));
}

/** The traceback of a cell's error, and its message where the traceback does not have it. */
export function cellErrorText(json: string): string {
  try {
    const error = JSON.parse(json) as { name?: unknown; message?: unknown; stack?: unknown } | null;
    const part = (value: unknown): string => (typeof value === 'string' ? value : '');
    return `${part(error?.stack)}\n${part(error?.name)}: ${part(error?.message)}`;
  } catch {
    return ''; // an output of another kernel's form
  }
}

/** A frame of debugpy's stack traces, which have source lines between frames and end with the message. */
const FRAME = /^ {2}File ".*$/gm;

/** The traceback and the message of debugpy's answer on an exception, null for other messages. */
export function exceptionText(message: unknown): string | null {
  const { type, command, body } = message as {
    type?: unknown;
    command?: unknown;
    body?: { exceptionId?: unknown; description?: unknown; details?: { stackTrace?: unknown } };
  };
  if (type !== 'response' || command !== 'exceptionInfo' || typeof body?.description !== 'string') return null;
  const stack = typeof body.details?.stackTrace === 'string' ? body.details.stackTrace : '';
  const name = typeof body.exceptionId === 'string' ? body.exceptionId : '';
  // A debugger begins with the innermost frame.
  const frames = (stack.match(FRAME) ?? []).toReversed();
  return ['Traceback (most recent call last):', ...frames, `${name}: ${body.description}`].join('\n');
}
