import assert from 'node:assert/strict';
import type { Recording } from '../../../src/core/model/recording.js';
import { findSteps, type Steps } from '../../../src/core/attribution/steps.js';
import { readBytes } from '../../support/snapshots.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { UNKNOWN_CHANCES } from '../../../src/core/model/recording.js';

const frame = (line: number): { filename: string; line: number; name: string }[] => [
  { filename: '/home/ml/job/train.py', line, name: 'main' },
];

/** Every step allocates on each of `lines` and frees it; every `every` steps also on `others`. */
async function stepsOf(steps: number, lines: number, every: number, others: number): Promise<number | undefined> {
  const run = new TrainingRun();
  for (let step = 1; step <= steps; step++) {
    const open = Array.from({ length: lines }, (_, i) => run.allocate(1000 + i, frame(10 + i)));
    for (const address of open) run.free(address);
    if (step % every !== 0) continue;
    for (let i = 0; i < others; i++) run.free(run.allocate(2000 + i, frame(100 + i)));
  }
  return findSteps(await readBytes(run.dump()))?.starts.length;
}

describe('Steps from a rhythm', () => {
  it('are those that most stacks share', async () => {
    assert.equal(await stepsOf(40, 6, 4, 1), 40);
  });

  it('are not those of an evaluation of as many lines that comes now and then', async () => {
    assert.equal(await stepsOf(60, 6, 5, 8), 60);
  });
});

describe('Steps of a recorded program', () => {
  const recording = (stepEndsUs: number[]): Recording => ({
    run: 'r',
    rank: null,
    isLight: false,
    step: stepEndsUs.length,
    stepEndsUs,
    collections: [],
    devices: [],
    owners: [],
    chances: UNKNOWN_CHANCES,
    sources: [],
    commit: null,
  });

  it('are those that the recorder counted, where an optimizer takes several calls for one', async () => {
    const run = new TrainingRun();
    const ends: number[] = [];
    for (let step = 1; step <= 10; step++) {
      for (let group = 0; group < 3; group++) {
        run.free(run.allocate(1000, frame(10)));
        const end = run.step('AdamW');
        if (group === 2) ends.push(end);
      }
    }
    const snapshot = await readBytes(run.dump());
    const seen = (steps: Steps | null): unknown => [steps?.source, steps?.starts.length];
    assert.deepEqual(seen(findSteps(snapshot, recording(ends))), ['recorder', 10]);
    assert.deepEqual(seen(findSteps(snapshot)), ['annotations', 29]);
    assert.deepEqual(seen(findSteps(snapshot, recording([]))), ['annotations', 29]);
  });
});
