/** The whole job of the command line, `analyze --json`: the files read, digested and judged, and the report as text. */
import { run } from '../../src/cli/run.js';
import { work } from '../../src/cli/work.js';
import type { Report } from '../../src/core/report/report.js';
import { measure } from './measure.js';

let text = '';
await measure(async () => {
  const print = (piece: string): void => {
    text += piece;
  };
  await run(['analyze', '--json', ...process.argv.slice(2)], { print, complain: console.error }, work);
  const snapshots = (JSON.parse(text) as Report).runs.flatMap((one) => one.snapshots);
  return {
    events: snapshots.reduce((sum, { events }) => sum + events, 0),
    liveBytes: snapshots.flatMap(({ devices }) => devices).reduce((sum, { liveBytes }) => sum + liveBytes, 0),
  };
});
