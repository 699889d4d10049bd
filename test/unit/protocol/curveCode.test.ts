import assert from 'node:assert/strict';
import { packPoints, unpackPoints } from '../../../src/protocol/curveCode.js';
import type { TimelinePoints } from '../../../src/protocol/timelineData.js';
import { seededRandom } from '../../support/seededRandom.js';

/** Four points for each of 1,600 pixels, of a card of 80 GB. */
function widestCurve(): TimelinePoints {
  const below = seededRandom(5);
  const length = 6400;
  const rising = (max: number): number[] => {
    let at = 0;
    return Array.from({ length }, () => (at += 1 + below(max)));
  };
  return {
    x: Float64Array.from(rising(5000), (value, i) => (i === 0 ? 0.25 : value)),
    live: Float64Array.from({ length }, () => 512 * below(160_000_000)),
    reserved: Float64Array.from({ length }, () => 2 ** 21 * below(40_000)),
    event: Uint32Array.from(rising(600)),
  };
}

describe('the points of a curve', () => {
  it('arrive as they were sent, in less than half the bytes', () => {
    const points = widestCurve();
    const packed = packPoints(points);
    assert.deepEqual(unpackPoints(packed), points);
    assert.ok(packed.byteLength < 90_000, `${packed.byteLength} bytes`);
    assert.deepEqual(unpackPoints(packPoints({ ...points, reserved: null })), { ...points, reserved: null });
  });

  it('arrive exactly where they are not whole numbers, negative or huge', () => {
    const odd = [0.1, -3, 2 ** 53 - 1, -(2 ** 53) + 1, 1e300, Number.MIN_VALUE];
    const points = {
      x: Float64Array.from(odd),
      live: Float64Array.from(odd),
      reserved: Float64Array.of(-512, 1024, 0, 3, -(2 ** 40), 2 ** 40),
      event: Uint32Array.of(0, 4_294_967_295, 0, 1, 2, 3),
    };
    assert.deepEqual(unpackPoints(packPoints(points)), points);
    const none = { x: new Float64Array(), live: new Float64Array(), reserved: null, event: new Uint32Array() };
    assert.deepEqual(unpackPoints(packPoints(none)), none);
  });

  it('are refused where bytes are missing', () => {
    const packed = packPoints({
      x: Float64Array.of(0.5, 10, 20),
      live: Float64Array.of(512, 1024, 0.5),
      reserved: null,
      event: Uint32Array.of(1, 2, 900),
    });
    for (let length = 0; length < packed.length; length++) {
      assert.throws(() => unpackPoints(packed.subarray(0, length)), RangeError, `${length} bytes`);
    }
  });
});
