import assert from 'node:assert/strict';
import { decide } from '../../../src/core/verdict/decide.js';
import type { Chance, LineFeatures } from '../../../src/core/verdict/features.js';
import { CHANCE_RULES } from '../../../src/core/verdict/rules.js';

const LASTING: LineFeatures = {
  shape: 'lasting',
  isInCycle: false,
  survivors: 40,
  births: { steps: 40, of: 40 },
  category: 'activations',
  isStateOfParameters: false,
  isHeldBySource: true,
  isHolderSure: true,
  bound: null,
  chances: [],
  knowledge: 'known',
  wasProved: false,
  lastStep: 40,
};

const chance = (state: Chance['state']): Chance => ({
  kind: 'release',
  state,
  place: { file: 'train.py', line: 88 },
  times: 1,
});

const bound = (isFull: boolean): LineFeatures['bound'] => ({
  name: 'rows',
  place: { file: 'train.py', line: 9 },
  limit: { kind: 'loop' },
  isFull,
  full: null,
});

/** By rule: what makes it decide, and the verdict. */
const CASES: Record<string, [Partial<LineFeatures>, string]> = {
  provedBefore: [{ wasProved: true, chances: [chance('pending')] }, 'leak'],
  stateOfParameters: [{ isStateOfParameters: true }, 'growing'],
  full: [{ bound: bound(true) }, 'plateau'],
  bounded: [{ bound: bound(false), chances: [chance('passed')] }, 'growing'],
  longerInputs: [{ survivors: 1, isHolderSure: false }, 'growing'],
  network: [{ category: 'parameters', isHeldBySource: false, births: { steps: 5, of: 40 } }, 'growing'],
  pending: [{ chances: [chance('passed'), chance('pending')] }, 'growing'],
  passed: [{ chances: [chance('passed')] }, 'leak'],
  endless: [{}, 'leak'],
  noHolder: [{ knowledge: 'noHolder', chances: [chance('passed')] }, 'growing'],
  nothingKnown: [{ knowledge: 'nothing' }, 'growing'],
};

describe('The verdict on growth that lasts', () => {
  for (const { name } of CHANCE_RULES) {
    it(`is given by the rule ${name}`, () => {
      const [features, verdict] = CASES[name];
      assert.deepEqual(decide({ ...LASTING, ...features }), { verdict, rule: name });
    });
  }

  it('is that of any other shape itself, and a cycle where one was seen', () => {
    assert.deepEqual(decide({ ...LASTING, shape: 'periodic' }), { verdict: 'periodic', rule: null });
    assert.deepEqual(decide({ ...LASTING, shape: 'periodic', isInCycle: true }), { verdict: 'cycle', rule: null });
  });
});
