/** Dumps of one run, in the real worker: `soak.mjs FILE…`. Writes the curve of time and memory to standard error. */
import { measure } from './measure.js';
import { Run } from './run.js';

const files = process.argv.slice(2);
const run = new Run();

/** Dumps between two points of the curve. */
const STRIDE = Math.max(1, Math.floor(files.length / 10));

await measure(async () => {
  let used = process.cpuUsage();
  for (const [i, path] of files.entries()) {
    await run.dump(path);
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
  return run.found;
});
await run.end();
