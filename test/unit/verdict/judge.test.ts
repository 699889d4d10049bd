import assert from 'node:assert/strict';
import type { Chance } from '../../../src/core/facts/evidence.js';
import type { Custody } from '../../../src/core/verdict/custody.js';
import type { LineFeatures } from '../../../src/core/verdict/features.js';
import { judge } from '../../../src/core/verdict/judge.js';
import { LINE_RULES } from '../../../src/core/verdict/rules/lines.js';

const LASTING: LineFeatures = {
  shape: 'lasting',
  isInCycle: false,
  isAccumulating: false,
  isMinorGarbage: false,
  custody: null,
  isUnheld: false,
  isMinorGrowth: false,
  isAddedSeldom: false,
  isThroughGraph: false,
  survivors: 40,
  isEmptied: false,
  births: { steps: 40, of: 40 },
  category: 'activations',
  isStateOfParameters: false,
  isHeldBySource: true,
  isHolderSure: true,
  bound: null,
  chances: [],
  knowledge: 'known',
  through: null,
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

const RETAINED: Custody = {
  ...{ isRetained: true, by: 'chances', searches: 4, steps: 30, heldBytes: 9, missed: null },
  ...{ loops: [], also: [], roundOf: null, isOutsideNetworks: true },
};

/** By rule: what makes it decide, and the verdict. */
const CASES: Record<string, [Partial<LineFeatures>, string]> = {
  collectorFreesIt: [{ shape: 'periodic', isInCycle: true }, 'cycle'],
  minorGarbage: [{ shape: 'cycle', isInCycle: true, isMinorGarbage: true }, 'periodic'],
  garbageWaits: [{ shape: 'plateau', isAccumulating: true }, 'cycle'],
  minorGrowth: [{ shape: 'growing', isMinorGrowth: true }, 'steady'],
  notLasting: [{ shape: 'plateau', knowledge: 'nothing' }, 'plateau'],
  provedBefore: [{ wasProved: true, chances: [chance('pending')] }, 'leak'],
  stateOfParameters: [{ isStateOfParameters: true }, 'growing'],
  full: [{ bound: bound(true) }, 'plateau'],
  bounded: [{ bound: bound(false), chances: [chance('passed')] }, 'growing'],
  longerInputs: [{ survivors: 1, isHolderSure: false }, 'growing'],
  network: [{ category: 'parameters', isHeldBySource: false, births: { steps: 5, of: 40 } }, 'growing'],
  addedSeldom: [{ isAddedSeldom: true, custody: RETAINED, knowledge: 'noHolder' }, 'growing'],
  retained: [{ knowledge: 'nothing', custody: RETAINED, chances: [chance('pending')] }, 'leak'],
  pending: [{ chances: [chance('passed'), chance('pending')] }, 'growing'],
  passed: [{ chances: [chance('passed')] }, 'leak'],
  endless: [{}, 'leak'],
  garbageGrows: [{ isAccumulating: true, knowledge: 'nothing' }, 'cycle'],
  noHolder: [{ knowledge: 'noHolder', chances: [chance('passed')] }, 'growing'],
  nothingKnown: [{ knowledge: 'nothing' }, 'growing'],
};

describe('The verdict on a line', () => {
  for (const { name } of LINE_RULES) {
    it(`is given by the rule ${name}`, () => {
      const [features, expected] = CASES[name];
      const { verdict, rule } = judge({ ...LASTING, ...features }, false, null);
      assert.deepEqual({ verdict, rule }, { verdict: expected, rule: name });
    });
  }

  it('is a leak of what few steps add to where recorder and source show that nothing uses it, or a graph holds it', () => {
    const seldom: LineFeatures = { ...LASTING, isAddedSeldom: true };
    assert.equal(judge({ ...seldom, custody: RETAINED }, false, null).rule, 'retained');
    assert.equal(judge({ ...seldom, isThroughGraph: true }, false, null).verdict, 'leak');
    for (const kind of ['use', 'read'] as const) {
      const chances = [{ ...chance('pending'), kind }];
      const { rule, isInUse } = judge({ ...seldom, custody: RETAINED, chances }, false, null);
      assert.deepEqual([rule, isInUse], ['pending', kind === 'use']);
    }
  });

  it('is growth for the gradients of layers that are added seldom, as for their weights', () => {
    const custody: Custody = { ...RETAINED, isOutsideNetworks: false };
    const features: LineFeatures = { ...LASTING, ...CASES['network'][0], custody, category: 'gradients' };
    assert.equal(judge(features, false, null).rule, 'network');
    assert.equal(judge({ ...features, births: { steps: 40, of: 40 } }, false, null).verdict, 'leak');
  });

  it('depends on the uses of weights that stay in a list outside of networks, if the source shows them', () => {
    const features: LineFeatures = { ...LASTING, ...CASES['network'][0], custody: RETAINED };
    assert.equal(judge(features, false, null).rule, 'retained');
    const inUse = judge(
      { ...features, isAddedSeldom: true, chances: [{ ...chance('pending'), kind: 'use' }] },
      false,
      null,
    );
    assert.deepEqual([inUse.rule, inUse.isNeeded], ['pending', true]);
    assert.equal(judge({ ...features, knowledge: 'noHolder' }, false, null).rule, 'network');
  });

  it('is growth for models that a list stores once per fold, and a leak for those of each trial', () => {
    const features: LineFeatures = { ...LASTING, category: 'parameters', isHeldBySource: true };
    assert.equal(judge({ ...features, births: { steps: 5, of: 100 } }, false, null).rule, 'network');
    assert.equal(judge({ ...features, births: { steps: 20, of: 100 } }, false, null).verdict, 'leak');
  });

  it('is a leak for networks in a list whose class has a release that nothing calls', () => {
    const release = { file: 'accelerator.py', line: 3943, function: 'Accelerator.free_memory', kind: 'method' };
    const missed = { ...release, where: 'uncalled', isConditional: false, value: null, runs: null, hasRun: false };
    const custody: Custody = { ...RETAINED, missed };
    for (const rule of ['network', 'stateOfParameters']) {
      const features: LineFeatures = { ...LASTING, ...CASES[rule][0], knowledge: 'noHolder' };
      assert.equal(judge({ ...features, custody }, false, null).verdict, 'leak', rule);
      assert.equal(judge({ ...features, custody: { ...custody, isOutsideNetworks: false } }, false, null).rule, rule);
      const ran = { ...missed, where: 'loop', hasRun: true };
      assert.equal(judge({ ...features, custody: { ...custody, missed: ran } }, false, null).rule, rule);
    }
  });

  it('is a leak for networks that a traceback holds, which is no place to store them on purpose', () => {
    for (const rule of ['network', 'stateOfParameters']) {
      const features: LineFeatures = { ...LASTING, ...CASES[rule][0], custody: RETAINED, knowledge: 'noHolder' };
      assert.equal(judge({ ...features, through: 'traceback' }, false, null).verdict, 'leak', rule);
      assert.equal(judge({ ...features, through: 'graph' }, false, null).rule, rule);
    }
  });

  it('says of growing memory that a graph or a traceback is most of it, where advice would say so of a leak', () => {
    const growing = { ...LASTING, knowledge: 'nothing' } as const;
    const told = (features: LineFeatures): string => judge(features, true, null).reason.join(' ');
    assert.match(
      told({ ...growing, through: 'graph' }),
      /held through the graph of what is stored, which \.detach\(\)/,
    );
    assert.match(told({ ...growing, through: 'traceback' }), /held through the traceback of an error/);
    assert.doesNotMatch(told({ ...LASTING, through: 'graph' }), /graph/);
  });

  it('says that C++ code holds what no Python object does', () => {
    for (const knowledge of ['nothing', 'noHolder'] as const) {
      const { reason } = judge({ ...LASTING, knowledge, isUnheld: true }, true, null);
      assert.match(reason.join(' '), /found no Python object that holds it/);
    }
  });

  it('stays growing if the recorder proves retention but the source shows a bound that is not reached', () => {
    const chances: Chance[] = [{ ...chance('pending'), kind: 'bound' }];
    const { verdict } = judge({ ...LASTING, custody: RETAINED, chances }, false, null);
    assert.equal(verdict, 'growing');
  });
});
