/** Carrying a pinned instant and a visible range from one axis to the other. */
import type { LiveAt, TimelineAxis, TimelineWindow } from '../../src/protocol/timelineData.js';
import { lastAtOrBelow } from './points.js';
import type { Range } from './range.js';
import type { Pin } from './viewState.js';

/** The pin on the axis of `curve`, as exact as known. */
export function placePin(pin: Pin, curve: TimelineWindow, live: LiveAt | null): Pin {
  const { axis } = curve;
  const { event } = pin;
  if (pin.axis === axis) return pin;
  if (axis === 'events') return { event, axis, x: Math.max(event, curve.extent.from) };
  const exact = live?.event === event ? live.timeUs : null;
  if (exact !== null && curve.startUs !== null) return { event, axis, x: exact - curve.startUs };
  const index = lastAtOrBelow(curve.event, event);
  return { event, axis, x: index < 0 ? curve.extent.from : curve.x[index] };
}

/** The events around a range, for the same range on the other axis. It may include one point too many on each side. */
export function eventsOfRange(range: Range, { axis, x, event }: TimelineWindow): Range {
  return axis === 'events' ? range : carried(range, x, event);
}

/** The range of `curve`, which shows the whole history, that covers the given events. */
export function rangeOfEvents(events: Range, { axis, x, event }: TimelineWindow): Range {
  return axis === 'events' ? events : carried(events, event, x);
}

/** The points around a range of one column, as a range of another. */
function carried({ from, to }: Range, own: ArrayLike<number>, other: ArrayLike<number>): Range {
  let last = own.length - 1;
  while (last > 0 && own[last - 1] >= to) last--;
  return { from: other[Math.max(0, lastAtOrBelow(own, from))], to: other[last] };
}

/** The axes that a history can be shown on. */
export function axesOf(curve: TimelineWindow): readonly TimelineAxis[] {
  return curve.startUs === null ? ['events'] : ['time', 'events'];
}
