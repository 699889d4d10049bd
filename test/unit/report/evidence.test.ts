import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { Action, BlockState, type Snapshot } from '../../../src/core/model/snapshot.js';
import { evidenceText } from '../../../src/core/present/evidenceText.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { RunReport } from '../../../src/core/report/report.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { FIXTURES, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { eventTime } from '../../../src/core/model/eventTime.js';

const RECORDINGS = join(FIXTURES, 'planted/recordings');
const PROGRAM = '/home/ml/planted/';

interface Life {
  line: string;
  stack: string;
  bytes: number;
  birth: number;
  /** Step of death, null while alive. */
  death: number | null;
}

/** Every allocation of the trace by a plain replay: its line, and the steps of its birth and death. */
function lives(snapshot: Snapshot, endsUs: readonly number[]): { steps: number; lives: Life[] } {
  const { events, stacks, frames, strings, blocks } = snapshot;
  const open = new Map<bigint, Life>();
  const all: Life[] = [];
  let steps = 0;
  for (let event = 0; event < events.count; event++) {
    const address = (BigInt(events.addrHigh[event]) << 32n) | BigInt(events.addrLow[event]);
    const step = 1 + endsUs.filter((end) => end < eventTime(events, event)).length;
    steps = Math.max(steps, step);
    if (events.action[event] === Action.FreeCompleted) {
      const life = open.get(address);
      if (life !== undefined) life.death = step;
      open.delete(address);
    }
    if (events.action[event] !== Action.Alloc) continue;
    const words = [
      ...stacks.frames.subarray(stacks.offset[events.stack[event]], stacks.offset[events.stack[event] + 1]),
    ];
    const own = words.find((frame) => strings.text(frames.file[frame]).startsWith(PROGRAM));
    const line = own === undefined ? '' : `${strings.text(frames.file[own])}:${frames.line[own]}`;
    const bytes = Math.ceil(events.size[event] / 512) * 512;
    const life: Life = { line, stack: words.join(), bytes, birth: step, death: null };
    open.set(address, life);
    all.push(life);
  }
  let live = 0;
  for (let block = 0; block < blocks.count; block++) if (blocks.state[block] !== BlockState.Inactive) live++;
  assert.ok(open.size <= live, 'the plain replay agrees with the blocks');
  return { steps, lives: all };
}

async function judged(program: string): Promise<{ run: RunReport; last: Snapshot; endsUs: readonly number[] }> {
  const files = picklesUnder(join(RECORDINGS, program));
  const read = await Promise.all(
    files.map(async (path) => ({ path, snapshot: await readFile(path), recording: await readRecording(path) })),
  );
  const digests = read.map(({ path, snapshot, recording }) => digestSnapshot(path, snapshot, recording));
  const [run] = buildReport(digests, { files: [], rules: [] }).report.runs;
  const { snapshot, recording } = read[read.length - 1];
  return { run, last: snapshot, endsUs: recording?.stepEndsUs ?? [] };
}

describe('The evidence of a line', () => {
  it('counts what is older than a trace that lost its oldest events', async () => {
    const run = new TrainingRun(60);
    const file = '/home/ml/job/train.py';
    for (let step = 0; step < 40; step++) {
      run.allocate(20_000, [{ filename: file, line: 7, name: 'main' }]);
      run.step('SGD');
    }
    const digest = digestSnapshot('cut.pickle', await readBytes(run.dump()));
    const [line] = buildReport([digest], { files: [], rules: [] }).report.runs[0].lines;
    const { steps = 0, floors = [] } = line.evidence ?? {};
    const perStep = 20_480;
    assert.equal(steps, 30, 'two events each');
    assert.equal(floors.at(-1), run.liveBytes(file, 7));
    assert.equal(floors[0], run.liveBytes(file, 7) - steps * perStep);
  });

  it('equals the counts of a plain replay of the trace', async () => {
    let compared = 0;
    for (const program of ['running_total', 'validation_losses', 'metric_logger', 'bounded_replay', 'search_tree']) {
      const { run, last, endsUs } = await judged(program);
      const { steps, lives: all } = lives(last, endsUs);
      for (const line of run.lines) {
        const { evidence } = line;
        const own = all.filter((life) => life.line === `${line.file}:${line.line}`);
        const outliving = own.filter(({ birth, death }) => death === null || death > birth);
        if (evidence?.from !== 'lifetimes' || new Set(outliving.map(({ stack }) => stack)).size !== 1) continue;
        compared++;
        const survivors = outliving.filter(({ death }) => death === null);
        const births = [...new Set(survivors.map(({ birth }) => birth))].sort((a, b) => a - b);
        const ages = outliving.flatMap(({ birth, death }) => (death === null ? [] : [death - birth]));
        const place = `${program} ${line.file}:${line.line}`;
        assert.equal(evidence.steps, steps, place);
        assert.equal(evidence.survivors, survivors.length, place);
        assert.equal(evidence.birthSteps, births.length, place);
        assert.deepEqual(evidence.allocatedOnSteps, births.slice(-32), place);
        assert.equal(evidence.oldestFreedAge, ages.length === 0 ? null : Math.max(...ages), place);
        const floors = Array.from({ length: steps + 1 }, (_, step) =>
          outliving
            .filter(({ birth, death }) => birth <= step && (death === null || death > step))
            .reduce((sum, { bytes }) => sum + bytes, 0),
        );
        assert.deepEqual(evidence.floors, floors, place);
      }
    }
    assert.ok(compared >= 12, `${compared} lines compared`);
  });

  it('covers growth without a Python stack, on the line of its holder, and adds up', async () => {
    const { run } = await judged('autocast_ensemble');
    const line = run.lines.find(({ function: name }) => name === '<no stack>');
    assert.deepEqual([line?.line, line?.verdict, line?.liveBytes], [13, 'leak', 30 * 256 * 1024]);
    assert.match(line?.evidence?.reason ?? '', /^Allocated where no Python ran, such as in a backward pass\. /);
    const { buckets, lines, snapshots } = run;
    const owned = lines.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
    const live = snapshots[snapshots.length - 1].devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
    assert.equal(owned + buckets.library + buckets.beforeRecording, live);
  });

  it('has its counts in words', async () => {
    const reasonOf = async (program: string, at: number): Promise<string | null> => {
      const evidence = (await judged(program)).run.lines.find(({ line }) => line === at)?.evidence ?? null;
      return evidence === null ? null : evidenceText(evidence);
    };
    assert.equal(
      await reasonOf('running_total', 21),
      'Allocations from 30 of 30 steps are still live. No block that outlived its step was freed. ' +
        'Live bytes never fell: 0 B at first, 960 KiB at last. ' +
        'In 5 searches over 24 steps, the holder freed none of its 4.5 MiB. ' +
        'Its graph goes back to earlier steps, whose parameters the optimizer has changed since.',
    );
    assert.equal(
      await reasonOf('search_tree', 21),
      'Allocations from 10 of 42 steps are still live. The oldest block that was freed lived 16 steps. ' +
        'Half or more was freed at once, 2 times.',
    );
  });

  it('is the series where no trace shows lifetimes, and nothing for a single snapshot', async () => {
    const files = picklesUnder(join(RECORDINGS, 'prediction_list'));
    const bare = await Promise.all(
      files.map(async (file) => ({ ...digestSnapshot(file, await readFile(file)), steps: null, lifetimes: [] })),
    );
    const at = (count: number): RunReport['lines'][number] | undefined =>
      buildReport(bare.slice(0, count), { files: [], rules: [] }).report.runs[0].lines.find(({ line }) => line === 28);
    const line = at(files.length);
    assert.equal(line?.evidence?.from, 'snapshots');
    assert.deepEqual(line.evidence.floors, line.series);
    assert.equal(line.evidence.birthSteps, files.length - 1);
    assert.match(
      evidenceText(line.evidence),
      /^Live bytes rose in 4 of 4 intervals between snapshots\. Live bytes never fell/,
    );
    assert.equal(at(1)?.evidence, null);
  });
});
