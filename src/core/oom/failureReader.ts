/** Finds out-of-memory messages in a log, piece by piece, with the traceback before each. */
import type { DigestFrame } from '../model/digestFrame.js';
import { readLogLine, tracebackPart, withoutTerminalCodes } from './logLine.js';
import { compactText, isComplete, readNumbers, type OomNumbers } from './message.js';

/** A message, and what stood around it. */
export interface OomFailure {
  readonly numbers: OomNumbers;
  readonly rank: number | null;
  /** The process that wrote it, as the log distinguishes them; empty for a single one. */
  readonly process: string;
  /** Innermost first; empty without a traceback. */
  readonly frames: readonly DigestFrame[];
  /** Frames of the traceback around it, innermost first. */
  readonly outerFrames: readonly DigestFrame[];
}

/** More of a line is left out: no message is as long. */
const MAX_LINE = 1 << 16;
/** Maximum number of lines that a message may be wrapped into. */
const MAX_WRAPPED = 32;
const MAX_MESSAGE = 4096;
/** Maximum number of frames of a traceback, the innermost; of a deep recursion only they matter. */
const MAX_FRAMES = 256;
/** Maximum number of processes in one log; the one that wrote least recently is forgotten. */
const MAX_PROCESSES = 4096;

const START =
  /(?:CUDA|HIP|XPU|MPS backend)(?: error:)? out of memory|Tried to allocate \d|exceed allowed memory|OutOfMemoryError: Allocation on|cuda runtime error \(2\)|(?:CUDA|HIP|XPU|MPS backend) out?(?: of?(?: m\w{0,4})?)?$|\bTried(?: to?(?: al\w{0,6})?)?$/;
/** One of these is in each line that matters. */
const WORDS = /memory|llocat|Trace|File|In ?\[|\.py|-> \d|ipython|out|cuda|Tried/;

interface ProcessState {
  /** Outermost first. */
  frames: DigestFrame[];
  outer: DigestFrame[];
  /** A message that may go on in the next lines. */
  open: { text: string; rank: number | null; lines: number } | null;
}

export class FailureReader {
  private rest = '';
  /** True while the rest of a line that is too long is left out. */
  private isSkipping = false;
  private readonly processes = new Map<string, ProcessState>();
  private openCount = 0;

  constructor(private readonly onFailure: (failure: OomFailure) => void) {}

  /** Takes the next piece, which may end anywhere. */
  push(piece: string): void {
    let start = 0;
    for (;;) {
      const end = lineEnd(piece, start);
      if (end === -1) break;
      if (!this.isSkipping) this.line(this.rest + piece.slice(start, Math.min(end, start + MAX_LINE)));
      this.rest = '';
      this.isSkipping = false;
      start = end + 1;
    }
    if (this.isSkipping || start === piece.length) return;
    this.rest += piece.slice(start, start + MAX_LINE);
    if (this.rest.length < MAX_LINE) return;
    this.line(this.rest);
    this.rest = '';
    this.isSkipping = true;
  }

  /** Takes what there is for all that comes. */
  end(): void {
    if (this.rest !== '') this.line(this.rest);
    this.rest = '';
    for (const [process, state] of this.processes) this.close(process, state);
    this.processes.clear();
  }

  private line(raw: string): void {
    if (this.openCount === 0 && !WORDS.test(raw)) return;
    // A logger of JSON writes a traceback in one line.
    const lines = raw.includes('\\n') && raw.includes('out of memory') ? unescaped(raw) : [raw];
    for (const line of lines) this.oneLine(withoutTerminalCodes(line).slice(0, MAX_LINE));
  }

  private oneLine(line: string): void {
    const { process, rank, text } = readLogLine(line);
    const part = tracebackPart(text);
    const isStart = START.test(withoutFrame(text));
    const known = this.processes.get(process);
    if (known === undefined && part === null && !isStart) return;
    const state = known ?? this.add(process);
    if (state.open !== null && (part !== null || isStart)) this.close(process, state);
    if (part !== null) {
      takePart(state, part);
      if (!isStart) return;
    }
    if (isStart) {
      state.open = { text: '', rank, lines: 0 };
      this.openCount++;
    }
    const { open } = state;
    if (open === null) return;
    open.text = (open.text + compactText(text)).slice(0, MAX_MESSAGE);
    open.lines++;
    if (isComplete(open.text) || open.lines >= MAX_WRAPPED) this.close(process, state);
  }

  private close(process: string, state: ProcessState): void {
    const { open } = state;
    if (open === null) return;
    state.open = null;
    this.openCount--;
    const numbers = readNumbers(open.text);
    if (numbers === null) return;
    const [frames, outerFrames] = [state.frames.reverse(), state.outer.reverse()];
    // A later message has its own traceback, or none.
    [state.frames, state.outer] = [[], []];
    this.onFailure({ numbers, rank: open.rank, process, frames, outerFrames });
  }

  private add(process: string): ProcessState {
    if (this.processes.size >= MAX_PROCESSES) {
      const [[oldest, old]] = this.processes;
      this.close(oldest, old);
      this.processes.delete(oldest);
    }
    const state: ProcessState = { frames: [], outer: [], open: null };
    this.processes.set(process, state);
    return state;
  }
}

function takePart(state: ProcessState, part: NonNullable<ReturnType<typeof tracebackPart>>): void {
  switch (part.kind) {
    case 'header':
      state.outer = part.isInner ? state.frames : [];
      state.frames = [];
      return;
    case 'frame':
      if (state.frames.length >= MAX_FRAMES) state.frames.shift();
      state.frames.push(part.frame);
      return;
    case 'line': {
      const last = state.frames.at(-1);
      if (last?.line === -1) last.line = part.line;
    }
  }
}

function lineEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  // A progress bar goes back to the start of its line.
  const back = text.slice(from, feed === -1 ? text.length : feed).lastIndexOf('\r');
  return back === -1 || feed === from + back + 1 ? feed : from + back;
}

/** A line without the right side of a frame that a terminal draws. */
function withoutFrame(text: string): string {
  const end = text.trimEnd();
  return /[│┃|]$/.test(end) ? end.slice(0, -1).trimEnd() : end;
}

function unescaped(line: string): string[] {
  return line
    .replaceAll('\\"', '"')
    .replaceAll('\\u001b', '\u001b')
    .split(/\\r?\\n|\\n/);
}
