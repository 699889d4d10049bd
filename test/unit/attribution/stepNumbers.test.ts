import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { runCurve } from '../../../src/core/runs/runCurve.js';
import { runSteps } from '../../../src/core/runs/runSteps.js';
import { groupRuns } from '../../../src/core/runs/runs.js';
import { doneBefore, stepsBegun } from '../../../src/core/attribution/steps/stepNumbers.js';
import { findSteps } from '../../../src/core/attribution/steps/steps.js';
import { historyWindow } from '../../../src/core/timeline/timelineWindow.js';
import type { Recording } from '../../../src/core/model/recording.js';
import type { Snapshot } from '../../../src/core/model/snapshot.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { ringed } from '../../support/ringed.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const PROGRAMS = ['running_total', 'search_tree', 'bounded_replay', 'validation_losses'];

interface Recorded {
  path: string;
  snapshot: Snapshot;
  recording: Recording;
}

async function recorded(program: string): Promise<Recorded[]> {
  const paths = picklesUnder(join(FIXTURES, 'planted/recordings', program));
  return Promise.all(
    paths.map(async (path) => {
      const recording = await readRecording(path);
      assert.ok(recording !== null);
      return { path, snapshot: await readFile(path), recording };
    }),
  );
}

/** The labels and events of the chart's steps. @param known in place of the recorder's facts */
function stepsOfChart(
  { snapshot, recording }: Recorded,
  known: { recording: Recording | null; done?: number | null } = { recording },
): { label: string; timeUs: number; fromEnd?: true }[] {
  const history = deviceHistory(snapshot, 0);
  const steps = findSteps(snapshot, known.recording);
  const request = { axis: 'time', window: null, pixels: 1e6 } as const;
  return historyWindow(snapshot, history, request, { steps, ...known })
    .marks.filter(({ kind }) => kind === 'step')
    .map(({ x, label, fromEnd }) => ({
      label,
      timeUs: x + (history.startUs ?? 0),
      ...(fromEnd === true && { fromEnd }),
    }));
}

/** The step that goes on at an instant, by looking at every end. */
function goingOn({ step, stepEndsUs }: Recording, timeUs: number): number {
  return (step ?? 0) - stepEndsUs.filter((end) => end > timeUs).length + 1;
}

describe('Table of steps', () => {
  it('are the recorder’s in the chart, also of a ring that lost the first ones', async () => {
    for (const program of PROGRAMS) {
      for (const dump of await recorded(program)) {
        const { count } = dump.snapshot.traces[0];
        const whole = stepsOfChart(dump);
        const ring = stepsOfChart({ ...dump, snapshot: ringed(dump.snapshot, Math.ceil(count * 0.6)) });
        for (const { label, timeUs } of [...whole, ...ring]) {
          assert.equal(label, String(goingOn(dump.recording, timeUs)), `${dump.path} at ${timeUs}`);
        }
        assert.ok(whole.length < 4 || whole[0].label === '1', dump.path);
        assert.ok(ring.length === 0 || Number(ring[0].label) > 1, dump.path);
      }
    }
  });

  it('without a recorder come from the file name in an overflowed ring, or are counted back without one', async () => {
    let rings = 0;
    for (const program of PROGRAMS) {
      for (const dump of await recorded(program)) {
        const { count } = dump.snapshot.traces[0];
        const warning = { code: 'ringOverflow', message: '', device: 0 } as const;
        const snapshot = { ...ringed(dump.snapshot, Math.ceil(count * 0.6)), warnings: [warning] };
        const ring = { ...dump, snapshot };
        const back = stepsOfChart(ring, { recording: null });
        if (back.length === 0) continue;
        rings++;
        const expected = (last: number): string[] => back.map((_, i) => `~${last - (back.length - 1 - i)}`);
        assert.deepEqual(
          back.map(({ label }) => label),
          expected(-1).map((label) => label.replace('-', '\u2212')),
        );
        assert.ok(back.every(({ fromEnd }) => fromEnd === true));
        const named = stepsOfChart(ring, { recording: null, done: 1000 });
        assert.deepEqual(
          named.map(({ label, fromEnd }) => ({ label, fromEnd })),
          expected(1000).map((label) => ({ label, fromEnd: undefined })),
        );
        const tooFew = stepsOfChart(ring, { recording: null, done: back.length - 1 });
        assert.deepEqual(tooFew, back, 'a number that counts something else');
        const complete = stepsOfChart(
          { ...ring, snapshot: { ...snapshot, warnings: [] } },
          { recording: null, done: 1000 },
        );
        assert.equal(complete[0].label, '~1');
      }
    }
    assert.ok(rings >= 4, `${rings} rings show steps`);
  });

  it('are the same over the whole run, also where a snapshot was taken in the middle of a step', async () => {
    const dumps = await recorded('running_total');
    // As if each had been taken before its last step was over.
    const early = dumps.map(({ recording, ...dump }) => {
      const ends = recording.stepEndsUs.slice(0, -1);
      return { ...dump, recording: { ...recording, step: (recording.step ?? 0) - 1, stepEndsUs: ends } };
    });
    for (const shown of [dumps, early]) {
      const digests = shown.map(({ path, snapshot, recording }) => digestSnapshot(path, snapshot, recording));
      const [run] = groupRuns(digests);
      const curve = runCurve(run, 0, 1e6);
      const steps = runSteps(curve, { run, device: 0 }, 1e6);
      const last = shown[shown.length - 1];
      assert.deepEqual(
        steps.map(({ x, number }) => ({ number, timeUs: x + (curve.startUs ?? 0) })),
        stepsOfChart(last).map(({ label, timeUs }) => ({ number: Number(label), timeUs })),
      );
    }
  });

  it('are unknown before the recorder’s oldest step, and for another count', () => {
    const recording = { step: 9, stepEndsUs: [700, 800, 900] };
    assert.equal(stepsBegun(recording, 699), null);
    assert.deepEqual(
      [700, 799, 800, 900, 901].map((timeUs) => stepsBegun(recording, timeUs)),
      [8, 8, 9, 10, 10],
    );
    assert.deepEqual(
      doneBefore([500, 600, 700, 800], recording),
      [5, 6, 7, 8],
      'backwards from the oldest that is known',
    );
    assert.equal(doneBefore([710, 720, 800], recording), null, 'twice in a step');
    assert.equal(doneBefore([10, 20, 30, 40, 50, 60, 70, 80, 90, 700], recording), null, 'more than there were');
    assert.equal(doneBefore([500, 600], null), null);
  });
});
