import assert from 'node:assert/strict';
import { lastAtOrBelow, pickPoint, prominentPeaks } from '../../../webview/model/points.js';

function points(live: number[], x = live.map((_, index) => index * 10)) {
  return { x, live };
}

describe('points of the curve', () => {
  it('are found by binary search as by looking at each', () => {
    const ascending = Float64Array.of(1, 3, 3, 8, 20);
    for (let value = 0; value <= 21; value++) {
      let expected = -1;
      ascending.forEach((each, index) => {
        if (each <= value) expected = index;
      });
      assert.equal(lastAtOrBelow(ascending, value), expected, `for ${value}`);
    }
    assert.equal(lastAtOrBelow([], 1), -1);
  });

  it('a click near a spike of one event means the spike', () => {
    const curve = points([5, 5, 90, 5, 5], [0, 100, 200, 201, 400]);
    assert.equal(pickPoint(curve, 197, 203), 2);
    assert.equal(pickPoint(curve, 199, 205), 2);
    assert.equal(pickPoint(curve, 202, 208), 3);
  });

  it('a click on a plateau means the event that began it', () => {
    const curve = points([5, 90, 5], [0, 100, 400]);
    assert.equal(pickPoint(curve, 300, 306), 1);
    assert.equal(pickPoint(curve, 398, 404), 1);
    assert.equal(pickPoint(curve, 500, 506), 2);
  });

  it('of equal heights the nearest is meant', () => {
    const curve = points([5, 9, 5, 9, 5], [0, 10, 11, 14, 15]);
    assert.equal(pickPoint(curve, 8, 20), 3);
  });

  it('a click before the first point, or on nothing', () => {
    assert.equal(pickPoint(points([1, 2], [10, 20]), 0, 4), 0);
    assert.equal(pickPoint(points([]), 0, 4), -1);
  });
});

describe('prominent peaks', () => {
  it('come in order of x, the small ones left out first', () => {
    const curve = points([0, 10, 8, 9, 2, 30, 1, 4, 0]);
    assert.deepEqual(prominentPeaks(curve, 10), [1, 3, 5, 7]);
    assert.deepEqual(prominentPeaks(curve, 2), [1, 5]);
    assert.deepEqual(prominentPeaks(curve, 1), [5]);
  });

  it('of a plateau is its first point, of two equal peaks each is one', () => {
    assert.deepEqual(prominentPeaks(points([0, 5, 5, 5, 0]), 10), [1]);
    assert.deepEqual(prominentPeaks(points([0, 5, 1, 5, 0]), 10), [1, 3]);
  });

  it('agree with the definition on random curves', () => {
    let seed = 1;
    const random = (): number => (seed = (seed * 16807) % 2147483647) % 12;
    for (let round = 0; round < 200; round++) {
      const live = Array.from({ length: 1 + (round % 30) }, random);
      const prominence = live.map((height, index) => {
        let left = height;
        for (let other = index - 1; other >= 0 && live[other] < height; other--) left = Math.min(left, live[other]);
        let right = height;
        for (let other = index + 1; other < live.length && live[other] <= height; other++)
          right = Math.min(right, live[other]);
        return height - Math.max(left, right);
      });
      const expected = live.map((_, index) => index).filter((index) => prominence[index] > 0);
      assert.deepEqual(prominentPeaks(points(live), live.length), expected, live.join(' '));
    }
  });
});
