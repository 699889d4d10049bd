import assert from 'node:assert/strict';
import { MarkCount } from '../../../src/core/model/markCount.js';
import { seededRandom } from '../../support/seededRandom.js';

describe('MarkCount', () => {
  it('counts the marks up to each event, across words of 32', () => {
    const random = seededRandom(5);
    for (const events of [1, 31, 32, 33, 1000]) {
      const isMarked = Array.from({ length: events }, () => random(3) > 0);
      const marks = new MarkCount(events);
      isMarked.forEach((is, ordinal) => {
        if (is) marks.mark(ordinal);
      });
      marks.count();
      assert.equal(marks.upTo(-1), 0);
      let sum = 0;
      isMarked.forEach((is, ordinal) => {
        sum += Number(is);
        assert.equal(marks.upTo(ordinal), sum, `${ordinal} of ${events}`);
      });
    }
  });
});
