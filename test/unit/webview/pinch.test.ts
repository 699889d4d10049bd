import assert from 'node:assert/strict';
import { Pinch } from '../../../webview/chart/gestures.js';

describe('two fingers on the plot', () => {
  it('zoom by how far they spread, around their middle', () => {
    const pinch = new Pinch();
    assert.equal(pinch.down(1, 100), false);
    assert.equal(pinch.move(1, 110), null);
    assert.equal(pinch.down(2, 210), true);
    assert.deepEqual(pinch.move(2, 310), { centre: 210, factor: 0.5, moved: 50 });
    assert.deepEqual(pinch.move(1, 210), { centre: 260, factor: 2, moved: 50 });
  });

  it('move without zooming where both go the same way', () => {
    const pinch = new Pinch();
    pinch.down(1, 100);
    pinch.down(2, 200);
    const first = pinch.move(1, 120);
    const second = pinch.move(2, 220);
    assert.ok(first !== null && second !== null);
    assert.ok(Math.abs(first.factor * second.factor - 1) < 1e-12);
    assert.equal(first.moved + second.moved, 20);
  });

  it('never zoom without end, and mean nothing once one is lifted', () => {
    const pinch = new Pinch();
    pinch.down(1, 100);
    pinch.down(2, 100);
    assert.equal(pinch.move(2, 101)?.factor, 1);
    pinch.up(1);
    assert.equal(pinch.move(2, 300), null);
  });
});
