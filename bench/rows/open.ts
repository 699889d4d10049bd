/**
 * Opens snapshots as the editor does, in the real worker with its reader threads: `open.mjs READERS CACHE UNTIL FILE…`.
 * The time is from the start of the worker to the last answer. CACHE is a folder, or `-` for none; UNTIL is `load`, or
 * `timeline` for the first curve of each file as well.
 */
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startThread } from '../../src/node/thread.js';
import { isRpcMessage, RpcClient } from '../../src/protocol/rpc.js';
import type { WorkerApi, WorkerEvents, WorkerStart } from '../../src/protocol/workerApi.js';
import { measure } from './measure.js';

const [readers, cache, until, ...files] = process.argv.slice(2);
const bundle = (name: string): string => new URL(`../worker/${name}.cjs`, import.meta.url).pathname;

let end = (): Promise<void> => Promise.resolve();
await measure(async () => {
  const start: WorkerStart = {
    readerScript: bundle('reader'),
    readers: Number(readers),
    reading: { cache: cache === '-' ? null : { folder: cache, maxBytes: 2 ** 33 }, timeLimitMs: null },
    translations: {},
  };
  const thread = startThread(bundle('main'), 'worker', start);
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
  end = () => thread.terminate();
  const loaded = (await Promise.all(files.map((path) => calls.call('load', { path })))).flatMap(
    ({ snapshots }) => snapshots,
  );
  const asked = { device: 0, axis: 'time', window: null, pixels: 1600 } as const;
  for (const path of until === 'timeline' ? files : []) await calls.call('timeline', { path, ...asked });
  return {
    events: loaded.reduce((sum, { events }) => sum + events, 0),
    liveBytes: loaded.flatMap(({ devices }) => devices).reduce((sum, { liveBytes }) => sum + liveBytes, 0),
  };
});
// Columns are kept in the background, once the answer is out, digests before them.
while (cache !== '-' && kept() < files.length) await sleep(20);
await end();

function kept(): number {
  return existsSync(cache) ? readdirSync(cache).filter((name) => name.endsWith('.columns')).length : 0;
}
