/** When something was, in words. */
import type { LiveAt } from '../../src/protocol/timelineData.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from './strings.js';
import type { ViewState } from '../model/viewState.js';

/** The instant of an answer about the history in view. */
export function whenOf({ event, timeUs }: Pick<LiveAt, 'event' | 'timeUs'>, { curve, pin }: ViewState): string {
  if (event < 0) return curve?.events === 0 ? t('When the snapshot was taken') : t('Before the first event');
  if (pin === null) return strings.atTheEnd;
  const startUs = curve?.startUs ?? null;
  const time = timeUs !== null && startUs !== null ? timeUs - startUs : null;
  return t('At {0}', strings.instant(time, event, curve?.hasAllocations === false));
}
