/**
 * Opens snapshots as the editor does, in the real worker with its reader threads: `open.mjs READERS CACHE UNTIL FILE…`.
 * The time is from the start of the worker to the last answer. CACHE is a folder, or `-` for none; UNTIL is `load`, or
 * `timeline` for the first curve of each file as well.
 */
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { measure } from './measure.js';
import { startWorker } from './worker.js';

const [readers, cache, until, ...files] = process.argv.slice(2);
let end = (): Promise<void> => Promise.resolve();
await measure(async () => {
  const worker = startWorker({
    readers: Number(readers),
    reading: { cache: cache === '-' ? null : { folder: cache, maxBytes: 2 ** 33 }, timeLimitMs: null },
  });
  const { calls } = worker;
  end = worker.end;
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
