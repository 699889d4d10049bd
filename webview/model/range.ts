/** Arithmetic of the visible range of the x axis: zooming, panning, staying inside the history. */

/** A stretch of the axis, `from` < `to`, in the unit of the axis. */
export interface Range {
  from: number;
  to: number;
}

/** Nothing narrower is shown: one event, ten microseconds, or two of the allocator's smallest blocks. */
export const NARROWEST = { time: 10, events: 1, bytes: 1024 } as const;

/**
 * Reserved memory or a capacity this many times above the live memory would flatten the curve: the axis ends below it,
 * and a text says how high it is.
 */
export const IN_REACH = 2.5;

/** The extent of a history, widened where it is a single instant so that it can be drawn. */
export function drawableExtent(extent: Range): Range {
  return extent.to > extent.from ? extent : { from: extent.from, to: extent.from + 1 };
}

/** The range, moved and then cut to fit into `extent`; null for all of it. */
export function fitRange(range: Range, extent: Range, narrowest: number): Range | null {
  const whole = extent.to - extent.from;
  const span = Math.max(range.to - range.from, Math.min(narrowest, whole));
  if (span >= whole) return null;
  const middle = (range.from + range.to) / 2;
  const from = Math.min(
    Math.max(span > range.to - range.from ? middle - span / 2 : range.from, extent.from),
    extent.to - span,
  );
  return { from, to: from + span };
}

/** Zooms by `factor` (below 1: in) around `center`. */
export function zoomRange(range: Range, center: number, factor: number): Range {
  return { from: center - (center - range.from) * factor, to: center + (range.to - center) * factor };
}

/** Moves by a share of the visible span; positive is later. */
export function panRange(range: Range, share: number): Range {
  return moved(range, (range.to - range.from) * share);
}

/** Moves just far enough that `x` is visible, with a tenth of the span to spare. */
export function revealInRange(range: Range, x: number): Range {
  const spare = (range.to - range.from) * 0.1;
  if (x < range.from) return moved(range, x - spare - range.from);
  if (x > range.to) return moved(range, x + spare - range.to);
  return range;
}

function moved(range: Range, by: number): Range {
  return { from: range.from + by, to: range.to + by };
}
