import assert from 'node:assert/strict';
import type { Category } from '../../../src/core/attribution/categories/category.js';
import { peakAdvice, type PeakAmount } from '../../../src/core/report/peak/peakAdvice.js';

type Held = Parameters<typeof peakAdvice>[0];

const GIB = 2 ** 30;

function amount(category: Category, bytes: number): PeakAmount {
  return { category, bytes, blocks: 9, keptForBackward: 0, fromEarlierSteps: 0, foreachBytes: 0 };
}

/** Eight GiB that ran out, of which most are equal activations. */
function ranOut(held: Partial<Held>): string[] {
  return peakAdvice({
    ...{ peakBytes: 8 * GIB, keptBytes: 0, amounts: [amount('activations', 6 * GIB)], phase: 'forward' },
    ...{
      forwardOnly: false,
      ranOut: true,
      ...{ isEvaluation: false, turnsOffGradients: false },
      repeatedActivations: 6 * GIB,
      activationsAt: null,
      outputBytes: 0,
    },
    older: {
      ...{ bytes: 0, evidence: null, parameterBytes: 0, stateBytes: 0, gradientBytes: 0, activationBytes: 0 },
      ...{ workspaceBytes: 0, freed: [], held: { bytes: 0, blocks: 0 }, equal: [], hasLayers: false },
    },
    ...held,
  });
}

describe('Advice on memory that ran out', () => {
  it('is to recompute activations, except those that objects keep', () => {
    assert.match(ranOut({})[0], /^Activations hold 6\.0 GiB for the backward pass.*checkpoint/);
    assert.deepEqual(ranOut({ keptBytes: 5.5 * GIB }), []);
  });

  it('is to take fewer samples where nothing shows that a backward pass follows, unless an object holds more', () => {
    const first = { repeatedActivations: 0, activationsAt: { file: 'train.py', line: 9, function: 'main' } };
    assert.deepEqual(ranOut(first), [
      'Activations hold 6.0 GiB: fewer samples at once need less. Most are from `train.py:9 (main)`.',
    ]);
    assert.deepEqual(ranOut({ ...first, keptBytes: 3.5 * GIB }), []);
  });

  it('is to turn autograd off in an evaluation', () => {
    assert.deepEqual(ranOut({ phase: 'evaluation' }), [
      'Activations hold 6.0 GiB in an evaluation, which needs none: run it under `torch.no_grad()`.',
    ]);
    assert.deepEqual(ranOut({ phase: 'evaluation', repeatedActivations: 0 }), []);
    const never = { phase: 'evaluation', repeatedActivations: 0, isEvaluation: true } as const;
    assert.match(ranOut(never)[0], /run it under `torch\.no_grad\(\)`/, 'the source never turns it off');
  });

  it('is not to turn autograd off where the source does, or to recompute without a backward pass', () => {
    assert.match(ranOut({ forwardOnly: true })[0], /^Activations hold 6\.0 GiB, and no backward pass follows/);
    assert.deepEqual(ranOut({ forwardOnly: true, turnsOffGradients: true }), []);
  });

  it('is to reduce the outputs of an evaluation that a Trainer joins', () => {
    assert.match(
      ranOut({ outputBytes: 5 * GIB, amounts: [amount('other', 6 * GIB)] })[0],
      /^The Trainer joins .* 5\.0 GiB: reduce them in `preprocess_logits_for_metrics`/,
    );
  });

  it('is about parameters where they are most', () => {
    assert.deepEqual(ranOut({ amounts: [amount('parameters', 4 * GIB)] }), [
      'Parameters hold 4.0 GiB: half of it in bfloat16, less per device if they are sharded or offloaded.',
    ]);
    assert.deepEqual(ranOut({ amounts: [amount('parameters', 3 * GIB)] }), []);
    assert.deepEqual(ranOut({ amounts: [amount('parameters', 4 * GIB)], ranOut: false }), []);
  });
});
