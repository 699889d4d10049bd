import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Action, type Snapshot } from '../../../src/core/model/snapshot.js';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import type { Recording } from '../../../src/core/model/recording.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { RunReport } from '../../../src/core/report/report.js';
import { spanText } from '../../../src/core/present/runText.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';
import { BLANK_OWNER } from '../../support/blankOwner.js';
import { BLANK_RECORDING } from '../../support/blankRecording.js';
import { eventTime } from '../../../src/core/model/eventTime.js';

async function recorded(
  name: string,
  about: (index: number, snapshot: Snapshot) => Partial<Recording>,
): Promise<SnapshotDigest[]> {
  const files = picklesUnder(join(FIXTURES, 'recordings', name));
  return Promise.all(
    files.map(async (file, i) => {
      const snapshot = await readFile(file);
      return digestSnapshot(file, snapshot, { ...BLANK_RECORDING, ...about(i, snapshot) });
    }),
  );
}

function run(digests: readonly SnapshotDigest[], files: string[], lines: Record<string, string> = {}): RunReport {
  const lineText = (file: string, line: number): string | null => lines[`${file}:${line}`] ?? null;
  const { runs } = buildReport(digests, { files, rules: [], lineText }).report;
  assert.equal(runs.length, 1);
  return runs[0];
}

/** The steps of a program that allocates two blocks in each. */
function pairSteps({ events, traces }: Snapshot): Partial<Recording> {
  const { first, count } = traces.reduce((most, trace) => (trace.count > most.count ? trace : most));
  const allocations = Array.from({ length: count }, (_, i) => first + i).filter(
    (event) => events.action[event] === Action.Alloc,
  );
  return { stepEndsUs: allocations.filter((_, i) => i % 2 === 1).map((event) => eventTime(events, event)) };
}

describe('A recorded run', () => {
  it('has the recorder’s steps and, for a leak, a forecast that a division confirms', async () => {
    const capacity = 200 << 20;
    const digests = await recorded('aux_loss', (i) => ({
      step: (i + 1) * 100,
      devices: [{ device: 0, capacityBytes: capacity, outsideBytes: 1 << 20 }],
    }));
    const report = run(digests, ['train.py', 'model.py']);
    assert.equal(report.steps, 'recorder');
    const live = report.snapshots.map((snapshot) => snapshot.devices[0].liveBytes);
    const perStep = (live[3] - live[0]) / 300;
    assert.equal(report.forecast?.stepsToOom, Math.floor((capacity - (1 << 20) - live[3]) / perStep));
    assert.ok(report.forecast.low <= report.forecast.stepsToOom && report.forecast.stepsToOom <= report.forecast.high);
    const line = report.lines.find((one) => one.file === 'train.py' && one.line === 19);
    assert.equal(line?.bytesPerStep, 19_660.8);
  });

  it('grows by snapshots where the recorder saw no steps', async () => {
    const bySnapshot = await recorded('aux_loss', (i) => ({ step: i + 1, stepSource: 'requests' }));
    const bySteps = await recorded('aux_loss', (i) => ({ step: i + 1 }));
    const [first, second] = [bySnapshot, bySteps].map((digests) => run(digests, ['train.py', 'model.py']));
    assert.deepEqual([first.steps, second.steps], ['snapshots', 'recorder']);
    assert.deepEqual(first.lines, second.lines);
    assert.equal(run(bySnapshot.slice(0, 2), ['train.py', 'model.py']).steps, null);
  });

  it('names the loop whose rounds are its steps', async () => {
    const [{ files }] = await recorded('aux_loss', () => ({}));
    const file = files.find((path) => path.endsWith('train.py')) ?? '';
    const loop = { file, line: 17, rounds: null, isStepLoop: true };
    const of = async (stepSource: Recording['stepSource']): Promise<RunReport> => {
      const chances = { loops: [loop], releases: null };
      return run(await recorded('aux_loss', (i) => ({ step: i + 1, stepSource, chances })), ['train.py', 'model.py']);
    };
    const report = await of('loop');
    assert.deepEqual(report.stepLoop, { file: 'train.py', line: 17 });
    assert.match(spanText(report), /, steps 1 to 4, one per round of the loop at .train\.py:17.$/u);
    assert.equal((await of('optimizer')).stepLoop, null);
  });

  it('says why there is no verdict where the recorder saw no steps until the exit', async () => {
    const codesOf = async (stepSource: Recording['stepSource'], isAtEnd: boolean): Promise<string[]> => {
      const [digest] = await recorded('aux_loss', () => ({ stepSource, isAtEnd }));
      return digest.warnings.map(({ code }) => code);
    };
    assert.ok((await codesOf('none', true)).includes('noSteps'));
    assert.ok(!(await codesOf('none', false)).includes('noSteps'));
    assert.ok(!(await codesOf('loop', true)).includes('noSteps'));
  });

  it('is judged without the snapshot at its exit, where functions have released leaks as well', async () => {
    const files = ['train.py', 'model.py'];
    const digests = await recorded('aux_loss', (i) => ({ step: (i + 1) * 100, isAtEnd: i === 3 }));
    const whole = run(digests, files);
    const [training, exit] = [run(digests.slice(0, 3), files), run(digests.slice(3), files)];
    const { peak, peaks, categories } = whole;
    assert.deepEqual(whole, { ...training, atExit: exit.snapshots, peak, peaks, categories });
    // What ran after the last step shows in the peak.
    assert.ok(peak !== null && exit.peak !== null && training.peak !== null);
    assert.equal(peak.liveBytes, exit.peak.liveBytes);
    assert.ok(peak.liveBytes > training.peak.liveBytes);
    assert.match(spanText(whole), /^3 snapshots, .*, 1 more at exit$/);
    assert.equal(exit.snapshots.length, 1);
  });

  it('has a forecast by the configured capacity if the recorder could not read it', async () => {
    const capacity = 200 << 20;
    const forecastOf = async (known: number | null): Promise<RunReport['forecast']> => {
      const digests = await recorded('aux_loss', (i) => ({
        step: (i + 1) * 100,
        devices: [{ device: 0, capacityBytes: known, outsideBytes: 0 }],
      }));
      const workspace = { files: ['train.py', 'model.py'], rules: [], capacityBytes: capacity };
      return buildReport(digests, workspace).report.runs[0].forecast;
    };
    assert.equal((await forecastOf(null))?.capacityBytes, capacity);
    assert.deepEqual(await forecastOf(null), await forecastOf(capacity));
    assert.equal((await forecastOf(capacity * 2))?.capacityBytes, capacity * 2);
  });

  it('names the holder of a leaking line’s memory, and nothing of an innocent one', async () => {
    const owner = {
      kind: 'local',
      name: "history['aux']",
      place: { file: '/home/ml/aux_loss/train.py', line: 26 },
      bytes: 9,
      ...BLANK_OWNER,
    };
    const sites = [10, 19, 24].map((line) => ({ file: '/home/ml/aux_loss/train.py', line, bytes: 3 }));
    const digests = await recorded('aux_loss', (i) => ({ owners: i === 3 ? [{ ...owner, allocatedAt: sites }] : [] }));
    const { lines } = run(digests, ['train.py', 'model.py']);
    const holderOf = (at: number): unknown => lines.find((one) => one.file === 'train.py' && one.line === at)?.holder;
    const name = "history['aux']";
    const holder = { source: 'recorder', file: 'train.py', line: 26, name, text: name, fix: null, edit: null };
    assert.deepEqual(holderOf(19), holder);
    assert.deepEqual(holderOf(10), holder);
    assert.equal(holderOf(24), null);
  });

  it('is cycle if the recorder saw one, or if the freeing line calls the collector', async () => {
    const verdicts = (report: RunReport): string[] =>
      report.lines.filter((l) => l.series.some(Boolean)).map((l) => l.verdict);
    const plain = await recorded('node_cycle', (_, snapshot) => pairSteps(snapshot));
    assert.deepEqual(verdicts(run(plain, ['leak.py'])), ['periodic', 'periodic']);
    assert.deepEqual(verdicts(run(plain, ['leak.py'], { 'leak.py:25': '            gc.collect()' })), [
      'cycle',
      'cycle',
    ]);
    const sites = [14, 15].map((line) => ({ file: '/home/ml/node_cycle/leak.py', line, bytes: 3 }));
    const owner = {
      kind: 'cycle',
      name: 'cycle Node.link',
      place: { file: '/home/ml/node_cycle/leak.py', line: 16 },
      bytes: 9,
      ...BLANK_OWNER,
    };
    const seen = await recorded('node_cycle', (_, snapshot) => ({
      ...pairSteps(snapshot),
      owners: [{ ...owner, allocatedAt: sites }],
    }));
    assert.deepEqual(verdicts(run(seen, ['leak.py'])), ['cycle', 'cycle']);
  });
});
