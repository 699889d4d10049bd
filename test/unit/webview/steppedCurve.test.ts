import assert from 'node:assert/strict';
import { BarPen, traceSteps } from '../../../webview/chart/steppedCurve.js';

const area = { left: 10, top: 0, width: 40, height: 100 };

/** The path of a pen, as minimum and maximum of each of its pixels. */
function columnsOf(x: number[], values: number[], end: number, visible: { from: number; to: number }) {
  const columns = new Map<number, { low: number; high: number }>();
  const see = (pixel: number, value: number): void => {
    const column = Math.min(Math.floor(pixel), area.left + area.width - 1);
    const { low, high } = columns.get(column) ?? { low: value, high: value };
    columns.set(column, { low: Math.min(low, value), high: Math.max(high, value) });
  };
  let at: { x: number; y: number } | null = null;
  let corners = 0;
  const extent = traceSteps(
    {
      moveTo: (px, py) => {
        at = { x: px, y: py };
        see(px, py);
      },
      lineTo: (px, py) => {
        corners++;
        assert.ok(at !== null && (px === at.x || py === at.y), 'a step is neither level nor upright');
        assert.ok(px >= at.x, 'the pen goes back');
        for (let pixel = Math.floor(at.x); pixel < px; pixel++) see(Math.max(at.x, pixel), at.y);
        see(px, at.y);
        see(px, py);
        at = { x: px, y: py };
      },
    },
    { x: Float64Array.from(x), values: Float64Array.from(values), end },
    visible,
    area,
    (value) => value,
  );
  return { columns, corners, extent };
}

/** The path by brute force: every instant of a fine grid, and every point. */
function bruteForce(x: number[], values: number[], end: number, visible: { from: number; to: number }) {
  const columns = new Map<number, { low: number; high: number }>();
  const perUnit = area.width / (visible.to - visible.from);
  x.forEach((from, index) => {
    const to = index + 1 < x.length ? x[index + 1] : end;
    if (to < visible.from || from > visible.to) return;
    const first = Math.max(area.left, area.left + (from - visible.from) * perUnit);
    const last = Math.min(area.left + area.width, area.left + (to - visible.from) * perUnit);
    for (let column = Math.floor(first); column <= Math.floor(last); column++) {
      const known = columns.get(Math.min(column, area.left + area.width - 1));
      const low = Math.min(known?.low ?? values[index], values[index]);
      const high = Math.max(known?.high ?? values[index], values[index]);
      columns.set(Math.min(column, area.left + area.width - 1), { low, high });
    }
  });
  return columns;
}

describe('the curve during a gesture', () => {
  it('shows the lowest and the highest of every pixel, at any zoom', () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const x = Array.from({ length: 3000 }, (_, i) => i + random() * 0.9);
    const values = x.map((_, i) => (i === 1501 ? 5000 : Math.floor(random() * 100)));
    for (const visible of [
      { from: 0, to: 3000 },
      { from: -500, to: 3500 },
      { from: 1400.5, to: 1600.25 },
      { from: 1500, to: 1504 },
      { from: 2990, to: 3400 },
    ]) {
      const { columns, corners } = columnsOf(x, values, 3100, visible);
      const expected = bruteForce(x, values, 3100, visible);
      for (const [column, { low, high }] of expected) {
        const seen = columns.get(column);
        assert.ok(seen !== undefined, `nothing at ${column}`);
        // A corner on the edge of two pixels may count for either.
        assert.ok(
          seen.low <= low && seen.high >= high,
          `${column}: ${seen.low} to ${seen.high}, not ${low} to ${high}`,
        );
      }
      for (const [column, { low, high }] of columns) {
        const near = [column - 1, column, column + 1]
          .map((other) => expected.get(other))
          .filter((one) => one !== undefined);
        assert.ok(near.some((one) => one.high >= high) && near.some((one) => one.low <= low), `invented at ${column}`);
      }
      assert.ok(corners <= area.width * 4 + 8, `${corners} corners`);
    }
  });

  it('ends where the window of its points ends, and draws nothing beside it', () => {
    assert.deepEqual(columnsOf([0, 10], [1, 2], 20, { from: 0, to: 40 }).extent, { left: 10, right: 30 });
    assert.equal(columnsOf([0, 10], [1, 2], 20, { from: 30, to: 40 }).extent, null);
    assert.equal(columnsOf([50, 60], [1, 2], 70, { from: 30, to: 40 }).extent, null);
    assert.equal(columnsOf([], [], 70, { from: 30, to: 40 }).extent, null);
  });
});

describe('a pen of bars', () => {
  const bars: { left: number; top: number; right: number; bottom: number }[] = [];
  const pen = (): BarPen => {
    bars.length = 0;
    return new BarPen(
      {
        fillRect: (left, top, width, height) => bars.push({ left, top, right: left + width, bottom: top + height }),
      },
      2,
    );
  };

  it('covers exactly the pixels of a stroke of its width', () => {
    let seed = 11;
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const x = Float64Array.from({ length: 300 }, (_, i) => i + random() * 0.9);
    const values = x.map(() => Math.floor(random() * 40) + 20);
    const corners: { x: number; y: number }[] = [];
    const follow = {
      moveTo: (px: number, py: number) => corners.push({ x: px, y: py }),
      lineTo: (px: number, py: number) => corners.push({ x: px, y: py }),
    };
    const line = { x, values, end: 310 };
    const visible = { from: 0, to: 310 };
    traceSteps(follow, line, visible, area, (value) => value);
    const drawn = pen();
    traceSteps(drawn, line, visible, area, (value) => value);
    drawn.end();
    const stroked = (px: number, py: number): boolean =>
      corners.some((to, i) => {
        const from = corners[Math.max(0, i - 1)];
        const inside = (at: number, a: number, b: number): boolean =>
          at > Math.min(a, b) - 1 && at < Math.max(a, b) + 1;
        return i > 0 && inside(px, from.x, to.x) && inside(py, from.y, to.y);
      });
    for (let px = area.left - 3.03; px < area.left + area.width + 3; px += 0.31) {
      for (let py = 10.07; py < 70; py += 0.53) {
        const covered = bars.some(({ left, top, right, bottom }) => px > left && px < right && py > top && py < bottom);
        assert.equal(covered, stroked(px, py), `${px}, ${py}`);
      }
    }
    assert.ok(bars.length < corners.length, `${bars.length} bars for ${corners.length} corners`);
  });

  it('keeps the last upright line until it ends', () => {
    const one = pen();
    one.moveTo(5, 10);
    one.lineTo(5, 30);
    assert.equal(bars.length, 0);
    one.end();
    one.end();
    assert.deepEqual(bars, [{ left: 4, top: 9, right: 6, bottom: 31 }]);
  });
});
