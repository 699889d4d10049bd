/** npm's pickleparser: the file into JavaScript objects. */
import { readFileSync } from 'node:fs';
import { Parser } from 'pickleparser';
import { measure } from './measure.js';

interface Dump {
  segments: { blocks: { state: string; size: number }[] }[];
  device_traces: unknown[][];
}

await measure(() => {
  const snapshot = new Parser().parse<Dump>(readFileSync(process.argv[2]));
  let liveBytes = 0;
  for (const { blocks } of snapshot.segments) {
    for (const block of blocks) if (block.state !== 'inactive') liveBytes += block.size;
  }
  return { events: snapshot.device_traces.reduce((sum, trace) => sum + trace.length, 0), liveBytes };
});
