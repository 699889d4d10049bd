import assert from 'node:assert/strict';
import { eventTime } from '../../../src/core/model/eventTime.js';
import { EventColumns, type EventRow } from '../../../src/core/model/eventColumns.js';
import { seededRandom } from '../../support/seededRandom.js';

const ROW: EventRow = {
  action: 0,
  addrLow: 0,
  addrHigh: 0,
  size: 0,
  timeUs: 0,
  stack: 0,
  forwardStack: 0,
  stream: 0,
  category: 0,
  metadata: 0,
  compileContext: 0,
};
const LARGEST_NARROW = 2 ** 32 - 1;

describe('The columns of a trace', () => {
  it('hold every size, wherever the first large one is', () => {
    const random = seededRandom(3);
    for (const large of [0, 1, 1023, 1024, 1025, 2500, 4999]) {
      for (const size of [2 ** 32, 2 ** 52 + 1, 0.5]) {
        const columns = new EventColumns();
        const sizes = Array.from({ length: 5000 }, (_, i) => (i === large ? size : random(LARGEST_NARROW)));
        for (const each of sizes) columns.add({ ...ROW, size: each });
        assert.deepEqual([...columns.take().size], sizes);
        assert.ok(columns.take().size instanceof Float64Array);
      }
    }
  });

  it('that are filled again keep the sizes behind a large one', () => {
    const columns = new EventColumns();
    for (let i = 0; i < 100; i++) columns.add({ ...ROW, size: i });
    columns.length = 0;
    columns.add({ ...ROW, size: 2 ** 33 });
    columns.claim(99);
    assert.deepEqual([...columns.take().size], [2 ** 33, ...Array.from({ length: 99 }, (_, i) => i + 1)]);
  });

  it('hold every time, in any order', () => {
    const random = seededRandom(4);
    const start = 1_760_000_000_000_000;
    for (const odd of [0, 1, start - 1, start + 2 ** 32, start + 0.25, start - 3e6, 2 ** 52, NaN, Infinity]) {
      for (const at of [0, 1, 1500]) {
        const columns = new EventColumns();
        const times = Array.from({ length: 3000 }, (_, i) => (i === at ? odd : start + i + random(50)));
        for (const timeUs of times) columns.add({ ...ROW, timeUs });
        const events = columns.take();
        assert.deepEqual(
          times.map((_, event) => eventTime(events, event)),
          times,
        );
      }
    }
  });

  it('that are filled again keep the times behind a row of about the same time', () => {
    const start = 1_760_000_000_000_000;
    for (const drift of [0, -900_000, 900_000]) {
      const columns = new EventColumns();
      for (let i = 0; i < 100; i++) columns.add({ ...ROW, timeUs: start + i });
      columns.length = 0;
      columns.add({ ...ROW, timeUs: start + drift });
      columns.claim(99);
      const events = columns.take();
      assert.equal(eventTime(events, 0), start + drift);
      for (let i = 1; i < 100; i++) assert.equal(eventTime(events, i), start + i);
    }
  });

  it('that are filled again have the times of another process, or none', () => {
    const columns = new EventColumns();
    for (const timeUs of [1_760_000_000_000_000, 0, 1_770_000_000_000_000]) {
      columns.length = 0;
      for (let i = 0; i < 100; i++) columns.add({ ...ROW, timeUs });
      const events = columns.take();
      for (let i = 0; i < 100; i++) assert.equal(eventTime(events, i), timeUs);
      assert.ok(events.sinceUs instanceof Uint32Array);
    }
  });

  it('take four bytes for a time where the trace takes less than an hour', () => {
    const columns = new EventColumns();
    for (let i = 0; i < 3600; i++) columns.add({ ...ROW, timeUs: 1_760_000_000_000_000 + i * 1e6 });
    assert.ok(columns.take().sinceUs instanceof Uint32Array);
  });

  it('take four bytes for a size where none is large', () => {
    const columns = new EventColumns();
    for (let i = 0; i < 5000; i++) columns.add({ ...ROW, size: LARGEST_NARROW - i });
    const { size } = columns.take();
    assert.ok(size instanceof Uint32Array);
    assert.equal(size[0], LARGEST_NARROW);
    assert.equal(size[4999], LARGEST_NARROW - 4999);
  });
});
