import assert from 'node:assert/strict';
import { forecastOf } from '../../../src/core/report/peak/deviceRoom.js';
import type { RunReport } from '../../../src/core/report/report.js';
import { seededRandom } from '../../support/seededRandom.js';

/** The live bytes of each device by snapshot; steps count from 0. */
function forecast(live: readonly (readonly number[])[], rooms: readonly number[]): RunReport['forecast'] {
  return forecastOf(
    live[0].map((_, step) => step),
    rooms.map((roomBytes, i) => ({ device: i, roomBytes, capacityBytes: 1_000_000 + i, usedBytes: live[i] })),
  );
}

const line = (rate: number, points = 8): number[] => Array.from({ length: points }, (_, step) => 5000 + rate * step);

describe('The forecast', () => {
  it('is that of the device that is full first, whichever comes first', () => {
    const soon = { stepsToOom: 20, low: 20, high: 20 };
    assert.deepEqual(forecast([line(10), line(50)], [1000, 1000]), { ...soon, capacityBytes: 1_000_001 });
    assert.deepEqual(forecast([line(50), line(10)], [1000, 1000]), { ...soon, capacityBytes: 1_000_000 });
  });

  it('is none where nothing grows for certain, or where no capacity is known', () => {
    assert.equal(forecast([line(0)], [1000]), null);
    assert.equal(forecast([[5000, 6000, 4000, 6500, 4500, 5000]], [1000]), null);
    assert.equal(forecast([line(10)], []), null);
  });

  it('has an interval that the truth leaves once in twenty noisy runs, to either side alike', () => {
    const random = seededRandom(4);
    const [rate, room, runs] = [100_000, 100_000_000, 3000];
    // Nearly normal: the sum of twelve.
    const noise = (): number => Array.from({ length: 12 }, () => random(50_000) - 25_000).reduce((a, b) => a + b, 0);
    const missed = { tooEarly: 0, tooLate: 0 };
    for (let run = 0; run < runs; run++) {
      const told = forecast([line(rate, 12).map((bytes) => bytes + noise())], [room]);
      assert.ok(told !== null && told.low <= told.stepsToOom && told.stepsToOom <= told.high);
      if (told.high < room / rate) missed.tooEarly++;
      if (told.low > room / rate) missed.tooLate++;
    }
    for (const [side, times] of Object.entries(missed)) {
      assert.ok(times / runs > 0.01 && times / runs < 0.04, `${side}: ${times} of ${runs}`);
    }
  });
});
