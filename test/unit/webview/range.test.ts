import assert from 'node:assert/strict';
import { drawableExtent, fitRange, panRange, revealInRange, zoomRange } from '../../../webview/model/range.js';

const extent = { from: 0, to: 1000 };

describe('the visible range', () => {
  it('zooms about a point that stays where it is on the screen', () => {
    const range = { from: 200, to: 600 };
    const zoomed = zoomRange(range, 300, 0.5);
    assert.deepEqual(zoomed, { from: 250, to: 450 });
    assert.equal((300 - zoomed.from) / (zoomed.to - zoomed.from), (300 - 200) / 400);
  });

  it('is null once it is the whole, so that it follows a growing history', () => {
    assert.equal(fitRange({ from: -5, to: 1001 }, extent, 10), null);
    assert.equal(fitRange({ from: 0, to: 1000 }, extent, 10), null);
  });

  it('is moved inside the history without changing its width', () => {
    assert.deepEqual(fitRange({ from: -50, to: 150 }, extent, 10), { from: 0, to: 200 });
    assert.deepEqual(fitRange({ from: 900, to: 1100 }, extent, 10), { from: 800, to: 1000 });
  });

  it('does not get narrower than the narrowest, and stays where it was', () => {
    assert.deepEqual(fitRange({ from: 499, to: 501 }, extent, 10), { from: 495, to: 505 });
    assert.deepEqual(fitRange({ from: 999, to: 1000 }, extent, 10), { from: 990, to: 1000 });
  });

  it('of a history narrower than the narrowest is the whole', () => {
    assert.equal(fitRange({ from: 1, to: 2 }, { from: 0, to: 5 }, 10), null);
  });

  it('pans by shares and reveals values outside', () => {
    assert.deepEqual(panRange({ from: 100, to: 200 }, 0.1), { from: 110, to: 210 });
    assert.deepEqual(revealInRange({ from: 100, to: 200 }, 150), { from: 100, to: 200 });
    assert.deepEqual(revealInRange({ from: 100, to: 200 }, 250), { from: 160, to: 260 });
    assert.deepEqual(revealInRange({ from: 100, to: 200 }, 50), { from: 40, to: 140 });
  });

  it('can be drawn even for a single instant', () => {
    assert.deepEqual(drawableExtent({ from: 7, to: 7 }), { from: 7, to: 8 });
    assert.equal(drawableExtent(extent), extent);
  });
});
