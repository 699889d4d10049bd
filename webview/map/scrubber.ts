/** Through time, event by event: a slider over the trace that moves the pin. */
import { placePin } from '../axisChange.js';
import { el } from '../dom.js';
import { formatCount } from '../format.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import type { ViewState } from '../viewState.js';

export function createScrubber(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const slider = el('input', {
    class: 'scrubber',
    title: strings.scrubHint,
    attributes: { type: 'range', min: '-1', step: '1', 'aria-label': strings.scrub },
  });
  slider.addEventListener('input', () => {
    const { curve } = store.get();
    const event = Number(slider.value);
    if (curve !== null) session.lookInto(placePin({ event, axis: 'events', x: Math.max(0, event) }, curve, null));
  });
  store.watch(({ curve, pin }) => {
    const events = curve?.events ?? 0;
    slider.hidden = events === 0;
    slider.max = String(events - 1);
    const event = pin?.event ?? events - 1;
    slider.value = String(event);
    slider.setAttribute('aria-valuetext', strings.eventOf(formatCount(event), formatCount(events)));
  });
  return slider;
}
