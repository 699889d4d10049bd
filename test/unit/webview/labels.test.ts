import assert from 'node:assert/strict';
import { placeLabels } from '../../../webview/chart/marks.js';

describe('labels along the axis', () => {
  it('are centered if they fit, and inside at the ends', () => {
    const wishes = [
      { center: 2, width: 20, rank: 0 },
      { center: 50, width: 20, rank: 0 },
      { center: 99, width: 20, rank: 0 },
    ];
    assert.deepEqual(placeLabels(wishes, 0, 100, 4), [0, 40, 80]);
  });

  it('make room for the more important, then for the earlier', () => {
    const wishes = [
      { center: 50, width: 20, rank: 0 },
      { center: 55, width: 20, rank: 2 },
      { center: 75, width: 20, rank: 0 },
      { center: 80, width: 20, rank: 0 },
    ];
    assert.deepEqual(placeLabels(wishes, 0, 100, 4), [null, 45, null, 70]);
  });

  it('are left out where they cannot fit at all', () => {
    assert.deepEqual(placeLabels([{ center: 5, width: 20, rank: 0 }], 0, 10, 4), [null]);
  });
});
