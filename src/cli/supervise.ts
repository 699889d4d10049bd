import { byteText } from '../core/text/numberText.js';
import type { Bytes } from '../core/model/units.js';
import type { Thread } from '../node/thread.js';
import type { JobCommand } from './arguments.js';
import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { FinishedInput } from './fleet/digest.js';
import type { Output } from './inputs.js';
import { removeOnSignal, temporaryFolder, unfinished } from './leftovers.js';
import type { Work } from './run.js';

/** The start data of the working thread. */
export interface JobStart {
  readonly command: JobCommand;
  /** Inputs that are not read. */
  readonly excluded: readonly string[];
  /** The turns of threads that only digest, see `digestBeside`; null for the main thread. */
  readonly turns: Int32Array | null;
  /** Digests that other threads have made. */
  readonly finished: ReadonlyMap<string, FinishedInput>;
  /** Characters that it has printed, and that were not written yet. */
  readonly unread: Int32Array;
}

/** Messages of the working thread. */
export type JobMessage =
  | { kind: 'print'; text: string }
  | { kind: 'complain'; message: string; isHarmless: boolean }
  | { kind: 'reading'; path: string }
  | { kind: 'finished'; path: string; finished: FinishedInput }
  /** @see Progress.read */
  | { kind: 'read'; path: string; weight: number }
  | { kind: 'analyzing' }
  | { kind: 'done'; found: boolean };

/** Limits of one file's reading, and of the whole report. */
export interface Budget {
  readonly timeMs: number;
  /** Maximum growth of the process. */
  readonly bytes: Bytes;
}

/** Milliseconds between checks of a budget. */
const LOOK_MS = 200;
/** Maximum number of excluded inputs before the command stops. */
const MAX_EXCLUDED = 8;
const OUR_ERROR = 'This is an error in Leakline: please report it.';

/** The progress of a thread, and its end. */
interface Attempt {
  /** Null if it was not done. */
  found: boolean | null;
  /** Why it ended. */
  reason: string;
  /** True if an error of Leakline ended it. */
  isOurs: boolean;
  /** The input that was being read, null before and after. */
  at: string | null;
  /** Weights of the inputs that were read. */
  weights: Map<string, number>;
  hasPrinted: boolean;
  /** True if memory ended it. */
  isFull: boolean;
}

/** Excluded inputs by path: a server of many commands reads them again after a change. */
export type Remembered = Map<string, { readonly state: string; readonly message: string }>;

/**
 * Runs a command in a thread. An input that ends the thread, or exceeds time or memory, is reported and excluded. For a
 * report, that is the largest input.
 * @param memory of the process
 * @param now in milliseconds
 */
export function supervise(
  start: (start: JobStart) => Thread,
  budget: Budget,
  memory: () => Bytes,
  now: () => number,
  remembered: Remembered,
): Work {
  return async (request, output) => {
    const excluded: string[] = [];
    for (const [path, { state, message }] of remembered) {
      if (stateText(path) !== state) remembered.delete(path);
      else if (request.inputs.some((input) => path === input || path.startsWith(`${input}/`))) {
        excluded.push(path);
        output.complain(message);
      }
    }
    const max = excluded.length + MAX_EXCLUDED;
    const printed = new Set<string>();
    const once: Output = {
      ...output,
      complain: (message, isHarmless) => {
        if (!printed.has(message)) output.complain(message, isHarmless);
        printed.add(message);
      },
    };
    const finished = new Map<string, FinishedInput>();
    const exclude = (path: string, what: string, { reason, isOurs }: Attempt): void => {
      const advice = isOurs ? OUR_ERROR : 'Free some memory, or record with a smaller max_entries.';
      const message = `${path} is skipped: ${what} was stopped (${reason}). ${advice}`;
      output.complain(message);
      excluded.push(path);
      remembered.set(path, { state: stateText(path), message });
    };
    const wished = request.command === 'digest' || request.command === 'analyze' ? request.jobs : 1;
    // More threads than cores take memory, and save nothing.
    const jobs = Math.min(wished, availableParallelism());
    const temporary =
      jobs > 1 && request.command === 'analyze' && request.cache === null ? await temporaryFolder() : null;
    const command: JobCommand =
      request.command === 'analyze' && temporary !== null ? { ...request, cache: temporary } : request;
    if ('out' in command && command.out !== null) removeOnSignal(unfinished(command.out));
    const turns = sharedNumber();
    const started = (one: Pick<JobStart, 'turns' | 'finished'>, told: Output): Promise<Attempt> => {
      const unread = sharedNumber();
      return attempt(start({ command, excluded, unread, ...one }), unread, budget, memory, now, told, finished);
    };
    const digest = async (): Promise<void> => {
      while (excluded.length < max) {
        const ended = await started({ turns, finished: new Map() }, SILENT);
        // Memory is short of all threads: with fewer, the rest is done.
        if (ended.found !== null || ended.at === null || ended.isFull) return;
        exclude(ended.at, 'reading it', ended);
      }
    };
    try {
      if (jobs > 1 && !command.inputs.includes('-')) await Promise.all(Array.from({ length: jobs }, digest));
      return await rest();
    } finally {
      if (temporary !== null) await rm(temporary, { recursive: true, force: true });
      if ('out' in command && command.out !== null) await rm(unfinished(command.out), { force: true }).catch(ignore);
    }
    async function rest(): Promise<boolean> {
      for (;;) {
        const ended = await started({ turns: null, finished }, once);
        const { found, reason, isOurs, at, weights, hasPrinted } = ended;
        if (found !== null) return found;
        const culprit = at ?? [...weights].sort((a, b) => b[1] - a[1]).at(0)?.[0];
        if (culprit === undefined || hasPrinted || excluded.length >= max) {
          output.complain(`The report was stopped (${reason}). ${isOurs ? OUR_ERROR : 'Name fewer files.'}`);
          return false;
        }
        exclude(culprit, at === null ? 'the report with it' : 'reading it', ended);
      }
    }
  };
}

function stateText(path: string): string {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts === undefined ? '' : `${facts.size} ${facts.mtimeMs} ${facts.ino}`;
}

/** The output of threads that repeat messages of the previous one. */
const SILENT: Output = { print: ignore, complain: ignore };

function ignore(): undefined {
  return undefined;
}

function sharedNumber(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

function attempt(
  thread: Thread,
  unread: Int32Array,
  { timeMs, bytes }: Budget,
  memory: () => Bytes,
  now: () => number,
  output: Output,
  finished: Map<string, FinishedInput>,
): Promise<Attempt> {
  const state: Attempt = {
    found: null,
    reason: '',
    isOurs: false,
    at: null,
    weights: new Map(),
    hasPrinted: false,
    isFull: false,
  };
  const before = memory();
  let sinceMs = now();
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      // A reader of the report may take its time.
      if (Atomics.load(unread, 0) > 0) sinceMs = now();
      if (now() - sinceMs > timeMs) state.reason = `it took more than ${timeMs / 1000} seconds`;
      else if (memory() - before > bytes) {
        state.isFull = true;
        state.reason = `it took more than ${byteText(bytes)} of memory`;
      }
      if (state.reason !== '') void thread.terminate();
    }, LOOK_MS);
    const settle = (): void => {
      clearInterval(timer);
      resolve(state);
    };
    thread.listen(
      (value) => {
        const message = value as JobMessage;
        switch (message.kind) {
          case 'print':
            state.hasPrinted = true;
            output.print(message.text, () => {
              Atomics.sub(unread, 0, message.text.length);
              Atomics.notify(unread, 0);
              sinceMs = now();
            });
            break;
          case 'complain':
            output.complain(message.message, message.isHarmless);
            break;
          case 'reading':
          case 'analyzing':
            state.at = message.kind === 'reading' ? message.path : null;
            sinceMs = now();
            break;
          case 'finished':
            finished.set(message.path, message.finished);
            break;
          case 'read':
            state.weights.set(message.path, message.weight);
            break;
          case 'done':
            state.found = message.found;
            settle();
            break;
        }
      },
      (reason, isOurs = false) => {
        if (state.reason === '') Object.assign(state, { reason, isOurs });
        settle();
      },
    );
  });
}
