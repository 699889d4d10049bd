/** Finding points of a stepped curve: `x[i]` holds until `x[i + 1]`. */

/** The used part of a `TimelineWindow`. */
interface CurvePoints {
  x: ArrayLike<number>;
  live: ArrayLike<number>;
}

/** Last index whose value is not above `value` in an ascending list; -1 if all are. */
export function lastAtOrBelow(ascending: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The point for a click between `from` and `to`: the highest, then the nearest to the middle. -1 without points. */
export function pickPoint(points: CurvePoints, from: number, to: number): number {
  const { x, live } = points;
  if (x.length === 0) return -1;
  const first = Math.max(0, lastAtOrBelow(x, from));
  const last = Math.max(first, lastAtOrBelow(x, to));
  const middle = (from + to) / 2;
  let best = first;
  for (let index = first + 1; index <= last; index++) {
    const higher = live[index] > live[best];
    const asHighAndNearer = live[index] === live[best] && Math.abs(x[index] - middle) < Math.abs(x[best] - middle);
    if (higher || asHighAndNearer) best = index;
  }
  return best;
}

/**
 * The most prominent local maxima, at most `limit`, in order of x. Prominence is the smaller descent from a peak to
 * anything higher or to an end of the curve. A plateau has its first point.
 */
export function prominentPeaks({ live }: Pick<CurvePoints, 'live'>, limit: number): number[] {
  const count = live.length;
  const left = floors(live, 0, 1, (other, own) => other >= own);
  const right = floors(live, count - 1, -1, (other, own) => other > own);
  const prominence = (index: number): number => live[index] - Math.max(left[index], right[index]);
  return Array.from({ length: count }, (_, index) => index)
    .filter((index) => prominence(index) > 0)
    .sort((a, b) => prominence(b) - prominence(a) || a - b)
    .slice(0, limit)
    .sort((a, b) => a - b);
}

/** For every point, the lowest value between it and the nearest earlier point (in the given direction) that blocks. */
function floors(
  live: ArrayLike<number>,
  start: number,
  direction: 1 | -1,
  blocks: (other: number, own: number) => boolean,
): Float64Array {
  const lowest = new Float64Array(live.length);
  const blocking: number[] = [];
  for (let index = start, left = live.length; left > 0; index += direction, left--) {
    let floor = live[index];
    for (let top = blocking.at(-1); top !== undefined && !blocks(live[top], live[index]); top = blocking.at(-1)) {
      floor = Math.min(floor, lowest[top]);
      blocking.pop();
    }
    lowest[index] = floor;
    blocking.push(index);
  }
  return lowest;
}
