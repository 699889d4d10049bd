import assert from 'node:assert/strict';
import { QuietMoment } from '../../../src/extension/intake/quietMoment.js';
import { FakeClock } from './support/fakeClock.js';

describe('The delay before an analysis', () => {
  let clock: FakeClock;
  let busy: boolean;
  let runs: number[];
  let finish: (() => void)[];
  let moment: QuietMoment;

  beforeEach(() => {
    clock = new FakeClock();
    busy = false;
    runs = [];
    finish = [];
    moment = new QuietMoment(
      clock,
      () => busy,
      () => {
        runs.push(clock.now());
        return new Promise((resolve) => finish.push(resolve));
      },
    );
  });

  it('makes one run of a thousand requests', async () => {
    for (let i = 0; i < 1_000; i++) moment.request();
    await clock.advance(1_000);
    assert.equal(runs.length, 1);
  });

  it('waits while files are coming in, but not for ever', async () => {
    busy = true;
    const start = clock.now();
    moment.request();
    await clock.advance(4_900);
    assert.equal(runs.length, 0);
    await clock.advance(200);
    assert.equal(runs.length, 1);
    assert.ok(runs[0] - start <= 5_100);
  });

  it('runs soon after the last file is in', async () => {
    busy = true;
    moment.request();
    await clock.advance(1_000);
    busy = false;
    await clock.advance(100);
    assert.equal(runs.length, 1);
  });

  it('runs once more for requests during a run, never two at a time', async () => {
    moment.request();
    await clock.advance(100);
    moment.request();
    moment.request();
    await clock.advance(1_000);
    assert.equal(runs.length, 1);
    finish[0]();
    await clock.advance(1_000);
    assert.equal(runs.length, 2);
    finish[1]();
    await clock.advance(1_000);
    assert.equal(runs.length, 2);
  });

  it('stops when it is disposed', async () => {
    moment.request();
    moment.dispose();
    await clock.advance(1_000);
    assert.deepEqual(runs, []);
  });
});
