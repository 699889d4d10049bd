import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { serialize } from 'node:v8';
import { allocationIndex, type AllocationIndex } from '../../../src/core/timeline/allocationIndex.js';
import { blockDetail, seriesDetail } from '../../../src/core/timeline/bandDetail.js';
import { bandWindow } from '../../../src/core/timeline/bandWindow.js';
import { allocatedIn } from '../../../src/core/timeline/allocatedIn.js';
import { CATEGORIES, CategoryCode } from '../../../src/core/attribution/categories/category.js';
import { Categorizer } from '../../../src/core/attribution/categories/categorizer.js';
import { deviceTotals } from '../../../src/core/digest/digest.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { ownerOfStack } from '../../../src/core/attribution/ownerTally.js';
import { StackRoles } from '../../../src/core/attribution/stackRole.js';
import { stacklessRows } from '../../../src/core/attribution/stackless.js';
import { findSteps, stepsOnDevice } from '../../../src/core/attribution/steps/steps.js';
import {
  seriesLayout,
  type BandGrouping,
  type SeriesLayout,
  type SeriesLabels,
} from '../../../src/core/timeline/seriesLayout.js';
import { STACKLESS_FUNCTION } from '../../../src/core/attribution/owner.js';
import { EMPTY_STACK, type Snapshot } from '../../../src/core/model/snapshot.js';
import { packBands, unpackBands, type BandColumns } from '../../../src/protocol/bandCode.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { noWorkspace } from '../../support/noWorkspace.js';
import { readingHere } from '../../support/readingHere.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { everyNth } from '../../support/sample.js';
import { seededRandom } from '../../support/seededRandom.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { newFolder, removeCopies } from '../../support/workspaces.js';

const words: SeriesLabels = {
  verdictOf: (owner) => ('bucket' in owner ? owner.bucket : 'calm'),
  categoryOf: (code) => (code === CategoryCode.PerhapsInputs ? 'inputs' : CATEGORIES[code]),
};
const noSeries = (): boolean => false;
const GROUPINGS: readonly BandGrouping[] = ['line', 'file', 'stack', 'category', 'verdict', 'age'];

interface Subject {
  name: string;
  snapshot: Snapshot;
  index: AllocationIndex;
}

function indexed(name: string, snapshot: Snapshot, device: number): Subject {
  const steps = findSteps(snapshot);
  const own = steps === null ? null : stepsOnDevice(snapshot, steps, device);
  const history = deviceHistory(snapshot, device);
  const categorizer = new Categorizer(snapshot, history, own, new StackRoles(snapshot));
  return { name, snapshot, index: allocationIndex(snapshot, history, own, categorizer) };
}

async function subjects(): Promise<Subject[]> {
  const files = [...picklesUnder(join(FIXTURES, 'shapes')), ...picklesUnder(join(FIXTURES, 'recordings'))];
  if (hasCorpus()) files.push(...picklesUnder(CORPUS).filter((file) => !/t11[23]|_list/.test(file)));
  else console.log('    without the corpus: it is not beside the checkout');
  const all: Subject[] = [];
  for (const file of everyNth(files, 6)) {
    const snapshot = await readFile(file);
    for (const { device } of deviceTotals(snapshot)) all.push(indexed(basename(file), snapshot, device));
  }
  return all;
}

function layoutOf({ snapshot, index }: Subject, grouping: BandGrouping): SeriesLayout {
  return seriesLayout(snapshot, index, grouping, noWorkspace, words);
}

/** Bytes of each series of a window over its samples, the others last, from the changes as sent. */
function seriesOf({ changes, event }: Pick<BandColumns, 'changes' | 'event'>): Float64Array[] {
  return Array.from({ length: changes.offset.length - 1 }, (_, series) => {
    const values = new Float64Array(event.length);
    for (let at = changes.offset[series]; at < changes.offset[series + 1]; at++) {
      values.fill(changes.bytes[at], changes.sample[at]);
    }
    return values;
  });
}

/** Live bytes of each series after an event, by looking at every allocation. */
function bruteForce({ index }: Subject, layout: SeriesLayout, event: number): Float64Array {
  const { birth, death, bytes, count } = index.history.allocations;
  const live = new Float64Array(layout.allSeries.length);
  for (let row = 0; row < count; row++) {
    if (birth[row] <= event && death[row] > event) live[layout.seriesOf[index.sourceOf[row]]] += bytes[row];
  }
  return live;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

describe('The bands of a history', () => {
  let all: Subject[];

  before(async () => {
    all = await subjects();
  });

  it('has a band for each use of memory before recording that sizes show, and loses no byte', async function () {
    if (!hasCorpus()) {
      console.log('    skipped: no corpus beside the checkout');
      this.skip();
    }
    const name = 'full_train_step_bf16_torch2_11.pickle';
    const { snapshot, index } = indexed(name, await readFile(join(CORPUS, 'recorded_on_gpu', name)), 0);
    const layout = seriesLayout(snapshot, index, 'line', noWorkspace, words);
    const before = new Map<string | null, number>();
    const { bytes, birth, stack } = index.history.allocations;
    let all = 0;
    for (let row = 0; row < index.history.allocations.count; row++) {
      if (birth[row] >= 0 || stack[row] > EMPTY_STACK) continue;
      const { use } = layout.allSeries[layout.seriesOf[index.sourceOf[row]]];
      before.set(use, (before.get(use) ?? 0) + bytes[row]);
      all += bytes[row];
    }
    assert.deepEqual(
      [...before.keys()].sort(),
      ['gradients', 'optimizerState', 'parameters', 'workspace', null].sort(),
    );
    assert.equal(all, 41_034_610_688 + (before.get('gradients') ?? 0), 'the gradients are freed before the peak');
  });

  it('add up to the curve in every column of every window, and each to its allocations', () => {
    const random = seededRandom(11);
    for (const subject of all) {
      const { history } = subject.index;
      for (const grouping of GROUPINGS) {
        const layout = layoutOf(subject, grouping);
        const { extent } = bandWindow(subject.index, layout, request(null, 50));
        const windows = [null, ...Array.from({ length: 3 }, () => randomWindow(extent, random))];
        for (const window of windows) {
          const view = bandWindow(subject.index, layout, request(window, 1 + random(400)));
          const ofSeries = seriesOf({ ...view, event: view.samples.event });
          view.samples.event.forEach((event, sample) => {
            const at = `${subject.name} by ${grouping}, after event ${event}`;
            assert.equal(sum(ofSeries.map((values) => values[sample])), history.live[event + 1], at);
            if (sample % 17 !== 0) return;
            const truth = bruteForce(subject, layout, event);
            view.allSeries.forEach((series, i) => {
              assert.equal(ofSeries[i][sample], truth[series], at);
              truth[series] = 0;
            });
            assert.equal(ofSeries.at(-1)?.[sample], sum(truth), `${at}: the others`);
          });
        }
      }
    }
  });

  it('show the highest state of each column, and the held one where nothing happens', () => {
    const random = seededRandom(5);
    for (const subject of all) {
      const { history } = subject.index;
      if (history.trace.count === 0) continue;
      const layout = layoutOf(subject, 'line');
      for (const pixels of [1, 7, 64, 900]) {
        const { extent } = bandWindow(subject.index, layout, request(null, 1));
        const view = bandWindow(subject.index, layout, request(randomWindow(extent, random), pixels));
        const width = (view.window.to - view.window.from) / pixels;
        const shown = Array.from({ length: pixels }, (_, column) => {
          const sample = view.samples.column.findLastIndex((first) => first <= column);
          return history.live[view.samples.event[sample] + 1];
        });
        const expected = highestByColumn(subject, view.window, pixels);
        // Rounding may put an event that stands on the edge of two columns into either.
        const wrong = shown.filter((live, column) => live !== expected[column]).length;
        assert.ok(wrong <= Math.ceil(pixels / 50), `${subject.name} in ${pixels} columns of ${width}: ${wrong}`);
      }
    }
  });

  it('name each large allocation with its size, between its birth and its end', () => {
    for (const subject of all) {
      const layout = layoutOf(subject, 'line');
      const view = bandWindow(subject.index, layout, request(null, 300));
      const { blocks, samples } = view;
      const { birth, death, bytes } = subject.index.history.allocations;
      for (let i = 0; i < blocks.count; i++) {
        const row = blocks.row[i];
        const live = Array.from(samples.event, (event) => birth[row] <= event && death[row] > event);
        assert.equal(blocks.bytes[i], bytes[row]);
        assert.equal(live.indexOf(true), blocks.from[i]);
        assert.equal(live.lastIndexOf(true), blocks.to[i]);
        assert.equal(view.allSeries[blocks.series[i]], layout.seriesOf[subject.index.sourceOf[row]]);
      }
      const perRow = view.highest / 400;
      const seen = new Set(blocks.row);
      const edges = [...samples.column, view.pixels];
      for (let row = 0; row < bytes.length && blocks.count < 2000; row++) {
        const from = samples.event.findIndex((event) => birth[row] <= event && death[row] > event);
        const to = samples.event.findLastIndex((event) => birth[row] <= event && death[row] > event);
        if (from === -1 || edges[to + 1] - edges[from] < 2 || bytes[row] < perRow * 2) continue;
        const series = layout.seriesOf[subject.index.sourceOf[row]];
        assert.ok(seen.has(row) || !view.allSeries.includes(series), `${subject.name}: row ${row} is not shown`);
      }
    }
  });

  it('are drawn for a wanted line however thin it is', () => {
    const { snapshot, index } = indexed('thin', thinSnapshot, 0);
    const layout = seriesLayout(snapshot, index, 'line', noWorkspace, words);
    const thin = layout.allSeries.findIndex(({ owner }) => 'line' in owner && owner.line.line === 3);
    assert.ok(!bandWindow(index, layout, request(null, 100)).allSeries.includes(thin));
    const wanted = { ...request(null, 100), wanted: (series: number) => series === thin };
    assert.ok(bandWindow(index, layout, wanted).allSeries.includes(thin));
  });

  it('of a part of the height show thin series, outline their allocations, and still add up', () => {
    const { snapshot, index } = indexed('thin', thinSnapshot, 0);
    const layout = seriesLayout(snapshot, index, 'line', noWorkspace, words);
    const thin = layout.allSeries.findIndex(({ owner }) => 'line' in owner && owner.line.line === 3);
    const near = { ...request(null, 100), bytes: { from: 0, to: 64 * 1024 } };
    assert.ok(bandWindow(index, layout, near).allSeries.includes(thin));

    const random = seededRandom(31);
    let [outlined, left] = [0, 0];
    for (const subject of all) {
      const layoutOfLines = layoutOf(subject, 'line');
      const { highest } = bandWindow(subject.index, layoutOfLines, request(null, 200));
      for (let part = 0; part < 4; part++) {
        const from = random(Math.max(1, highest));
        const bytes = { from, to: from + 1 + random(Math.max(1, highest)) };
        const view = bandWindow(subject.index, layoutOfLines, { ...request(null, 200), bytes });
        const ofSeries = seriesOf({ ...view, event: view.samples.event });
        view.samples.event.forEach((event, sample) => {
          assert.equal(sum(ofSeries.map((values) => values[sample])), subject.index.history.live[event + 1]);
        });
        const crosses = view.allSeries.reduce((seen, _, series) => {
          const isIn = view.samples.event.some((_event, sample) => {
            const floor = sum(ofSeries.slice(0, series).map((values) => values[sample]));
            const own = ofSeries[series][sample];
            return own > 0 && floor < bytes.to && floor + own > bytes.from;
          });
          return isIn ? seen.add(series) : seen;
        }, new Set<number>());
        for (const series of view.blocks.series) assert.ok(crosses.has(series), `${subject.name}: series ${series}`);
        outlined += view.blocks.count;
        left += view.allSeries.length - crosses.size;
      }
    }
    assert.ok(outlined > 100 && left > 10, `${outlined} outlined, ${left} allSeries out of view`);
  });

  it('lie by how long they live, the longest lowest', () => {
    const { snapshot, index } = indexed('thin', thinSnapshot, 0);
    const layout = seriesLayout(snapshot, index, 'line', noWorkspace, words);
    const lines = layout.allSeries.map(({ owner }) => ('line' in owner ? owner.line.line : owner.bucket));
    assert.deepEqual(lines, [3, 1, 2]);
    assert.deepEqual(
      layout.groups.map(({ rank }) => rank),
      [2, 0, 1],
    );
  });

  it('have the same allocation at a place as a search through all', () => {
    const random = seededRandom(3);
    for (const subject of all) {
      const { index, snapshot } = subject;
      const { allocations, trace } = index.history;
      const layout = layoutOf(subject, 'line');
      if (layout.allSeries.length === 0) continue;
      const event = random(trace.count + 1) - 1;
      const series = random(layout.allSeries.length);
      const detail = seriesDetail(snapshot, index, layout, series, event);
      assert.equal(detail.bytes, bruteForce(subject, layout, event)[series]);
      const row = random(allocations.count);
      const block = blockDetail(snapshot, index, layout, row);
      assert.equal(block.bytes, allocations.bytes[row]);
      assert.equal(block.allocated, allocations.birth[row]);
      assert.equal(block.freed, allocations.death[row] >= trace.count ? null : allocations.death[row]);
      const stackless = stacklessRows(snapshot, index.history)(row);
      const { stack, forwardStack } = allocations;
      const owner = ownerOfStack(snapshot, stack[row], forwardStack[row], stackless, noWorkspace.lookup);
      assert.deepEqual(block.owner, owner);
    }
  });

  it('give what a block was annotated with while it lived (2.14)', async () => {
    const event = (action: string, addr: number, user_metadata: string): Picklable => ({
      ...{ action, addr, size: 512, stream: 0, time_us: 5, user_metadata },
      frames: [{ name: 'f', filename: 'a.py', line: 1 }],
    });
    const trace = [
      event('annotate', 512, 'too early'),
      event('alloc', 512, 'batch'),
      event('annotate', 512, 'saved for backward'),
      event('annotate', 1024, 'another block'),
      event('annotate', 512, 'batch'),
      event('free_completed', 512, ''),
      event('annotate', 512, 'too late'),
      event('alloc', 512, ''),
    ];
    const snapshot = await readBytes(pickle({ segments: [], device_traces: [trace] }));
    const subject = indexed('annotated', snapshot, 0);
    const details = [0, 1].map((row) => blockDetail(snapshot, subject.index, layoutOf(subject, 'line'), row));
    assert.deepEqual(
      details.map(({ metadata }) => metadata),
      ['batch; saved for backward', ''],
    );
  });

  it('cross the wire unchanged', () => {
    for (const subject of all) {
      const view = bandWindow(subject.index, layoutOf(subject, 'line'), request(null, 700));
      const columns = { ...view.samples, changes: view.changes, blocks: view.blocks };
      assert.deepEqual(unpackBands(packBands(columns)), columns, subject.name);
      assert.throws(() => unpackBands(packBands(columns).slice(0, -1)), RangeError);
    }
  });
});

describe('An answer about bands', () => {
  it('stays below 200 kB at 1,600 pixels, however many lines come and go in each of them', async () => {
    const path = join(newFolder(), 'restless.pickle');
    writeFileSync(path, restless());
    const signal = new AbortController().signal;
    const reading = readingHere();
    const worker = workerHandlers(new SnapshotStore(reading), reading, new WorkspaceFiles(), () => undefined);
    await worker.load({ path }, signal);
    for (const grouping of GROUPINGS) {
      for (const window of [null, { from: 2e3, to: 1.2e4 }, { from: 4e3, to: 4.8e3 }]) {
        const query = {
          path,
          device: 0,
          axis: 'events' as const,
          window,
          pixels: 1600,
          rows: 400,
          bytes: null,
          grouping,
          line: null,
        };
        const value = await worker.bands(query, signal);
        const bytes = serialize({ kind: 'result', id: 1, value }).byteLength;
        assert.ok(bytes < 200_000, `${bytes} bytes by ${grouping}`);
        assert.ok(bytes > 5_000 && value.otherSeries > 0, 'the snapshot is not restless');
      }
    }
    removeCopies();
  });

  it('has lasting memory without a stack in the band of the line that the report gives it to, and in the table', async () => {
    const folder = join(FIXTURES, 'planted/recordings/autocast_ensemble');
    const signal = new AbortController().signal;
    const reading = readingHere();
    const worker = workerHandlers(new SnapshotStore(reading), reading, new WorkspaceFiles(), () => undefined);
    const paths = picklesUnder(folder);
    for (const path of paths) await worker.load({ path }, signal);
    const query = {
      ...{ path: paths[paths.length - 1], device: 0, axis: 'events' as const, window: null },
      ...{ pixels: 100, rows: 400, bytes: null, grouping: 'line' as const, line: null },
    };
    const functionsOf = async (): Promise<(string | undefined)[]> =>
      (await worker.bands(query, signal)).allSeries.map(({ place }) => place?.function);
    assert.ok(!(await functionsOf()).includes(STACKLESS_FUNCTION), 'no report was made');
    await worker.report(null, signal);
    const bands = await worker.bands(query, signal);
    const at = bands.allSeries.findIndex(({ place }) => place?.function === STACKLESS_FUNCTION);
    assert.equal(seriesOf(unpackBands(bands.packed))[at].at(-1), 30 * 256 * 1024);
    const { lines } = await worker.liveAt({ path: query.path, device: 0, event: Infinity, by: 'line' }, signal);
    const own = lines.find((line) => line.function === STACKLESS_FUNCTION);
    assert.deepEqual([own?.bytes, own?.blocks], [30 * 256 * 1024, 30]);
  });
});

describe('What was allocated in a window and is alive', () => {
  it('equals a search through all allocations', async () => {
    const random = seededRandom(23);
    for (const { snapshot, index, name } of await subjects()) {
      const { history } = index;
      const { birth, death, bytes, count } = history.allocations;
      for (const window of [null, randomWindow({ from: 0, to: Math.max(1, history.trace.count - 1) }, random)]) {
        for (const by of ['line', 'stack'] as const) {
          const allocated = allocatedIn(snapshot, history, { axis: 'events', window }, noWorkspace, by);
          const rows = Array.from({ length: count }, (_, row) => row).filter(
            (row) => birth[row] >= allocated.first && birth[row] <= allocated.last,
          );
          const alive = rows.filter((row) => death[row] === history.trace.count);
          assert.equal(allocated.allocatedBytes, sum(rows.map((row) => bytes[row])), name);
          assert.equal(allocated.aliveBytes, sum(alive.map((row) => bytes[row])), name);
          assert.equal(allocated.aliveBlocks, alive.length, name);
          const parts = [...allocated.lines, ...Object.values(allocated.buckets)];
          assert.equal(sum(parts.map((part) => part.bytes)), allocated.aliveBytes, name);
          if (window !== null && history.trace.count > 0) {
            assert.ok(allocated.first >= window.from && allocated.last <= window.to);
          }
        }
      }
    }
  });
});

function request(window: { from: number; to: number } | null, pixels: number) {
  return { axis: 'events' as const, window, pixels, rows: 400, bytes: null, wanted: noSeries };
}

function randomWindow(extent: { from: number; to: number }, random: (below: number) => number) {
  const a = random(Math.ceil(extent.to));
  const b = random(Math.ceil(extent.to));
  return { from: Math.min(a, b), to: Math.max(a, b) + 0.5 };
}

function highestByColumn({ index }: Subject, window: { from: number; to: number }, pixels: number): number[] {
  const { live, trace } = index.history;
  const width = (window.to - window.from) / pixels;
  return Array.from({ length: pixels }, (_, column) => {
    const from = window.from + column * width;
    const to = from + width;
    let before = -1;
    let highest: number | null = null;
    for (let event = 0; event < trace.count; event++) {
      if (event < from) before = event;
      else if (event < to || (column === pixels - 1 && event <= window.to)) {
        highest = Math.max(highest ?? live[before + 1], live[event + 1]);
      }
    }
    return highest ?? live[before + 1];
  });
}

/** Ninety lines, each of which allocates and frees odd amounts all the time. */
function restless(): Buffer {
  const random = seededRandom(29);
  const run = new TrainingRun();
  const live: number[] = [];
  for (let i = 0; i < 4000; i++) {
    if (live.length > 500) run.free(live.splice(random(live.length), 1)[0]);
    const line = 1 + random(90);
    const frames = [{ filename: `/job/some/where/far/below/module_${line % 40}.py`, line, name: `forward_${line}` }];
    live.push(run.allocate((1 + random(1 << 15)) * (random(10) === 0 ? 4096 : 512), frames));
  }
  return run.dump();
}

const thinSnapshot = await thin();

/** Line 1 keeps much, line 3 little and for longer than the mean of line 1, line 2 frees what it allocates. */
async function thin(): Promise<Snapshot> {
  const run = new TrainingRun();
  const at = (line: number) => [{ filename: '/job/train.py', line, name: 'step' }];
  for (let step = 0; step < 50; step++) {
    run.allocate(1 << 20, at(1));
    if (step === 20) run.allocate(512, at(3));
    run.free(run.allocate(1 << 20, at(2)));
  }
  return readBytes(run.dump());
}
