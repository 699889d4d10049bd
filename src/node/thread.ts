import { totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import { t } from '../core/text/translate.js';

/** A thread that is talked to by messages; a port, so that a test can let one die. */
export interface Thread {
  post(message: unknown): void;
  /** @param end called once, with the reason in words if it was not requested, and whether that is an error of Leakline */
  listen(message: (value: unknown) => void, end: (reason: string, isOurs?: boolean) => void): void;
  terminate(): Promise<void>;
}

/** Models are typed arrays outside a thread's heap: its limit is for a reader that runs away. */
const MAX_MIB = Math.floor(totalmem() / 2 ** 21);

/** From 2 GiB on, the engine lets a heap grow to four times its live size, below to twice, and with this limit to less. */
const USUAL_MIB = 1024;

/** Node's own limit is twice that. It saves no time, and takes 15 MiB more in each thread of a long run. */
const YOUNG_MIB = 24;

/** Starts a script in a thread. @param name for debuggers @param workerData for the script @param heapMib its limit */
export function startThread(
  script: string,
  name: string,
  workerData: unknown = null,
  heapMib: number = USUAL_MIB,
): Thread {
  const worker = new Worker(script, {
    resourceLimits: { maxOldGenerationSizeMb: Math.min(heapMib, MAX_MIB), maxYoungGenerationSizeMb: YOUNG_MIB },
    stdout: false,
    stderr: false,
    name,
    workerData,
  });
  return {
    post(message) {
      worker.postMessage(message);
    },
    listen(message, end) {
      let reason: string | null = null;
      let isOurs = false;
      worker.on('message', message);
      worker.on('error', (error: NodeJS.ErrnoException) => {
        const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        // The engine has range errors for arrays that are too long and calls that are too deep.
        isOurs = !isFull && error.name !== 'RangeError';
        reason = isFull ? t('out of memory') : error.message;
      });
      worker.on('exit', (code) => {
        end(reason ?? t('exit code {0}', code), isOurs);
      });
    },
    async terminate() {
      await worker.terminate();
    },
  };
}
