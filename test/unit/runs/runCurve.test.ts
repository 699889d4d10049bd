import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { runCurve, type RunCurve } from '../../../src/core/runs/runCurve.js';
import { runSteps, type RunStep } from '../../../src/core/runs/runSteps.js';
import { findSteps } from '../../../src/core/attribution/steps/steps.js';
import { groupRuns } from '../../../src/core/runs/runs.js';
import { BlockState, type Snapshot } from '../../../src/core/model/snapshot.js';
import { ringed } from '../../support/ringed.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';
import { BLANK_RECORDING } from '../../support/blankRecording.js';
import { eventTimes } from '../../support/eventTimes.js';

const PIXELS = 800;
const PROGRAMS = ['running_total', 'search_tree', 'bounded_replay', 'validation_losses', 'epoch_outputs'];

interface Dump {
  path: string;
  snapshot: Snapshot;
}

async function dumpsUnder(folder: string): Promise<Dump[]> {
  const files = picklesUnder(join(FIXTURES, folder));
  return Promise.all(files.map(async (path) => ({ path, snapshot: await readFile(path) })));
}

function curveOf(dumps: readonly Dump[]): { curve: RunCurve; digests: SnapshotDigest[] } {
  const digests = dumps.map(({ path, snapshot }) => digestSnapshot(path, snapshot));
  const [run] = groupRuns(digests);
  assert.equal(run.snapshots.length, dumps.length, 'one run');
  return { curve: runCurve(run, 0, PIXELS), digests };
}

interface Marked {
  curve: RunCurve;
  steps: RunStep[];
}

function marked(dumps: readonly Dump[], pixels: number): Marked {
  const { curve, digests } = curveOf(dumps);
  return { curve, steps: runSteps(curve, { run: { snapshots: digests }, device: 0 }, pixels) };
}

/** Live bytes of a device, block by block. */
function liveBytes({ blocks, segments }: Snapshot, device: number): number {
  let sum = 0;
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] !== BlockState.Inactive && segments.device[blocks.segment[block]] === device)
      sum += blocks.size[block];
  }
  return sum;
}

/** Every point against the history of its snapshot, every end against the blocks. */
function check({ axis, extent, parts, x, live, reserved, event }: RunCurve, dumps: readonly Dump[]): void {
  parts.forEach((part, i) => {
    const dump = dumps.find(({ path }) => path === part.path);
    assert.ok(dump !== undefined);
    assert.equal(part.liveBytes, liveBytes(dump.snapshot, 0), part.path);
    assert.ok(part.from <= part.to && part.from >= (i === 0 ? 0 : parts[i - 1].to), 'in order, without overlap');
    assert.ok(part.from >= extent.from && part.to <= extent.to);
    if (part.end > part.first && part.events > 0) {
      assert.equal(live[part.end - 1], part.liveBytes, `the curve of ${part.path} ends in its live bytes`);
      assert.equal(event[part.end - 1], part.events - 1);
    }
    const history = deviceHistory(dump.snapshot, 0);
    for (let point = part.first; point < part.end; point++) {
      assert.ok(x[point] >= part.from && x[point] <= part.to, `${axis}: ${x[point]} outside ${part.from}–${part.to}`);
      assert.ok(point === part.first || x[point] >= x[point - 1]);
      if (part.events === 0) continue;
      assert.equal(live[point], history.live[event[point] + 1]);
      assert.equal(reserved?.[point], history.reserved?.[event[point] + 1]);
    }
  });
}

/** With so many entries each trace reaches back into the previous one, or ends so many events short of it. */
function entriesThatOverlap(dumps: readonly Dump[], overlap: number): number {
  const counts = dumps.map(({ snapshot }) => snapshot.traces[0].count);
  return Math.max(50, Math.max(...counts.slice(1).map((count, i) => count - counts[i])) + overlap);
}

describe('The curve of a run', () => {
  it('counts each event once, whether or not the ring had overflowed, and ends every part to the byte', async () => {
    for (const program of PROGRAMS) {
      const dumps = await dumpsUnder(`planted/recordings/${program}`);
      const whole = deviceHistory(dumps[dumps.length - 1].snapshot, 0);
      for (const entries of [Number.POSITIVE_INFINITY, entriesThatOverlap(dumps, 60)]) {
        const rings = dumps.map(({ path, snapshot }) => ({ path, snapshot: ringed(snapshot, entries) }));
        const { curve } = curveOf(rings);
        check(curve, rings);
        const kinds = curve.parts.map(({ before }) => before);
        assert.deepEqual(kinds, ['start', ...kinds.slice(1).map(() => 'joined')], program);
        // Ordinals since the run began: each part goes on where the dump before it was made.
        let past = -1;
        curve.parts.forEach(({ first, end, events }, i) => {
          const dropped = dumps[i].snapshot.traces[0].count - events;
          for (let point = first; point < end; point++) {
            assert.ok(dropped + curve.event[point] > past);
            past = dropped + curve.event[point];
          }
          assert.equal(past, dumps[i].snapshot.traces[0].count - 1);
        });
        assert.ok(Math.max(...curve.live) >= Math.max(...whole.live.subarray(1)), `${program}: no peak is lost`);
      }
    }
  });

  it('has gaps where no trace exists', async () => {
    const dumps = await dumpsUnder('planted/recordings/running_total');
    const entries = entriesThatOverlap(dumps, -60);
    const rings = dumps.map(({ path, snapshot }) => ({ path, snapshot: ringed(snapshot, entries) }));
    const { curve } = curveOf(rings);
    check(curve, rings);
    assert.deepEqual(
      curve.parts.map(({ before }) => before),
      ['start', ...rings.slice(1).map(() => 'gap')],
    );
    assert.ok(
      curve.parts.slice(1).every(({ from }, i) => from > curve.parts[i].to),
      'each gap is as wide as its time',
    );
  });

  it('of snapshots without traces is their points, at equal distances without times', async () => {
    const dumps = await dumpsUnder('planted/recordings/running_total');
    const bare = dumps.map(({ path, snapshot }) => ({
      path,
      snapshot: { ...ringed(snapshot, 0), traces: [], takenAtUs: null },
    }));
    const { curve } = curveOf(bare);
    check(curve, bare);
    assert.equal(curve.axis, 'events');
    assert.equal(curve.x.length, bare.length);
    assert.deepEqual(
      [...curve.live],
      bare.map(({ snapshot }) => liveBytes(snapshot, 0)),
    );
    const distances = new Set(curve.parts.slice(1).map(({ to }, i) => to - curve.parts[i].to));
    assert.equal(distances.size, 1);
  });

  it('lies event behind event where the files have no times', async () => {
    const dumps = await dumpsUnder('planted/recordings/search_tree');
    const timeless = dumps.map(({ path, snapshot }) => ({
      path,
      snapshot: {
        ...snapshot,
        takenAtUs: null,
        events: { ...snapshot.events, originUs: 0, sinceUs: new Uint32Array(snapshot.events.count) },
      },
    }));
    const { curve } = curveOf(timeless);
    check(curve, timeless);
    assert.equal(curve.axis, 'events');
    assert.equal(curve.extent.to, timeless[timeless.length - 1].snapshot.traces[0].count - 1);
    const begins = timeless.flatMap(({ snapshot }, i) => {
      const before = i === 0 ? 0 : timeless[i - 1].snapshot.traces[0].count;
      return [...(findSteps(snapshot)?.starts ?? [])].filter((ordinal) => ordinal >= before);
    });
    assert.deepEqual(
      marked(timeless, 1e6).steps.map(({ x }) => x),
      begins,
    );
  });

  it('marks each step once, where it begins, numbered as the snapshots count', async () => {
    for (const program of PROGRAMS) {
      const dumps = await dumpsUnder(`planted/recordings/${program}`);
      // The first dump that has a step tells where it begins.
      const begins: number[] = [];
      for (const { snapshot } of dumps) {
        const { time, startUs } = deviceHistory(snapshot, 0);
        const steps = findSteps(snapshot);
        assert.ok(steps !== null && time !== null && startUs !== null);
        for (const ordinal of steps.starts.subarray(begins.length)) begins.push(startUs + time[ordinal]);
      }
      const all = marked(dumps, 1e6);
      assert.deepEqual(
        all.steps.map(({ x, number }) => ({ number, at: x + (all.curve.startUs ?? 0) })),
        begins.map((at, i) => ({ number: i + 1, at })),
        program,
      );

      const entries = entriesThatOverlap(dumps, 60);
      const rings = marked(
        dumps.map(({ path, snapshot: full }) => ({ path, snapshot: ringed(full, entries) })),
        1e6,
      );
      assert.deepEqual(
        rings.steps.map(({ number }) => number),
        begins.map((_, i) => i + 1),
        `${program}: rings that overlap`,
      );
      // Another stack may mark the rhythm of a ring: its steps begin in the same snapshots' parts all the same.
      const partOf = ({ curve }: Marked, { x }: RunStep): number => curve.parts.findIndex(({ to }) => x <= to);
      assert.deepEqual(
        rings.steps.map((step) => partOf(rings, step)),
        all.steps.map((step) => partOf(all, step)),
      );
      const few = marked(dumps, 60).steps;
      assert.ok(
        few.length <= 5 && few.every(({ number }) => number % few[0].number === 0),
        'as many as there is room for',
      );
    }
  });

  it('marks no steps where the numbers of the snapshots count something else', async () => {
    const dumps = await dumpsUnder('planted/recordings/running_total');
    const epochs = dumps.map(({ snapshot }, i) => ({ path: `/job/epoch_${i + 1}.pickle`, snapshot }));
    assert.deepEqual(marked(epochs, 1e6).steps, []);
    const accumulated = dumps.map(({ snapshot }, i) => ({ path: `/job/step_${(i + 1) * 24}.pickle`, snapshot }));
    assert.deepEqual(
      marked(accumulated, 1e6).steps.map(({ number }) => number),
      [19, 20, 21, 22, 23, 24],
      'the first may have lost its oldest events, the others go on where it ended',
    );
  });

  it('marks where the garbage collector freed memory, each time once, to the byte', async () => {
    const dumps = await dumpsUnder('planted/recordings/search_tree');
    const last = deviceHistory(dumps[dumps.length - 1].snapshot, 0);
    const { startUs, time, live } = last;
    assert.ok(startUs !== null && time !== null);
    const spans = Array.from({ length: 40 }, (_, i) => {
      const first = Math.floor(((i + 0.3) * time.length) / 40);
      return { first, end: Math.min(time.length, first + 25) };
    });
    const collections = spans.map(({ first, end }) => ({
      fromUs: startUs + time[first],
      toUs: startUs + time[end - 1],
    }));
    const expected = collections.flatMap(({ fromUs, toUs }) => {
      let freed = { bytes: 0, blocks: 0 };
      time.forEach((since, event) => {
        const less = live[event] - live[event + 1];
        const isWithin = startUs + since >= fromUs && startUs + since <= toUs;
        if (isWithin && less > 0) freed = { bytes: freed.bytes + less, blocks: freed.blocks + 1 };
      });
      return freed.blocks === 0 ? [] : [freed];
    });
    const digests = dumps.map(({ path, snapshot }) => {
      const takenUs = Math.max(...eventTimes(snapshot.events));
      // The recorder reports those that were over when it took a snapshot.
      const seen = collections.filter(({ toUs }) => toUs <= takenUs);
      return digestSnapshot(path, snapshot, {
        ...BLANK_RECORDING,
        rank: 0,
        collections: seen,
      });
    });
    const [run] = groupRuns(digests);
    assert.ok(expected.length > 10);
    const { collected, extent } = runCurve(run, 0, 1e6);
    assert.deepEqual(
      collected.map((one) => one.collected),
      expected,
    );
    assert.ok(collected.every(({ x }, i) => x <= extent.to && (i === 0 || x > collected[i - 1].x)));
    const few = runCurve(run, 0, 120).collected;
    const bytesOf = (marks: typeof few): number[] => marks.map((one) => one.collected.bytes).sort((a, b) => b - a);
    assert.deepEqual(bytesOf(few), bytesOf(collected).slice(0, 5), 'where there is no room, those that freed most');
  });
});
