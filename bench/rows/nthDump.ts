/**
 * What a new dump takes in a short run and in a long one: `nthDump.mjs FILE…`. Two workers take turns, so that both are
 * warm and a busy machine slows both: one has the whole run, the other begins it each time. Writes the CPU time of all
 * threads to standard error, in milliseconds, for the tenth dump and for those around the 300th.
 */
import { setTimeout } from 'node:timers/promises';
import { measure } from './measure.js';
import { Run } from './run.js';

const files = process.argv.slice(2);
/** Dumps that are measured of each. */
const ROUNDS = 40;
const SHORT = 10;
/** Older dumps are packed after the report. */
const PACKED_MS = 40;

const [short, long] = [new Run(), new Run()];

async function cpuMs(run: Run, path: string): Promise<number> {
  await setTimeout(PACKED_MS);
  const used = process.cpuUsage();
  await run.dump(path);
  await setTimeout(PACKED_MS);
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1000;
}

/** No median: every sixth dump pays for a collection of the others' memory. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

await measure(async () => {
  const [tenth, late]: [number[], number[]] = [[], []];
  for (const path of files.slice(0, -ROUNDS)) await long.dump(path);
  for (const path of files.slice(-ROUNDS)) {
    await short.forget();
    for (const first of files.slice(-SHORT, -1)) await short.dump(first);
    tenth.push(await cpuMs(short, files[files.length - 1]));
    late.push(await cpuMs(long, path));
  }
  const points = [
    { dump: SHORT, cpuMs: mean(tenth) },
    { dump: files.length - ROUNDS / 2, cpuMs: mean(late) },
  ];
  for (const point of points) process.stderr.write(`${JSON.stringify(point)}\n`);
  return long.found;
});
await Promise.all([short.end(), long.end()]);
