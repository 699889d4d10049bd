/** Dumps that come faster than they are read: `burst.mjs FILE…`. Two files are read at a time, with reports meanwhile. */
import { measure } from './measure.js';
import { Run } from './run.js';

const files = process.argv.slice(2);
const run = new Run(2);

/** Time between the end of a report and the next one in the editor, in milliseconds. */
const PAUSE_MS = 500;

await measure(async () => {
  let reading = true;
  const lane = async (): Promise<void> => {
    for (let path = files.pop(); path !== undefined; path = files.pop()) await run.load(path);
  };
  const reports = (async () => {
    while (reading) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      await run.report();
    }
  })();
  await Promise.all([lane(), lane()]);
  reading = false;
  await reports;
  return run.found;
});
await run.end();
