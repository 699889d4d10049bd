/** Below the chart: the segments of the device and their blocks at the selected instant. */
import type { MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { el } from '../ui/dom.js';
import { mapTable } from './mapText.js';
import type { Saved } from '../parts/saveMenu.js';
import { savedName } from '../parts/savedName.js';
import { placePin } from '../model/axisChange.js';
import { countText } from '../../src/core/text/numberText.js';
import { whenOf } from '../text/instant.js';
import { cssOf } from '../layer/palette.js';
import { paintOf } from '../layer/swatches.js';
import { createMessage } from '../parts/message.js';
import { createPane } from '../parts/pane.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { strings } from '../text/strings.js';
import { createButton } from '../ui/button.js';
import { resize, type ViewState } from '../model/viewState.js';
import { MapGrid } from './mapGrid.js';
import type { MapSession } from './mapSession.js';
import { mapSummary, ownerOfPiece, pieceText } from './mapText.js';

export function createMapView(
  store: Store<ViewState>,
  session: TimelineSession,
  maps: MapSession,
): { element: HTMLElement; saved: Saved } {
  const answer = () => maps.store.get().answer;
  const zoomIn = createButton({ text: '+', hint: strings.mapZoom, kind: 'sign', onPress: () => grid.zoom(true) });
  const whole = createButton({ text: '↔', hint: strings.mapWhole, kind: 'sign', onPress: () => grid.zoom(false) });
  const grid = new MapGrid({
    fillOf: (line) => {
      const paint = paintOf(store.get(), line);
      return paint === null ? null : cssOf(paint.fill);
    },
    open: (piece) => {
      const map = answer();
      const place = map === null ? null : (ownerOfPiece(map, piece)?.place ?? null);
      if (place?.mapped === true) session.openSource(place);
      else store.update({ openError: strings.pieceNotMapped });
    },
    zoom: (mapOnly) => store.update({ mapOnly }),
    look: (piece) => {
      const map = answer();
      pane.read(map === null || piece === null ? '' : pieceText(map, piece));
    },
  });
  const noPlaces = createMessage('hint');
  const replayed = createMessage('hint');
  const attributes = { role: 'group', 'aria-label': strings.map };
  const scroller = el('div', { class: 'scroller map-scroller', attributes }, grid.element);
  const pane = createPane({
    class: 'map',
    label: strings.map,
    head: [el('span', { class: 'together' }, zoomIn.element, whole.element)],
    notes: [createScrubber(store, session), noPlaces.element, replayed.element],
    scroller,
    readout: true,
    retry: () => maps.retry(),
  });
  new ResizeObserver(() => {
    resize(store, { mapPixels: scroller.clientWidth, mapRows: grid.rows() });
    grid.fit();
  }).observe(scroller);

  maps.store.watch(({ answer: map, loading, error }, before) => {
    pane.stand({ loading, error: error === null ? null : strings.mapFailed(error) });
    noPlaces.show(map?.hasPlaces === false ? strings.mapWithoutPlaces : null);
    grid.element.hidden = map?.hasPlaces !== true;
    if (map === before.answer) return;
    const when = map === null || map.isEnd ? strings.atTheEnd : whenOf(map, store.get());
    pane.summarize(map?.hasPlaces === true ? `${when}: ${mapSummary(map)}` : '');
    replayed.show(map === null ? null : noteOf(map));
    pane.read('');
    whole.setEnabled(map?.only != null);
    if (map !== null) grid.show(map);
  });
  store.watch(({ wholeBands, pane: shown }, before) => {
    const map = answer();
    if (map !== null && shown === 'map' && wholeBands !== before.wholeBands) grid.show(map);
  });

  return {
    element: pane.element,
    saved: {
      label: strings.paneName.map,
      name: () => savedName(store.get(), 'map'),
      table: () => {
        const map = answer();
        return map?.hasPlaces === true ? mapTable(map) : null;
      },
    },
  };
}

/** What the picture is, if it is not the snapshot itself. */
function noteOf({ isEnd, changedName, unplacedBytes }: MemoryMapAnswer): string | null {
  if (changedName !== null) return strings.mapChanged(changedName);
  return isEnd ? null : strings.mapReplayed(unplacedBytes);
}

/** Through time, event by event: a slider over the trace that moves the pin. */
function createScrubber(store: Store<ViewState>, session: TimelineSession): HTMLElement {
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
    slider.setAttribute('aria-valuetext', strings.eventOf(countText(event), countText(events)));
  });
  return slider;
}
