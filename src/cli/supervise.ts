import { byteText } from '../core/text/byteText.js';
import type { Bytes } from '../core/model/units.js';
import type { Thread } from '../node/thread.js';
import type { JobCommand } from './arguments.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kept } from './fleet/digest.js';
import type { Words } from './inputs.js';
import { unfinished } from './outFile.js';
import type { Work } from './run.js';

/** What the thread that works is started with. */
export interface JobStart {
  readonly command: JobCommand;
  /** Inputs that are not read. */
  readonly setAside: readonly string[];
  /** Of threads that only digest, see `digestBeside`; null for the one that does the rest. */
  readonly turns: Int32Array | null;
  /** What the others have digested. */
  readonly kept: ReadonlyMap<string, Kept>;
}

/** What it tells. */
export type JobMessage =
  | { kind: 'print'; text: string }
  | { kind: 'complain'; message: string }
  | { kind: 'reading'; path: string }
  | { kind: 'kept'; path: string; kept: Kept }
  /** @see Progress.read */
  | { kind: 'read'; path: string; weight: number }
  | { kind: 'judging' }
  | { kind: 'done'; found: boolean };

/** What one file may take until it is read, and the report over all of them. */
export interface Budget {
  readonly timeMs: number;
  /** That the process grows by. */
  readonly bytes: Bytes;
}

/** How often a budget is looked at, in milliseconds. */
const LOOK_MS = 200;
/** Inputs that may be set aside before all is given up. */
const MOST_ASIDE = 8;

/** How far a thread came. */
interface Attempt {
  /** Null if it was not done. */
  found: boolean | null;
  /** Why it ended. */
  reason: string;
  /** The input that was being read, null before and after. */
  at: string | null;
  /** Of the inputs that were read. */
  weights: Map<string, number>;
  hasPrinted: boolean;
  /** True if memory ended it. */
  isFull: boolean;
}

/**
 * Works in a thread of its own. An input that takes it down, or more time or memory than it may, is named and set aside,
 * and the rest is done without it. Of a report, that is the input that weighs most.
 * @param memory of the process
 */
export function supervise(
  start: (start: JobStart) => Thread,
  budget: Budget,
  memory: () => Bytes = () => process.memoryUsage.rss(),
): Work {
  return async (given, words) => {
    const setAside: string[] = [];
    const said = new Set<string>();
    const once: Words = {
      ...words,
      complain: (message) => {
        if (!said.has(message)) words.complain(message);
        said.add(message);
      },
    };
    const kept = new Map<string, Kept>();
    const tell = (path: string, what: string, reason: string): void => {
      words.complain(
        `${path} is set aside: ${what} was given up (${reason}). ` +
          'Free some memory, or record with a smaller max_entries.',
      );
      setAside.push(path);
    };
    const jobs = given.command === 'digest' || given.command === 'analyze' ? given.jobs : 1;
    const temporary =
      jobs > 1 && given.command === 'analyze' && given.cache === null
        ? await mkdtemp(join(tmpdir(), 'leakline-cache-'))
        : null;
    const command: JobCommand =
      given.command === 'analyze' && temporary !== null ? { ...given, cache: temporary } : given;
    const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const digest = async (): Promise<void> => {
      while (setAside.length < MOST_ASIDE) {
        const job = { command, setAside, turns, kept: new Map() };
        const { found, reason, at, isFull } = await attempt(start(job), budget, memory, SILENT, kept);
        // Memory is short of all threads: with fewer, the rest is done.
        if (found !== null || at === null || isFull) return;
        tell(at, 'reading it', reason);
      }
    };
    try {
      if (jobs > 1 && !command.inputs.includes('-')) await Promise.all(Array.from({ length: jobs }, digest));
      return await rest();
    } finally {
      if (temporary !== null) await rm(temporary, { recursive: true, force: true });
      if ('out' in command && command.out !== null) await rm(unfinished(command.out), { force: true });
    }
    async function rest(): Promise<boolean> {
      for (;;) {
        const { found, reason, at, weights, hasPrinted } = await attempt(
          start({ command, setAside, turns: null, kept }),
          budget,
          memory,
          once,
          kept,
        );
        if (found !== null) return found;
        const culprit = at ?? [...weights].sort((a, b) => b[1] - a[1]).at(0)?.[0];
        if (culprit === undefined || hasPrinted || setAside.length >= MOST_ASIDE) {
          words.complain(`The report was given up (${reason}). Name fewer files.`);
          return false;
        }
        tell(culprit, at === null ? 'the report with it' : 'reading it', reason);
      }
    }
  };
}

/** For threads whose words the last one says again. */
const SILENT: Words = { print: ignore, complain: ignore };

function ignore(): undefined {
  return undefined;
}

function attempt(
  thread: Thread,
  { timeMs, bytes }: Budget,
  memory: () => Bytes,
  words: Words,
  kept: Map<string, Kept>,
): Promise<Attempt> {
  const state: Attempt = { found: null, reason: '', at: null, weights: new Map(), hasPrinted: false, isFull: false };
  const before = memory();
  let sinceMs = performance.now();
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (performance.now() - sinceMs > timeMs) state.reason = `it took more than ${timeMs / 1000} seconds`;
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
            words.print(message.text);
            break;
          case 'complain':
            words.complain(message.message);
            break;
          case 'reading':
          case 'judging':
            state.at = message.kind === 'reading' ? message.path : null;
            sinceMs = performance.now();
            break;
          case 'kept':
            kept.set(message.path, message.kept);
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
      (reason) => {
        if (state.reason === '') state.reason = reason;
        settle();
      },
    );
  });
}
