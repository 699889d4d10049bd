import assert from 'node:assert/strict';
import type { Recording } from '../../../src/core/model/recording.js';
import { findSteps, type Steps } from '../../../src/core/attribution/steps/steps.js';
import { readBytes } from '../../support/snapshots.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { BLANK_RECORDING } from '../../support/blankRecording.js';

const frame = (line: number): { filename: string; line: number; name: string }[] => [
  { filename: '/home/ml/job/train.py', line, name: 'main' },
];

const call = { filename: '/usr/lib/python3/dist-packages/torch/nn/modules/module.py', line: 1511, name: '_call_impl' };
const forward = (line: number): { filename: string; line: number; name: string } => ({
  filename: '/home/ml/job/model.py',
  line,
  name: 'forward',
});
const backward = [
  { filename: '/usr/lib/python3/dist-packages/torch/_tensor.py', line: 522, name: 'backward' },
  ...frame(30),
];

/** A pass through an embedding, layers of two lines each and a head. */
function pass(run: TrainingRun, layers: number, at = 20): number[] {
  const inner = [call, forward(12), call, ...frame(at)];
  return [
    run.allocate(1000, [call, forward(10), call, ...frame(at)]),
    ...Array.from({ length: layers }, () => [
      run.allocate(1000, [forward(40), ...inner]),
      run.allocate(1000, [forward(41), ...inner]),
    ]).flat(),
    run.allocate(1000, [call, forward(14), call, ...frame(at)]),
  ];
}

/** A pass whose results are released by the line that called the model. */
function evaluate(run: TrainingRun, layers: number, at = 20): void {
  for (const address of pass(run, layers, at)) run.free(address, frame(at));
}

async function found(run: TrainingRun): Promise<unknown> {
  const steps = findSteps(await readBytes(run.dump()));
  return steps === null ? null : [steps.source, steps.starts.length];
}

describe('Steps from the loop that the stacks show', () => {
  const optimizer = [
    { filename: '/usr/lib/python3/dist-packages/torch/optim/adam.py', line: 200, name: 'step' },
    ...frame(31),
  ];
  const train = (run: TrainingRun, steps: number, evaluateEvery = Infinity, optimizes = false): void => {
    for (let step = 1; step <= steps; step++) {
      const batch = run.allocate(500, frame(19));
      const kept = pass(run, 12);
      const gradient = run.allocate(1000, backward);
      for (const address of kept) run.free(address, []);
      if (optimizes) run.free(run.allocate(1000, optimizer), optimizer);
      run.free(gradient, frame(31));
      run.free(batch, frame(31));
      if (step % evaluateEvery === 0) for (let i = 0; i < 8; i++) evaluate(run, 12, 40);
    }
  };

  it('are turns with a backward pass, not the layers of the model', async () => {
    const run = new TrainingRun();
    train(run, 9);
    assert.deepEqual(await found(run), ['period', 9]);
  });

  it('are sure where fifteen turns or more have an optimizer in them', async () => {
    const isSure = async (steps: number, optimizes: boolean): Promise<boolean | undefined> => {
      const run = new TrainingRun();
      train(run, steps, Infinity, optimizes);
      return findSteps(await readBytes(run.dump()))?.isSure;
    };
    assert.equal(await isSure(15, true), true);
    assert.equal(await isSure(14, true), false);
    assert.equal(await isSure(15, false), false);
  });

  it('are passes that follow an optimizer or a backward pass, where a library runs the loop', async () => {
    const fit = { filename: '/usr/lib/python3/dist-packages/transformers/trainer.py', line: 2000, name: 'train' };
    const checkpoint = { filename: '/usr/lib/python3/dist-packages/torch/utils/checkpoint.py', line: 90, name: 'run' };
    const outer = [fit, ...frame(50)];
    /** Autograd's own thread, in which a library's Function runs a part of the pass again. */
    const thread = [
      { filename: '/usr/lib/python3/dist-packages/torch/autograd/function.py', line: 307, name: 'apply' },
    ];
    const foundIn = async (steps: number, optimizes: boolean): Promise<unknown> => {
      const run = new TrainingRun();
      for (let step = 0; step < steps; step++) {
        for (let micro = 0; micro < 2; micro++) {
          const kept = [12, 14].map((line) => run.allocate(1000, [call, forward(line), call, ...outer]));
          const gradient = run.allocate(1000, [backward[0], ...outer]);
          const again = [[checkpoint, backward[0], ...outer], thread].map((around) =>
            run.allocate(1000, [call, forward(12), ...around]),
          );
          for (const address of [...again, ...kept, run.allocate(1000, [backward[0], ...outer]), gradient])
            run.free(address, [backward[0], ...outer]);
        }
        if (optimizes) run.free(run.allocate(1000, [optimizer[0], ...outer]), [optimizer[0], ...outer]);
      }
      const found = findSteps(await readBytes(run.dump()));
      return found === null ? null : [found.source, found.starts.length, found.isSure];
    };
    assert.deepEqual(await foundIn(20, true), ['period', 20, true]);
    assert.deepEqual(await foundIn(20, false), ['period', 40, false], 'passes of which some may add up gradients');
    assert.deepEqual(await foundIn(32, false), ['period', 64, true]);
    assert.equal(await foundIn(1, true), null);
  });

  it('are not those of an evaluation that comes occasionally', async () => {
    const run = new TrainingRun();
    train(run, 12, 3);
    assert.deepEqual(await found(run), ['period', 12]);
  });

  it('are none in fewer than three turns', async () => {
    const run = new TrainingRun();
    train(run, 2);
    assert.equal(await found(run), null);
  });

  it('are none in one pass, however many layers it has', async () => {
    const run = new TrainingRun();
    pass(run, 48);
    assert.equal(await found(run), null);
  });

  it('are passes in a program without training, each of which frees its memory', async () => {
    const run = new TrainingRun();
    for (let i = 0; i < 5; i++) evaluate(run, 12);
    assert.deepEqual(await found(run), ['period', 5]);
  });

  it('are none inside one forward, as the iterations of a cellular automaton', async () => {
    const iterate = (run: TrainingRun, times: number): void => {
      let state = run.allocate(1000, [call, forward(10), call, ...frame(20)]);
      for (let i = 0; i < times; i++) {
        const change = run.allocate(1000, [forward(40), call, forward(10), call, ...frame(20)]);
        const next = run.allocate(1000, [forward(12), call, ...frame(20)]);
        for (const address of [change, state]) run.free(address, [forward(12), call, ...frame(20)]);
        state = next;
      }
      run.free(state, frame(20));
    };
    const whole = new TrainingRun();
    iterate(whole, 20);
    assert.equal(await found(whole), null);
    // A loop of the program that ends long before the recording is not what the recording is of.
    const early = new TrainingRun();
    for (let i = 0; i < 4; i++) evaluate(early, 3);
    for (let i = 0; i < 200; i++) early.free(early.allocate(1000, frame(50 + i)), frame(50 + i));
    assert.equal(await found(early), null);
  });

  it('are none where each pass is longer, as with tokens', async () => {
    const run = new TrainingRun();
    for (let i = 0; i < 5; i++) evaluate(run, 12 + i);
    assert.equal(await found(run), null);
  });
});

describe('Steps of a recorded program', () => {
  const recording = (stepEndsUs: number[]): Recording => ({
    ...BLANK_RECORDING,
    step: stepEndsUs.length,
    stepEndsUs,
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
