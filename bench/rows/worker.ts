import { startThread } from '../../src/node/thread.js';
import { isRpcMessage, RpcClient } from '../../src/protocol/rpc.js';
import type { WorkerApi, WorkerEvents, WorkerStart } from '../../src/protocol/workerApi.js';

const bundle = (name: string): string => new URL(`../worker/${name}.cjs`, import.meta.url).pathname;

/** Starts the product's worker with its reader threads. */
export function startWorker(start: Pick<WorkerStart, 'readers' | 'reading'>): {
  calls: RpcClient<WorkerApi, WorkerEvents>;
  end: () => Promise<void>;
} {
  const whole: WorkerStart = { ...start, readerScript: bundle('reader'), translations: {} };
  const thread = startThread(bundle('main'), 'worker', whole);
  const calls = new RpcClient<WorkerApi, WorkerEvents>((message) => {
    thread.post(message);
  });
  thread.listen(
    (value) => {
      if (isRpcMessage(value)) calls.receive(value);
    },
    (reason) => {
      calls.close(reason);
    },
  );
  return { calls, end: () => thread.terminate() };
}
