import { getOrAdd } from '../maps.js';
import { SAME_CLOCK_US } from '../model/sameClock.js';
import { ofPair } from './ofPair.js';
import { HASHED, isAnchor, type TraceMeeting } from '../digest/traceSpan.js';

/** Maximum number of places that are tried, those whose times agree best first. */
const MAX_TRIED = 16;
/** Maximum number of examined repetitions of an anchor. */
const MAX_ALIKE = 64;
/** Hits that make a delta credible. */
const MIN_HITS = 2;

/**
 * Finds the end of an earlier trace in a later one: the ordinal of the first new event. The recorder knows where it
 * cleared the history. Otherwise events decide. Training repeats addresses, so several matches need the boundary mark
 * or the clock.
 * @returns null without a unique overlap
 */
export const endOfEarlier = ofPair(findEnd);

function findEnd(earlier: TraceMeeting, later: TraceMeeting): number | null {
  if (later.behindUs !== null && later.behindUs === earlier.takenAtUs) return 0;
  if (later.behindUs !== null && later.behindUs === earlier.behindUs && earlier.events <= later.events)
    return earlier.events;
  const places = new Map<number, number[]>();
  earlier.anchors.hash.forEach((hash, i) => {
    const list = getOrAdd(places, hash, () => []);
    if (list.length < MAX_ALIKE) list.push(i);
  });
  const votes = new Map<number, { hits: number; clockUs: number }>();
  later.anchors.hash.forEach((hash, i) => {
    for (const place of places.get(hash) ?? []) {
      const end = earlier.events - (earlier.anchors.at[place] - later.anchors.at[i]);
      if (end < 0 || end > later.events) continue;
      const clockUs = Math.abs(earlier.anchors.timeUs[place] - later.anchors.timeUs[i]);
      const vote = getOrAdd(votes, end, () => ({ hits: 0, clockUs }));
      vote.hits++;
      vote.clockUs = Math.max(vote.clockUs, clockUs);
    }
  });
  const hits = [...votes].filter(([, vote]) => vote.hits >= MIN_HITS);
  const marked = hits.find(([end]) => later.marks.includes(end) && fits(earlier, later, end));
  if (marked !== undefined) return marked[0];
  const hasClock = earlier.anchors.timeUs.some((time) => time > 0);
  const near = hits.filter(([, { clockUs }]) => clockUs < SAME_CLOCK_US).sort((a, b) => a[1].clockUs - b[1].clockUs);
  if (!hasClock && near.length > MAX_TRIED) return null;
  const fitting = near.slice(0, MAX_TRIED).filter(([end]) => fits(earlier, later, end));
  if (fitting.length < 2) return fitting.at(0)?.[0] ?? null;
  const [best, second] = fitting;
  return hasClock && best[1].clockUs < second[1].clockUs / 4 ? best[0] : null;
}

/** True if the earlier trace has every anchor of the overlap that the later one has. */
function fits(earlier: TraceMeeting, later: TraceMeeting, end: number): boolean {
  const shift = earlier.events - end;
  const known = new Map<number, number>();
  earlier.anchors.at.forEach((at, i) => known.set(at, earlier.anchors.hash[i]));
  return later.anchors.at.every((at, i) => {
    const hash = later.anchors.hash[i];
    const place = at + shift;
    // The first events of a trace lack those that a hash there would cover.
    const unknown = at >= end || place < HASHED - 1;
    return unknown || known.get(place) === hash || !isAnchor(hash, place, earlier.events);
  });
}
