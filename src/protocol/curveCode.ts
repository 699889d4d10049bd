/** The points of a curve as few bytes, for they are sent again with each zoom. */
import { NumberReader, NumberWriter } from './numberCode.js';
import type { TimelinePoints } from './timelineData.js';

export function packPoints({ x, live, reserved, event }: TimelinePoints): Uint8Array {
  const out = new NumberWriter();
  // The first point is at the start of the window, the only one that may be no integer.
  out.whole(x.length);
  if (x.length > 0) out.float(x[0]);
  out.column(x.subarray(1));
  out.column(live);
  out.whole(reserved === null ? 0 : 1);
  if (reserved !== null) out.column(reserved);
  out.column(event);
  return out.take();
}

/** @throws RangeError if bytes are missing */
export function unpackPoints(packed: Uint8Array): TimelinePoints {
  const from = new NumberReader(packed);
  const first = from.whole() > 0 ? [from.float()] : [];
  const x = Float64Array.of(...first, ...from.column());
  const live = from.column();
  const reserved = from.whole() === 0 ? null : from.column();
  return { x, live, reserved, event: Uint32Array.from(from.column()) };
}
