import { totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { RpcMessage } from '../../protocol/rpc.js';

/** What the engine needs of a worker; a port, so that a test can let one die. */
export interface EngineThread {
  post(message: RpcMessage): void;
  /** @param end called once, with the reason in words if it was not asked for */
  listen(message: (value: unknown) => void, end: (reason: string) => void): void;
  terminate(): Promise<void>;
}

/** The models are typed arrays outside this heap: the limit stops a reader that runs away, not a large snapshot. */
const HEAP_MIB = Math.min(4096, Math.floor(totalmem() / 2 ** 21));

/** Starts the worker bundle in a thread of its own. */
export function startWorkerThread(script: string): EngineThread {
  const worker = new Worker(script, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    stdout: false,
    stderr: false,
    name: 'leakline',
  });
  return {
    post(message) {
      worker.postMessage(message);
    },
    listen(message, end) {
      let reason: string | null = null;
      worker.on('message', message);
      worker.on('error', (error: NodeJS.ErrnoException) => {
        reason = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out of memory' : error.message;
      });
      worker.on('exit', (code) => {
        end(reason ?? `exit code ${code}`);
      });
    },
    async terminate() {
      await worker.terminate();
    },
  };
}
