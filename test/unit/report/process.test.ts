import assert from 'node:assert/strict';
import { everyNth } from '../../support/sample.js';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import type { Recording } from '../../../src/core/model/recording.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { ProcessFinding, RunReport } from '../../../src/core/report/report.js';
import { verdictSentence } from '../../../src/core/present/runText.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { pickle, Tuple, type Picklable } from '../../support/plainPickle.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BLANK_RECORDING } from '../../support/blankRecording.js';

const MiB = 2 ** 20;

interface Segment {
  total: number;
  /** Sizes of live blocks, each behind a hole. */
  live: number[];
  pending?: number[];
  stream?: number;
  /** Null where the file names none. */
  pool?: [number, number] | null;
  expandable?: boolean;
}

function segmentOf(
  { total, live, pending = [], stream = 0, pool = [0, 0], expandable = false }: Segment,
  at: number,
): Picklable {
  const frames = (line: number): Picklable => [{ name: 'main', filename: '/home/ml/job/train.py', line }];
  const address = 0x7f00_0000_0000 + at * 0x1_0000_0000;
  let next = address;
  const block = (size: number, state: string, line: number): Picklable => {
    next += size;
    return { address: next - size, size, requested_size: size, state, frames: frames(line) };
  };
  const blocks = [
    ...live.map((size) => block(size, 'active_allocated', 7)),
    ...pending.map((size) => block(size, 'active_pending_free', 9)),
  ];
  const rest = address + total - next;
  const active = [...live, ...pending].reduce((sum, size) => sum + size, 0);
  return {
    device: 0,
    address,
    total_size: total,
    allocated_size: active,
    active_size: active,
    requested_size: active,
    stream,
    segment_type: total > 2 * MiB ? 'large' : 'small',
    ...(pool !== null && { segment_pool_id: new Tuple(pool) }),
    is_expandable: expandable,
    frames: [],
    blocks: rest > 0 ? [...blocks, block(rest, 'inactive', 0)] : blocks,
  };
}

const SETTINGS = { expandable_segments: false, max_split_size: -1, garbage_collection_threshold: 0 };

async function runOf(
  snapshots: readonly (readonly Segment[])[],
  settings: Record<string, Picklable> = SETTINGS,
  about: (i: number) => Partial<Recording> | null = () => null,
  trace: Picklable[] = [],
): Promise<RunReport> {
  const digests = await Promise.all(
    snapshots.map(async (segments, i): Promise<SnapshotDigest> => {
      const bytes = pickle({
        segments: segments.map(segmentOf),
        device_traces: [trace],
        allocator_settings: settings,
        external_annotations: [],
      });
      const more = about(i);
      const blank = { ...BLANK_RECORDING, step: i };
      return digestSnapshot(`snap_${i}.pickle`, await readBytes(bytes), more === null ? null : { ...blank, ...more });
    }),
  );
  const { report } = buildReport(digests, { files: [], rules: [] });
  assert.equal(report.runs.length, 1);
  return report.runs[0];
}

async function findings(...of: Parameters<typeof runOf>): Promise<ProcessFinding[]> {
  return (await runOf(...of)).process;
}

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

const FAR_ABOVE = 'more than the peak of live memory';
const names = (found: readonly ProcessFinding[]): string[] => found.map(({ verdict }) => verdict);
const weights: Segment = { total: 20 * MiB, live: [18 * MiB] };

describe('Findings about the process', () => {
  it('report growth of reserved memory only, with its amount', async () => {
    const holes = (i: number): Segment[] => times(i + 1, () => ({ total: 20 * MiB, live: [4 * MiB - 512 * i] }));
    const flat = (i: number): Segment[] => holes(i).map((one) => ({ ...one, live: [Math.floor((4 * MiB) / (i + 1))] }));
    const [found, ...others] = await findings(times(8, (i) => [weights, ...flat(i)]));
    assert.equal(found.verdict, 'reservedOnly');
    const live = (i: number): number => 18 * MiB + (i + 1) * Math.floor((4 * MiB) / (i + 1));
    const slack = (i: number): number => 20 * MiB * (i + 2) - live(i);
    assert.equal(found.bytes, slack(7) - slack(1));
    assert.match(found.message, /fragmentation/);
    assert.equal(found.replayed, null, 'without a trace nothing can be replayed');
    assert.deepEqual(names(others), ['pinnedSegments'], 'little blocks pin the large segments by then');
    assert.match(others[0].message, /train\.py:7/);
  });

  it('report growth of reserved memory also if the last two snapshots are equal', async () => {
    const flat = (i: number): Segment[] =>
      times(i + 1, () => ({ total: 20 * MiB, live: [Math.floor((4 * MiB) / (i + 1))] }));
    for (const count of [6, 8]) {
      const growth = times(count - 1, (i) => [weights, ...flat(i)]);
      const found = await findings([...growth, growth[count - 2]]);
      assert.equal(found[0]?.verdict, 'reservedOnly', `${count} snapshots`);
    }
    const level = times(5, (i) => [weights, ...flat(Math.min(i, 2))]);
    assert.deepEqual(names(await findings(level)), []);
  });

  it('report reserved memory far above the peak of live memory, also for one snapshot', async () => {
    const mark = { action: 'snapshot', addr: 0, size: 0, stream: 0, frames: [] };
    const frames = [{ name: 'main', filename: '/home/ml/job/train.py', line: 7 }];
    const trace = [mark, { action: 'alloc', addr: 0x7f00_0000_0000, size: 1024 * MiB, stream: 0, frames }];
    const held = (total: number): Segment[] => [{ total: total * MiB, live: [1024 * MiB] }];
    const [far, ...others] = await findings([held(2048)], SETTINGS, () => null, trace);
    assert.deepEqual([far.verdict, far.bytes, others], ['reservedOnly', 1024 * MiB, []]);
    assert.equal(
      far.message,
      'Reserved memory of device 0 is 2.0 GiB, 1.0 GiB more than the peak of live memory in the trace. ' +
        'Most of it lies in holes between live blocks (fragmentation).',
    );
    assert.deepEqual(names(await findings([held(1100)], SETTINGS, () => null, trace)), [], 'caching');
    assert.deepEqual(names(await findings([held(2048)])), [], 'without a trace the peak is not known');
  });

  it('tell what another setting would have reserved, by a replay of a published recording', async function () {
    const file = join(CORPUS, 'real/HugePandaCoder+octree-nca-groupeq/my_snapshot.pickle');
    if (!existsSync(file)) {
      console.log('    skipped: no ../shared/corpus/real beside the checkout');
      this.skip();
    }
    const { report } = buildReport([digestSnapshot(file, await readFile(file))], { files: [], rules: [] });
    const [found] = report.runs[0].process;
    assert.match(
      found.message,
      /Replayed with expandable_segments:True, the requests of the trace reserve about 7\.0 GiB instead of 8\.6 GiB\.$/,
    );
    assert.equal(found.replayed?.isEstimate, true, 'there is memory from before the trace');
  });

  it('are the headline of a run whose lines are steady', async () => {
    const run = await runOf(times(8, (i) => [weights, ...times(i, () => ({ total: 20 * MiB, live: [] }))]));
    assert.equal(run.verdict, 'steady');
    assert.equal(verdictSentence(run), 'No line leaks. Reserved memory is far above live memory.');
  });

  it('name side streams, private pools and idle segments as holders', async () => {
    const messageOf = async (extra: (i: number) => Partial<Segment>): Promise<string> => {
      const [found] = await findings(
        times(8, (i) => [weights, ...times(i, (j) => ({ total: 20 * MiB, live: [], ...extra(j) }))]),
      );
      assert.equal(found.verdict, 'reservedOnly');
      return found.message;
    };
    assert.match(await messageOf((j) => ({ stream: 100 + j })), /120 MiB more are cached for 7 side streams/);
    assert.match(await messageOf((j) => ({ pool: [j + 1, 0] })), /private pools \(7 pools now\)/);
    assert.match(await messageOf(() => ({ pool: null })), /segments that hold nothing/, 'not known to be private');
    assert.match(await messageOf(() => ({})), /segments that hold nothing/);
  });

  it('are silent where reserved memory follows live memory, levels off or comes and goes', async () => {
    const grown = (count: number, live: number[]): Segment[] => [
      weights,
      ...times(count, () => ({ total: 20 * MiB, live })),
    ];
    assert.deepEqual(await findings(times(8, (i) => grown(i, [18 * MiB]))), [], 'a leak of live memory');
    assert.deepEqual(await findings(times(8, (i) => grown(Math.min(i, 4), []))), [], 'a cache that found its size');
    assert.deepEqual(await findings(times(8, (i) => grown(i % 3, []))), [], 'freed');
    assert.deepEqual(await findings(times(3, (i) => grown(i, []))), [], 'too few snapshots');
    assert.deepEqual(await findings(times(8, () => grown(9, [512]))), [], 'segments pinned between two steps');
  });

  it('name the lines that pin segments at out of memory', async () => {
    const oom = { action: 'oom', device_free: 0, size: 40 * MiB, stream: 0, time_us: 5, frames: [] };
    const pinned = [weights, ...times(3, () => ({ total: 20 * MiB, live: [512] }))];
    const [found, ...others] = await findings([pinned], SETTINGS, () => null, [oom]);
    assert.deepEqual([found.verdict, found.bytes, others.length], ['pinnedSegments', 3 * (20 * MiB - 512), 0]);
    assert.match(found.message, /1\.5 KiB of live blocks pin 3 large segments of 60\.0 MiB .*train\.py:7/);
  });

  it('report frees that wait for another stream if they grow in number or never end', async () => {
    const waiting = (sizes: number[]): Segment[] => [weights, { total: 40 * MiB, live: [], pending: sizes }];
    const found = await findings(times(7, (i) => waiting(times(i, () => MiB))));
    assert.deepEqual(
      found.map(({ verdict, bytes }) => [verdict, bytes]),
      [['pendingFrees', 6 * MiB]],
    );
    assert.match(found[0].message, /6 blocks.*train\.py:9/);
    assert.deepEqual(names(await findings(times(4, () => waiting([30 * MiB])))), ['pendingFrees']);
    assert.deepEqual(await findings(times(7, (i) => waiting(i % 2 === 0 ? [] : [MiB]))), []);
  });

  it('report growth of memory outside PyTorch, by the recorder', async () => {
    const outside = (bytes: (i: number) => number): Promise<ProcessFinding[]> =>
      findings(
        times(8, () => [weights]),
        SETTINGS,
        (i) => ({ devices: [{ device: 0, capacityBytes: null, outsideBytes: bytes(i) }] }),
      );
    const grows = await outside((i) => (400 + 50 * i) * MiB);
    assert.deepEqual(
      grows.map(({ verdict, bytes }) => [verdict, bytes]),
      [['hostOnly', 300 * MiB]],
    );
    assert.deepEqual(await outside((i) => (i < 2 ? 400 : 460) * MiB), [], 'libraries loaded late');
    assert.deepEqual(await outside((i) => (400 + 90 * (i % 2)) * MiB), [], 'other processes come and go');
  });

  it('are given on none of the healthy recordings', async () => {
    const planted = readdirSync(join(FIXTURES, 'planted/recordings')).sort();
    const folders = [
      everyNth(planted, 6).map((run) => join(FIXTURES, 'planted/recordings', run)),
      [join(FIXTURES, 'recordings')],
    ];
    if (hasCorpus()) folders.push([CORPUS]);
    else console.log('    without the corpus: it is not beside the checkout');
    for (const folder of folders) {
      const digests = await Promise.all(
        folder.flatMap(picklesUnder).map(async (path) => {
          const snapshot = await readFile(path).catch(() => null);
          return snapshot === null ? [] : [digestSnapshot(path, snapshot, await readRecording(path))];
        }),
      );
      const { report } = buildReport(digests.flat(), { files: [], rules: [] });
      assert.ok(report.runs.length > 3);
      assert.deepEqual(
        report.runs.flatMap(({ id, process }) =>
          // Memory reserved far above the peak is no growth, and is there in healthy runs as well.
          process.filter(({ message }) => !message.includes(FAR_ABOVE)).map(({ verdict }) => `${id}: ${verdict}`),
        ),
        [],
      );
    }
  });

  it('appear in text and Markdown', async () => {
    const finding: ProcessFinding = {
      verdict: 'reservedOnly',
      device: 0,
      bytes: MiB,
      message: 'Reserved memory grows.',
      replayed: null,
    };
    const digest = digestSnapshot(
      'a.pickle',
      await readBytes(pickle({ segments: [segmentOf(weights, 0)], device_traces: [[]] })),
    );
    const { report } = buildReport([digest], { files: [], rules: [] });
    report.runs[0].process.push(finding);
    const options = { maxLines: 5 };
    assert.match(renderText(report, options), /\n {2}Reserved memory grows\.\n/);
    assert.match(renderMarkdown(report, options), /\n- `Reserved memory grows\.`\n/);
  });
});

describe('The forecast of a server', () => {
  it('counts what the private pools of its CUDA graphs keep from all others', async () => {
    const graphs = (i: number): Segment[] =>
      times(i + 1, (j) => ({ total: 20 * MiB, live: [MiB], pool: [j + 1, 0] as [number, number] }));
    const devices = [{ device: 0, capacityBytes: 1024 * MiB, outsideBytes: 0 }];
    const { forecast } = await runOf(
      times(8, (i) => [weights, ...graphs(i)]),
      SETTINGS,
      () => ({ devices }),
    );
    // 18 MiB of weights and 8 graphs are used: of each further one, 20 MiB.
    assert.equal(forecast?.stepsToOom, Math.floor((1024 - 18 - 8 * 20) / 20));
  });
});
