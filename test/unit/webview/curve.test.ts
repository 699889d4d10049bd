import assert from 'node:assert/strict';
import type { TimelineMark, TimelineWindow } from '../../../src/protocol/timelineData.js';
import { eventsOfRange, placePin, rangeOfEvents } from '../../../webview/model/axisChange.js';
import { curveRows } from '../../../webview/chart/curveRows.js';

/** One event every 10 µs, each a point of the curve. */
function curve(live: number[], axis: 'time' | 'events', marks: TimelineMark[] = []): TimelineWindow {
  const x = Float64Array.from(live, (_, index) => (axis === 'time' ? index * 10 : index));
  const extent = { from: 0, to: x[x.length - 1] };
  const highest = live.indexOf(Math.max(...live));
  return {
    path: '/s',
    device: 0,
    axis,
    extent,
    window: extent,
    hasAllocations: true,
    startUs: 5000,
    events: live.length,
    x,
    live: Float64Array.from(live),
    reserved: Float64Array.from(live, () => 100),
    event: Uint32Array.from(live.keys()),
    peak: { x: x[highest], event: highest, liveBytes: live[highest] },
    capacityBytes: null,
    marks,
    failed: null,
  };
}

const live = [0, 4, 9, 2, 6, 1, 1, 8];

describe('changing the axis', () => {
  it('puts a pin at its event on the other axis', () => {
    const byTime = { event: 3, axis: 'time' as const, x: 30 };
    assert.deepEqual(placePin(byTime, curve(live, 'events'), null), { event: 3, axis: 'events', x: 3 });
    assert.deepEqual(placePin({ event: 3, axis: 'events', x: 3 }, curve(live, 'time'), null), byTime);
    assert.equal(placePin(byTime, curve(live, 'time'), null), byTime);
  });

  it('knows the exact time of a pin that is no point of the curve', () => {
    const known = { event: 3, timeUs: 5033 } as Parameters<typeof placePin>[2];
    assert.equal(placePin({ event: 3, axis: 'events', x: 3 }, curve(live, 'time'), known).x, 33);
  });

  it('keeps at least the visible range', () => {
    const events = eventsOfRange({ from: 24, to: 41 }, curve(live, 'time'));
    assert.deepEqual(events, { from: 2, to: 5 });
    assert.deepEqual(rangeOfEvents(events, curve(live, 'events')), { from: 2, to: 5 });
    assert.deepEqual(rangeOfEvents({ from: 2.4, to: 4.1 }, curve(live, 'time')), { from: 20, to: 50 });
  });
});

describe('the curve as rows', () => {
  it('are ends, extremes, peaks and marks in order of the axis', () => {
    const marks: TimelineMark[] = [
      { x: 55, kind: 'snapshot', label: 'step 1' },
      { x: 900, kind: 'outOfMemory', label: 'out of view' },
    ];
    const rows = curveRows(curve(live, 'time', marks), { from: 5, to: 70 }, 10);
    assert.deepEqual(
      rows.map(({ kind, x, event, live: bytes }) => [kind, x, event, bytes]),
      [
        ['start', 5, 0, 0],
        ['lowest', 5, 0, 0],
        ['highest', 20, 2, 9],
        ['peak', 40, 4, 6],
        ['snapshot', 55, 5, 1],
        ['end', 70, 7, 8],
      ],
    );
  });

  it('show no more peaks than requested', () => {
    const kinds = curveRows(curve([0, 5, 0, 4, 0, 3, 0], 'events'), { from: 0, to: 6 }, 2).map(({ kind }) => kind);
    assert.deepEqual(kinds, ['start', 'lowest', 'highest', 'peak', 'end']);
  });

  it('of nothing are none', () => {
    assert.deepEqual(curveRows(curve([1, 2], 'events'), { from: -9, to: -8 }, 2), []);
  });
});
