import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { scopesOf } from '../../../src/core/attribution/steps/scopes.js';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { pickle } from '../../support/plainPickle.js';
import { FIXTURES, readBytes, readFile } from '../../support/snapshots.js';

interface TraceEvent {
  name: string;
  cat?: string;
  ts: number;
  dur: number;
  args: { 'Total Allocated': number };
}

type Row = readonly [name: string, repeats: number, start: number, end: number, peak: number];

async function rowsOf(bytes: Buffer, device = 0): Promise<Row[]> {
  const snapshot = await readBytes(bytes);
  return scopesOf(snapshot, deviceHistory(snapshot, device)).map(
    ({ name, repeats, startBytes, endBytes, peakBytes }) => [name, repeats, startBytes, endBytes, peakBytes] as const,
  );
}

/** Four blocks of 512 bytes, one each 10 µs; the second is freed at 35 µs. */
function recorded(annotations: readonly (readonly [stage: string, name: string, time: number])[]): Buffer {
  const frames = [{ name: 'f', filename: 'a.py', line: 1 }];
  const event = (action: string, addr: number, time: number): Record<string, string | number | typeof frames> => ({
    action,
    addr,
    size: 512,
    stream: 0,
    time_us: 1000 + time,
    frames,
  });
  const blocks = [512, 1536, 2048].map((address) => ({
    address,
    size: 512,
    requested_size: 512,
    state: 'active_allocated',
    frames,
  }));
  const trace = [
    ...[event('alloc', 512, 10), event('alloc', 1024, 20), event('alloc', 1536, 30)],
    ...[event('free_completed', 1024, 35), event('alloc', 2048, 40)],
  ];
  return pickle({
    segments: [{ device: 0, address: 512, total_size: 1536, stream: 0, blocks }],
    device_traces: [trace],
    external_annotations: annotations.map(([stage, name, time]) => ({ stage, name, device: 0, time_us: 1000 + time })),
  });
}

describe('Live memory around scopes', () => {
  it('is the profiler’s own sum at their starts and ends, and the highest in between', async () => {
    const text = gunzipSync(readFileSync(join(FIXTURES, 'profiler/chrome_trace.json.gz'))).toString();
    const { traceEvents } = JSON.parse(text) as { traceEvents: TraceEvent[] };
    const memory = traceEvents.filter(({ name }) => name === '[memory]').sort((a, b) => a.ts - b.ts);
    const totals = memory.map(({ ts, args }) => [ts, args['Total Allocated']] as const);
    const expected = new Map<string, Row>();
    for (const { name, ts, dur } of traceEvents.filter(({ cat }) => cat === 'user_annotation')) {
      const upTo = (time: number): number => totals.findLast(([at]) => at <= time)?.[1] ?? 0;
      const inside = totals.filter(([at]) => at > ts && at <= ts + dur).map(([, bytes]) => bytes);
      const common = name.replace(/^## step \d+ ##$/, '## step N ##');
      const known = expected.get(common);
      const peak = Math.max(upTo(ts), ...inside);
      const [, repeats = 0, , , highest = -1] = known ?? [];
      if (peak > highest) expected.set(common, [common, repeats + 1, upTo(ts), upTo(ts + dur), peak]);
      else if (known !== undefined) expected.set(common, [known[0], repeats + 1, known[2], known[3], known[4]]);
    }
    assert.equal(expected.size, 3);
    assert.deepEqual(await rowsOf(Buffer.from(text)), [...expected.values()]);
  });

  it('pairs nested scopes of one name, and leaves out what does not end', async () => {
    assert.deepEqual(
      await rowsOf(
        recorded([
          ['START', 'outer', 5],
          ['START', 'step', 15],
          ['START', 'step', 25],
          ['END', 'step', 32],
          ['START', 'open', 33],
          ['END', 'step', 45],
          ['END', 'outer', 46],
          ['END', 'never begun', 47],
        ]),
      ),
      [
        ['outer', 1, 0, 1536, 1536],
        ['step', 2, 512, 1536, 1536],
      ],
    );
  });

  it('has one name for names that differ in their numbers, unless they are few or repeat', async () => {
    const once = (name: string, at: number): (readonly [string, string, number])[] => [
      ['START', name, at],
      ['END', name, at + 3],
    ];
    const names = async (...scopes: string[]): Promise<string[]> =>
      (await rowsOf(recorded(scopes.flatMap((name, i) => once(name, 6 * i))))).map(([name]) => name);
    assert.deepEqual(await names('ProfilerStep#1', 'ProfilerStep#2', 'ProfilerStep#3'), ['ProfilerStep#N']);
    assert.deepEqual(await names('layer1', 'layer2'), ['layer1', 'layer2']);
    const layers = ['layer1', 'layer2', 'layer3'];
    assert.deepEqual(await names(...layers, ...layers), layers);
  });

  it('is a table in the report of a lone snapshot', async () => {
    const path = join(FIXTURES, 'shapes/t213.p4.pickle');
    const { report } = buildReport([digestSnapshot(path, await readFile(path))], { files: [], rules: [] });
    const text = renderText(report, { maxLines: 20 });
    assert.match(text, /^ {2}AT START +AT END +PEAK INSIDE +REPEATS +SCOPE$/m);
    assert.match(text, /^ +35\.2 MiB +65\.6 MiB +65\.6 MiB +3 +## forward ##$/m);
    assert.match(
      renderMarkdown(report, { maxLines: 20 }),
      /35\.2 MiB \| +65\.6 MiB \| +65\.6 MiB \| +3 \| `## forward ##`/,
    );
  });
});
