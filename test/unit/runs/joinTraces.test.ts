import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { endOfEarlier } from '../../../src/core/runs/alignTraces.js';
import { followBlocks } from '../../../src/core/runs/flow.js';
import { joinTraces, type JoinedLifetimes } from '../../../src/core/runs/joinTraces.js';
import { stackKey, stackOfKey } from '../../../src/core/digest/stackKey.js';
import type { Recording } from '../../../src/core/model/recording.js';
import type { Snapshot } from '../../../src/core/model/snapshot.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { ringed } from '../../support/ringed.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { FIXTURES, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';

const RECORDINGS = join(FIXTURES, 'planted/recordings');

interface Dump {
  path: string;
  snapshot: Snapshot;
  recording: Recording | null;
}

async function dumpsOf(program: string): Promise<Dump[]> {
  const files = picklesUnder(join(RECORDINGS, program));
  return Promise.all(
    files.map(async (path) => ({ path, snapshot: await readFile(path), recording: await readRecording(path) })),
  );
}

function digests(dumps: readonly Dump[], entries: number): SnapshotDigest[] {
  return dumps.map(({ path, snapshot, recording }) => digestSnapshot(path, ringed(snapshot, entries), recording));
}

/** As the recorder writes them where it clears the history after each snapshot: the mark of the snapshot goes with it. */
function increments(dumps: readonly Dump[]): SnapshotDigest[] {
  return dumps.map(({ path, snapshot, recording }, i) => {
    assert.ok(recording !== null);
    if (i === 0) return digestSnapshot(path, snapshot, recording);
    const before = dumps[i - 1];
    const fresh = snapshot.traces[0].count - before.snapshot.traces[0].count - 1;
    const behindUs = [before.recording?.takenAtUs ?? null];
    return digestSnapshot(path, ringed(snapshot, fresh), { ...recording, behindUs });
  });
}

/** The fewest entries with which every trace still reaches back into the previous one, by so many events. */
function entriesThatOverlap(dumps: readonly Dump[], overlap: number): number {
  const counts = dumps.map(({ snapshot }) => snapshot.traces[0].count);
  return Math.max(50, Math.max(...counts.slice(1).map((count, i) => count - counts[i])) + overlap);
}

/** The lifetimes of every stack, comparable. */
function table(parts: readonly JoinedLifetimes[]): string[] {
  return parts
    .map(({ key, lifetimes: { survivorBirths, floors, usualFreedAge, oldestFreedAge, steps, drops } }) => {
      const seen = { steps, births: [...survivorBirths], floors: [...floors], usualFreedAge, oldestFreedAge };
      return `${key} ${JSON.stringify({ ...seen, drops: drops.map(({ step, bytes }) => [step, bytes]) })}`;
    })
    .sort();
}

describe('Traces of successive dumps', () => {
  it('joined dump by dump are those that are joined at once, also after one of them is gone', async () => {
    const dumps = await dumpsOf('running_total');
    const parts = digests(dumps, entriesThatOverlap(dumps, 60));
    const atOnce = (some: readonly SnapshotDigest[]): unknown => {
      const joined = joinTraces(structuredClone(some));
      return joined && { ...joined, stacks: table(joined.stacks) };
    };
    const here = (some: readonly SnapshotDigest[]): unknown => {
      const joined = joinTraces(some);
      return joined && { ...joined, stacks: table(joined.stacks) };
    };
    assert.ok(parts.length > 3);
    for (let count = 1; count <= parts.length; count++) {
      assert.deepEqual(here(parts.slice(0, count)), atOnce(parts.slice(0, count)));
    }
    const fewer = [...parts.slice(0, 2), ...parts.slice(3)];
    assert.deepEqual(here(fewer), atOnce(fewer));
    assert.deepEqual(here(parts.slice(0, -1)), atOnce(parts.slice(0, -1)));
  });

  it('joined are the trace of a larger ring, allocation by allocation', async () => {
    for (const program of ['running_total', 'search_tree', 'bounded_replay', 'validation_losses', 'epoch_outputs']) {
      const dumps = await dumpsOf(program);
      const [whole] = digests(dumps.slice(-1), Number.POSITIVE_INFINITY);
      for (const overlap of [60, 300]) {
        const parts = digests(dumps, entriesThatOverlap(dumps, overlap));
        const joined = joinTraces(parts);
        assert.ok(joined !== null);
        assert.equal(joined.gaps, 0, program);
        const first = parts[0].heads[0].events;
        assert.ok(first < whole.heads[0].events / 2, 'the ring is small');
        assert.deepEqual(
          table(joined.stacks),
          table(whole.lifetimes.map((lifetimes) => ({ key: stackKey(whole, lifetimes), lifetimes }))),
          program,
        );
      }
    }
  });

  it('joined are the same where each begins where the recorder cleared the history', async () => {
    for (const program of ['running_total', 'search_tree', 'bounded_replay', 'validation_losses', 'epoch_outputs']) {
      const dumps = await dumpsOf(program);
      const [whole] = digests(dumps.slice(-1), Number.POSITIVE_INFINITY);
      const parts = increments(dumps);
      const joined = joinTraces(parts);
      assert.equal(joined?.gaps, 0, program);
      assert.deepEqual(
        table(joined.stacks),
        table(whole.lifetimes.map((lifetimes) => ({ key: stackKey(whole, lifetimes), lifetimes }))),
        program,
      );
    }
  });

  it('leave out a first trace that counts other steps, as before the recorder knew the loop of the steps', async () => {
    const parts = increments(await dumpsOf('running_total'));
    const [first, ...others] = parts;
    assert.ok(first.steps !== null && others.length > 2);
    const byRhythm: SnapshotDigest = { ...first, steps: { ...first.steps, source: 'period' } };
    const joined = joinTraces([byRhythm, ...others]);
    const alone = joinTraces(others);
    assert.ok(joined !== null && alone !== null);
    assert.deepEqual(table(joined.stacks), table(alone.stacks));
    assert.deepEqual(joined.at, [null, ...alone.at]);
    assert.equal(joinTraces([...parts.slice(0, -1), { ...byRhythm, path: 'last' }]), null, 'nothing is left to join');
  });

  it('that are increments give the report of whole rings, but for a snapshot that is gone', async () => {
    for (const program of ['running_total', 'bounded_replay', 'epoch_outputs']) {
      const dumps = await dumpsOf(program);
      const rings = dumps.map(({ path, snapshot, recording }) => digestSnapshot(path, snapshot, recording));
      const told = (parts: readonly SnapshotDigest[]): unknown =>
        buildReport(parts, { files: [], rules: [] }).report.runs.map(({ verdict, lines }) => ({
          verdict,
          warnings: parts.map(({ warnings }) => warnings.map(({ code }) => code)),
          lines: lines.map(({ file, line, verdict: own, liveBytes, bytesPerStep }) => [
            file,
            line,
            own,
            liveBytes,
            bytesPerStep,
          ]),
        }));
      assert.deepEqual(told(increments(dumps)), told(rings), program);
      const fewer = increments(dumps).filter((_, i) => i !== 2);
      assert.equal(joinTraces(fewer)?.gaps, 1, program);
    }
  });

  it('that do not meet leave a gap, across which blocks are matched by address, size and stack', async () => {
    const dumps = await dumpsOf('running_total');
    const parts = digests(dumps, entriesThatOverlap(dumps, -60));
    const joined = joinTraces(parts);
    assert.equal(joined?.gaps, dumps.length - 1);
    const leak = joined.stacks
      .filter(({ key }) => stackOfKey(key).frames.some(({ line }) => line === 21))
      .map(({ lifetimes }) => lifetimes.survivorBirths.length);
    // Every step keeps one block; the first dump's trace begins with the third step, and no gap gives older ones a birth.
    assert.deepEqual(leak, [28]);
    const plain = parts.map((digest) => ({ ...digest, recording: null }));
    const [run] = buildReport(plain, { files: [], rules: [] }).report.runs;
    assert.equal(run.verdict, 'growing');
  });

  it('have the steps of a gap by the recorder, else by their names, as far as there was time for so many', async () => {
    const dumps = await dumpsOf('running_total');
    const parts = digests(dumps, entriesThatOverlap(dumps, -130));
    const stepUs = 1000;
    const lifetimes = (named: ((step: number) => string) | null): { steps: number; births: number } => {
      const renamed = parts.map((digest): SnapshotDigest => {
        const step = digest.recording?.step ?? 0;
        const spans = digest.spans.map((span) => {
          const startsUs = Float64Array.from(span.starts, (_, i) => stepUs * (step - span.starts.length + i));
          return { ...span, startsUs };
        });
        return named === null ? { ...digest, spans } : { ...digest, spans, path: named(step), recording: null };
      });
      const joined = joinTraces(renamed);
      const leak = joined?.stacks.find(({ key }) => stackOfKey(key).frames.some(({ line }) => line === 21))?.lifetimes;
      assert.ok(leak !== undefined);
      return { steps: leak.steps, births: new Set(leak.survivorBirths).size };
    };
    const counted = lifetimes(null);
    assert.ok(counted.steps > 25);
    assert.ok(counted.births > 0.8 * counted.steps, 'the blocks of a gap are of different steps');
    assert.deepEqual(
      lifetimes((step) => `dump_step${step}.pickle`),
      counted,
    );
    assert.deepEqual(
      lifetimes((step) => `dump_step${100 * step}.pickle`),
      counted,
    );
    assert.ok(lifetimes((step) => `dump_${step}.pickle`).steps < counted.steps, 'each gap is one step');
    const last = parts[parts.length - 1];
    assert.ok(last.recording !== null);
    const endless = joinTraces([...parts.slice(0, -1), { ...last, recording: { ...last.recording, step: 1e15 } }]);
    assert.ok((endless?.stacks[0].lifetimes.steps ?? Infinity) < 2e6, 'a number that would exhaust memory');
  });

  it('show no fall where a gap hides what replaced a tensor', async () => {
    const dumps = await dumpsOf('shared_prefix');
    const joined = joinTraces(digests(dumps, entriesThatOverlap(dumps, -400)));
    assert.equal(joined?.gaps, dumps.length - 1);
    const grown = joined.stacks.filter(({ key }) => stackOfKey(key).frames.some(({ line }) => line === 18));
    const floors = grown.map(({ lifetimes }) => [...lifetimes.floors]).filter((all) => (all.at(-1) ?? 0) > 1e6);
    assert.ok(floors.length > 0);
    for (const all of floors)
      assert.deepEqual(
        all,
        all.toSorted((a, b) => a - b),
      );
  });

  it('of training that repeats itself to the address are distinguished by the mark, by the clock, or not at all', async () => {
    const whole = (marked: boolean, clock: (event: number) => number): Picklable[] => {
      const trace: Picklable[] = [];
      const event = (action: string, addr: number, line: number): void => {
        const frames = [{ name: 'main', filename: '/home/ml/job/train.py', line }];
        trace.push({ action, addr, size: 4096, stream: 0, time_us: clock(trace.length), frames });
      };
      for (let step = 0; step < 60; step++) {
        if (marked && step === 40)
          trace.push({ action: 'snapshot', addr: 0, size: 0, stream: 0, time_us: clock(trace.length) });
        for (let i = 0; i < 20; i++) event('alloc', 0x7f0000000000 + 4096 * i, 10 + i);
        for (let i = 0; i < 20; i++)
          for (const free of ['free_requested', 'free_completed']) event(free, 0x7f0000000000 + 4096 * i, 0);
      }
      return trace;
    };
    const endIn = async (marked: boolean, clock: (event: number) => number): Promise<number | null> => {
      const trace = whole(marked, clock);
      const spans = await Promise.all(
        [trace.slice(0, 2400), trace.slice(1200)].map(async (device) => {
          const file = pickle({
            segments: [],
            device_traces: [device],
            allocator_settings: {},
            external_annotations: [],
          });
          return digestSnapshot('dump.pickle', await readBytes(file)).curves[0].meeting;
        }),
      );
      return endOfEarlier(spans[0], spans[1]);
    };
    assert.equal(await endIn(false, (event) => 1e15 + 10 * event), 1200);
    assert.equal(await endIn(false, () => 0), null);
    assert.equal(await endIn(false, () => 1e15), null, 'a clock that stands still');
    assert.equal(await endIn(true, () => 1e15), 1200);
    assert.equal(await endIn(true, (event) => 1e15 - 10 * event), 1200, 'a clock that runs backwards');
  });

  it('accuse no line that the whole trace does not, however small the ring', async () => {
    for (const program of ['bounded_replay', 'recent_masks', 'epoch_outputs', 'varying_length', 'first_evaluation']) {
      const dumps = await dumpsOf(program);
      for (const overlap of [-200, -50, 20, 100, 500]) {
        for (const recorder of [true, false]) {
          const seen = recorder ? dumps : dumps.map((dump) => ({ ...dump, recording: null }));
          const { runs } = buildReport(digests(seen, entriesThatOverlap(dumps, overlap)), {
            files: [],
            rules: [],
          }).report;
          const accused = runs.flatMap(({ lines }) =>
            lines.filter(({ verdict }) => ['leak', 'cycle'].includes(verdict)),
          );
          assert.deepEqual(
            accused.map(({ file, line }) => `${program} ${overlap} ${file}:${line}`),
            [],
          );
        }
      }
    }
  });

  it('show the survivors between any two snapshots, also through those between', async () => {
    const dumps = await dumpsOf('validation_losses');
    const whole = digests(dumps, Number.POSITIVE_INFINITY);
    const parts = digests(dumps, entriesThatOverlap(dumps, 100));
    const bytes = (tallies: ReadonlyMap<number, { bytes: number; blocks: number }> | undefined): [number, number] => [
      [...(tallies?.values() ?? [])].reduce((sum, one) => sum + one.bytes, 0),
      [...(tallies?.values() ?? [])].reduce((sum, one) => sum + one.blocks, 0),
    ];
    for (let from = 0; from < dumps.length; from++) {
      for (let to = from + 1; to < dumps.length; to++) {
        const right = followBlocks(whole[from], whole[to]);
        const chained = followBlocks(parts[from], parts[to], parts);
        assert.equal(chained?.certain, true);
        for (const part of ['survived', 'allocated', 'freed'] as const) {
          assert.deepEqual(bytes(chained[part]), bytes(right?.[part]), `${part} from ${from} to ${to}`);
        }
      }
    }
    const apart = digests(dumps, entriesThatOverlap(dumps, -100));
    assert.equal(followBlocks(apart[0], apart[3], apart)?.certain, false);
    assert.equal(followBlocks(apart[0], apart[3]), null, 'nothing says that they are of one process');
    assert.equal(followBlocks(parts[3], parts[0], parts), null);
  });
});
