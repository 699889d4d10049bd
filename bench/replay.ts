/** Recordings through the model of the allocator: what it predicts, and how long a million events take. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { replayAsRecorded, type ReplayProof } from '../src/core/allocator/recordedReplay.js';
import { withSettings } from '../src/core/allocator/settings.js';
import { whatIf } from '../src/core/allocator/whatIf.js';
import { SnapshotError } from '../src/core/bytes/snapshotError.js';
import { readAll } from '../src/core/formats/readSnapshot.js';
import { deviceHistory } from '../src/core/model/history.js';
import { Action, type Snapshot } from '../src/core/model/snapshot.js';
import { bytesSource } from '../test/support/bytesSource.js';

/** Shorter traces prove little. */
const MIN_EVENTS = 20;
/** Each of them is replayed over each recording. */
const SETTINGS = [
  '',
  'expandable_segments:True',
  'max_split_size_mb:128',
  'max_split_size_mb:256',
  'max_split_size_mb:512',
  'roundup_power2_divisions:4',
  'roundup_power2_divisions:8',
  'expandable_segments:True,roundup_power2_divisions:4',
  'max_split_size_mb:128,roundup_power2_divisions:4',
  'large_segment_size_mb:64',
];

interface Sum {
  devices: number;
  agreeing: number;
  allocations: number;
  predicted: number;
  segments: number;
  segmentsPredicted: number;
}

/** @param folder of recordings @returns a section of the table, in Markdown */
export async function measureReplay(folder: string): Promise<string> {
  const sums = { native: noSum(), expandable: noSum() };
  const differences: string[] = [];
  const times = { events: 0, proofMs: 0, settingsMs: 0 };
  let withoutLayout = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.(?:pickle|pkl|json|html|gz|pt)$/.test(name)) continue;
    for (const snapshot of await snapshotsOf(join(folder, name))) {
      for (const { device, count } of snapshot.traces) {
        if (count < MIN_EVENTS) continue;
        const history = deviceHistory(snapshot, device);
        const { proof, requests } = replayAsRecorded(snapshot, history);
        const { firstDifference } = proof;
        if (requests !== null) {
          times.events += count;
          times.proofMs += fastestMs(() => replayAsRecorded(snapshot, history));
          for (const setting of SETTINGS) {
            const settings = withSettings(requests.settings, setting);
            times.settingsMs += fastestMs(() => whatIf(requests, { settings }));
          }
        }
        // Recordings without segments, of the CPU, and of timelines.
        if (firstDifference?.event === null) {
          withoutLayout++;
          continue;
        }
        add(sums[isExpandable(snapshot, device) ? 'expandable' : 'native'], proof);
        if (firstDifference !== null) differences.push(`- ${name}, device ${device}: ${firstDifference.sentence}`);
      }
    }
  }
  const secondsText = (ms: number): string => ((ms * 1000) / times.events).toFixed(2);
  return [
    '| recordings | allocations predicted | segment decisions | devices without one error |',
    '|:--|--:|--:|--:|',
    row('native segments', sums.native),
    row('expandable segments', sums.expandable),
    '',
    `${withoutLayout} more devices have no layout to replay.`,
    ...(differences.length === 0 ? [] : ['', ...differences]),
    '',
    `For a million events, the fastest of three runs each, the replay as recorded takes ${secondsText(times.proofMs)} seconds, and ` +
      `${SETTINGS.length} settings take ${secondsText(times.settingsMs)} seconds.`,
    '',
  ].join('\n');
}

/** The time of the fastest of three runs, because other programs use the processor too. */
function fastestMs(run: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const startMs = performance.now();
    run();
    return performance.now() - startMs;
  });
  return Math.min(...times);
}

function noSum(): Sum {
  return { devices: 0, agreeing: 0, allocations: 0, predicted: 0, segments: 0, segmentsPredicted: 0 };
}

function add(sum: Sum, { allocations, predicted, segments, segmentsPredicted, agrees }: ReplayProof): void {
  sum.devices++;
  sum.agreeing += Number(agrees);
  sum.allocations += allocations;
  sum.predicted += predicted;
  sum.segments += segments;
  sum.segmentsPredicted += segmentsPredicted;
}

function row(title: string, sum: Sum): string {
  const of = (part: number, whole: number): string => `${part.toLocaleString('en')} of ${whole.toLocaleString('en')}`;
  return (
    `| ${title} | ${of(sum.predicted, sum.allocations)} | ${of(sum.segmentsPredicted, sum.segments)} | ` +
    `${of(sum.agreeing, sum.devices)} |`
  );
}

function isExpandable({ segments, events, traces }: Snapshot, device: number): boolean {
  const trace = traces.find((one) => one.device === device);
  const { first = 0, count = 0 } = trace ?? {};
  return (
    events.action.subarray(first, first + count).includes(Action.SegmentMap) ||
    segments.isExpandable.some((one, segment) => one === 1 && segments.device[segment] === device)
  );
}

/** The snapshots in a file; none of another file. */
async function snapshotsOf(path: string): Promise<Snapshot[]> {
  const found: Snapshot[] = [];
  try {
    for await (const { result } of readAll(bytesSource(path, readFileSync(path))))
      if (result.kind === 'snapshot') found.push(result.snapshot);
  } catch (error) {
    if (!SnapshotError.is(error)) throw error;
  }
  return found;
}
