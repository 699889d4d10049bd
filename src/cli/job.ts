/** The thread that does the work of the command line. A hostile input can end only this thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { usageSentence } from './usageError.js';
import type { JobMessage, JobStart } from './supervise.js';
import { digestBeside } from './fleet/digest.js';
import type { Complain, Progress } from './inputs.js';
import { work } from './work.js';

/** Maximum number of characters of a report that wait to be written. */
const MAX_UNREAD = 1 << 20;

const port = parentPort;
if (port === null) throw new Error('leakline: cli-job.mjs runs as a worker thread only');
const post = (message: JobMessage): void => {
  port.postMessage(message);
};
const complain: Complain = (message, isHarmless = false) => {
  post({ kind: 'complain', message, isHarmless });
};

const { command, excluded, turns, finished, unread } = workerData as JobStart;
let found = false;
try {
  const output = {
    print: (text: string): void => {
      post({ kind: 'print', text });
      // Who reads a report page by page does not need it in memory.
      for (let max = Atomics.add(unread, 0, text.length) + text.length; max > MAX_UNREAD;) {
        Atomics.wait(unread, 0, max);
        max = Atomics.load(unread, 0);
      }
    },
    complain,
  };
  const progress: Progress = {
    excluded: new Set(excluded),
    reading: (path) => {
      post({ kind: 'reading', path });
    },
    read: (path, weight) => {
      post({ kind: 'read', path, weight });
    },
    analyzing: () => {
      post({ kind: 'analyzing' });
    },
  };
  if (turns === null) found = await work(command, output, progress, finished);
  else if (command.command === 'digest' || command.command === 'analyze')
    await digestBeside(command, { ...output, ...progress, within: null }, turns, (path, one) => {
      post({ kind: 'finished', path, finished: one });
    });
} catch (error) {
  const sentence = usageSentence(error);
  if (sentence === null) throw error;
  complain(sentence);
}
post({ kind: 'done', found });
