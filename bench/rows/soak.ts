/**
 * Dumps of one run that come one after the other, in the real worker: `soak.mjs FILE…`. After each there is a report, as in
 * the editor. Writes the curve of time and memory to standard error.
 */
import { withRepeated } from '../../src/protocol/reportCode.js';
import type { SentResult } from '../../src/protocol/workerApi.js';
import { measure } from './measure.js';
import { startWorker } from './worker.js';

const files = process.argv.slice(2);
const worker = startWorker({ readers: 1, reading: { cache: null, timeLimitMs: null } });

/** Dumps between two points of the curve. */
const STRIDE = Math.max(1, Math.floor(files.length / 10));

await measure(async () => {
  let events = 0;
  let liveBytes = 0;
  let last: SentResult | null = null;
  let used = process.cpuUsage();
  for (const [i, path] of files.entries()) {
    const { snapshots } = await worker.calls.call('load', { path });
    for (const snapshot of snapshots) {
      events += snapshot.events;
      for (const device of snapshot.devices) liveBytes += device.liveBytes;
    }
    const answer: SentResult = await worker.calls.call('report', last?.number ?? null);
    const { report, repeated } = answer;
    last =
      repeated === null || last === null ? answer : { ...answer, report: withRepeated(report, repeated, last.report) };
    if ((i + 1) % STRIDE > 0) continue;
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    const point = {
      dumps: i + 1,
      cpuMsPerDump: Math.round((user + system) / 1000 / STRIDE),
      mib: Math.round(process.memoryUsage.rss() / 2 ** 20),
    };
    process.stderr.write(`${JSON.stringify(point)}\n`);
  }
  return { events, liveBytes };
});
await worker.end();
