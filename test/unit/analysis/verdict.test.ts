import assert from 'node:assert/strict';
import { theilSenRate } from '../../../src/core/analysis/rate.js';
import { judgeSeries } from '../../../src/core/analysis/verdict.js';

const verdict = (...series: number[]): string => judgeSeries(series).verdict;

describe('The verdict on a series', () => {
  it('is growth without accusation on two snapshots', () => {
    assert.equal(verdict(0, 900), 'tooShort');
  });

  it('is a leak where growth goes on', () => {
    assert.equal(verdict(1, 2, 3), 'leak');
    assert.equal(verdict(0, 10, 20, 30, 40, 50), 'leak');
    assert.equal(verdict(0, 10, 20, 20, 30, 40), 'leak');
    assert.ok(judgeSeries([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).confidence > judgeSeries([0, 1, 2]).confidence);
  });

  it('accuses no constant, no jump, no warm-up, no full buffer', () => {
    assert.equal(verdict(7, 7, 7, 7), 'steady');
    assert.equal(verdict(0, 0, 9, 9, 9, 9), 'oneOff');
    assert.equal(verdict(0, 9, 9, 9, 9), 'oneOff');
    assert.equal(verdict(0, 3, 6, 9, 9, 9, 9), 'plateau');
    assert.equal(verdict(0, 0, 0, 0, 9), 'filling');
  });

  it('accuses nothing that is given back', () => {
    assert.equal(verdict(1, 2, 3, 0, 1, 2, 3, 0, 1), 'periodic');
    assert.equal(verdict(5, 3, 6, 2, 7, 1), 'periodic');
    assert.equal(verdict(0, 4, 8, 2, 2, 2), 'plateau');
  });
});

describe('The rate', () => {
  it('is the median slope, which one jump does not move', () => {
    assert.equal(theilSenRate([0, 10, 20, 30], [0, 50, 100, 150]), 5);
    assert.equal(theilSenRate([0, 1, 2, 3, 4, 5, 6], [0, 1005, 1010, 1015, 1020, 1025, 1030]), 5);
    assert.equal(theilSenRate([3], [9]), null);
  });
});
