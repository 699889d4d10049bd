import assert from 'node:assert/strict';
import { byteAxisTop, byteTicks, eventTicks, timeTicks } from '../../../webview/chart/ticks.js';

const MiB = 1024 * 1024;

function stepsOf(ticks: readonly number[]): number[] {
  return ticks.slice(1).map((tick, index) => tick - ticks[index]);
}

describe('ticks', () => {
  it('step bytes in powers of two, inside the axis, few enough to read', () => {
    for (const highest of [1, 999, 4096, 3 * MiB, 700 * MiB, 13_000 * MiB, 2 ** 50]) {
      const top = byteAxisTop(highest, 6);
      assert.ok(top >= highest);
      const ticks = byteTicks(0, top, 6);
      const [step] = stepsOf(ticks);
      assert.ok(Number.isInteger(Math.log2(step)), `step ${step}`);
      assert.ok(stepsOf(ticks).every((each) => each === step));
      assert.ok(ticks.length >= 2 && ticks.length <= 8, `${ticks.length} ticks for ${highest}`);
    }
  });

  it('start a byte axis that does not start at zero on a multiple', () => {
    assert.deepEqual(byteTicks(100 * MiB, 200 * MiB, 5), [128 * MiB, 160 * MiB, 192 * MiB]);
  });

  it('step times in units of clocks', () => {
    assert.deepEqual(timeTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
    assert.deepEqual(timeTicks(0, 1e6, 5), [0, 2e5, 4e5, 6e5, 8e5, 1e6]);
    assert.deepEqual(timeTicks(0, 60e6, 4), [0, 15e6, 30e6, 45e6, 60e6]);
    assert.deepEqual(timeTicks(0, 3600e6, 4), [0, 900e6, 1800e6, 2700e6, 3600e6]);
    assert.deepEqual(stepsOf(timeTicks(0, 100 * 24 * 3600e6, 5)), [
      20 * 24 * 3600e6,
      20 * 24 * 3600e6,
      20 * 24 * 3600e6,
      20 * 24 * 3600e6,
      20 * 24 * 3600e6,
    ]);
  });

  it('are whole numbers for events however close one looks', () => {
    assert.deepEqual(eventTicks(41.5, 43.5, 10), [42, 43]);
    assert.deepEqual(eventTicks(0, 1_000_000, 5), [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]);
  });

  it('of an axis without width are one', () => {
    assert.deepEqual(timeTicks(5, 5, 5), [5]);
    assert.deepEqual(eventTicks(5, 5, 5), [5]);
    assert.deepEqual(byteTicks(5, 5, 5), [5]);
  });
});
