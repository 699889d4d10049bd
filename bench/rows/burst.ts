/** Dumps that come faster than they are read: `burst.mjs FILE…`. Two files are read at a time, with reports meanwhile. */
import { setTimeout } from 'node:timers/promises';
import { measure } from './measure.js';
import { Run } from './run.js';

const files = process.argv.slice(2);
const run = new Run(2);

/** Time between the end of a report and the next one in the editor, in milliseconds. */
const PAUSE_MS = 500;

await measure(async () => {
  const lane = async (): Promise<void> => {
    for (let path = files.pop(); path !== undefined; path = files.pop()) await run.load(path);
  };
  const lanes = Promise.all([lane(), lane()]);
  do {
    await Promise.race([lanes, setTimeout(PAUSE_MS)]);
    await run.report();
  } while (files.length > 0);
  await lanes;
  return run.found;
});
await run.end();
