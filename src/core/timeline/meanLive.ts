import type { Bytes } from '../model/units.js';
import type { DeviceHistory } from '../model/history.js';
import type { HistoryAxis, Stretch } from '../model/historyAxis.js';

/** The mean of the live bytes over a stretch of an axis, which is not empty. */
export function meanLive({ live, trace }: DeviceHistory, axis: HistoryAxis, stretch: Stretch): Bytes {
  const { first, end } = axis.eventsIn(stretch);
  let sum = 0;
  let from = stretch.from;
  for (let ordinal = first; ordinal < Math.min(end, trace.count); ordinal++) {
    const at = Math.min(Math.max(axis.xOf(ordinal), stretch.from), stretch.to);
    sum += live[ordinal] * (at - from);
    from = at;
  }
  return (sum + live[Math.min(end, trace.count)] * (stretch.to - from)) / (stretch.to - stretch.from);
}
