/** When something was, in words. */
import type { LiveAt, TimelineWindow } from '../src/protocol/timelineData.js';
import { strings } from './strings.js';

/** @param curve of the same history; null if it is not known */
export function whenOf({ event, timeUs }: Pick<LiveAt, 'event' | 'timeUs'>, curve: TimelineWindow | null): string {
  if (event < 0) return curve?.events === 0 ? strings.whenTaken : strings.atStart;
  const startUs = curve?.startUs ?? null;
  const time = timeUs !== null && startUs !== null ? timeUs - startUs : null;
  return strings.atInstant(strings.instant(time, event, curve?.hasAllocations === false));
}
