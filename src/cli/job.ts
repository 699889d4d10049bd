/** The thread in which the command line works: what an input makes of it ends no more than the thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { UsageError } from './usageError.js';
import type { JobMessage, JobStart } from './supervise.js';
import { digestBeside } from './fleet/digest.js';
import type { Progress } from './inputs.js';
import { work } from './work.js';

const port = parentPort;
if (port === null) throw new Error('leakline: cli-job.mjs runs as a worker thread only');
const post = (message: JobMessage): void => {
  port.postMessage(message);
};
const complain = (message: string): void => {
  post({ kind: 'complain', message });
};

const { command, setAside, turns, kept } = workerData as JobStart;
let found = false;
try {
  const words = {
    print: (text: string): void => {
      post({ kind: 'print', text });
    },
    complain,
  };
  const progress: Progress = {
    setAside: new Set(setAside),
    reading: (path) => {
      post({ kind: 'reading', path });
    },
    read: (path, weight) => {
      post({ kind: 'read', path, weight });
    },
    judging: () => {
      post({ kind: 'judging' });
    },
  };
  if (turns === null) found = await work(command, words, progress, kept);
  else if (command.command === 'digest' || command.command === 'analyze')
    await digestBeside(command, { ...words, ...progress }, turns, (path, one) => {
      post({ kind: 'kept', path, kept: one });
    });
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  complain(error.message);
}
post({ kind: 'done', found });
