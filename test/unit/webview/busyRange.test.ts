import assert from 'node:assert/strict';
import { busyRange } from '../../../webview/model/busyRange.js';

/** A curve of 1,000 time units. @param steps where memory changes, and to what */
function curve(...steps: readonly [x: number, live: number][]): Parameters<typeof busyRange>[0] {
  const at = steps.map(([x]) => x);
  const live = steps.map(([, bytes]) => bytes);
  return { axis: 'time', extent: { from: 0, to: 1000 }, x: Float64Array.from(at), live: Float64Array.from(live) };
}

describe('The range that a timeline begins with', () => {
  it('is the stretch in which memory is in use, if the whole would be a few pixels of it', () => {
    assert.deepEqual(busyRange(curve([0, 5], [980, 900], [985, 1000], [990, 9])), { from: 979, to: 991 });
    assert.deepEqual(busyRange(curve([0, 0], [990, 100], [1000, 100])), { from: 989, to: 1001 });
  });

  it('is the whole where memory is in use for longer, or again', () => {
    assert.equal(busyRange(curve([0, 0], [960, 100])), null);
    assert.equal(busyRange(curve([0, 0], [100, 100], [101, 0], [990, 100])), null);
  });

  it('is the whole for a spike over steady memory, along events, and without memory', () => {
    assert.equal(busyRange(curve([0, 20], [980, 1000], [981, 20])), null);
    assert.equal(busyRange({ ...curve([0, 0], [990, 100]), axis: 'events' }), null);
    assert.equal(busyRange(curve([0, 0], [990, 0])), null);
  });
});
