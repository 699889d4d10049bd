/** Under the chart: the segments of the device and what lies in them at the instant that is looked into. */
import { el, setText } from '../dom.js';
import type { Exporter } from '../export/exporter.js';
import { createExportMenu } from '../export/exportMenu.js';
import { savedName } from '../export/savedName.js';
import { mapTable } from '../export/savedTables.js';
import { whenOf } from '../instant.js';
import { cssOf } from '../layer/palette.js';
import { paintOf } from '../layer/swatches.js';
import { createMessage } from '../message.js';
import { createButton } from '../ui/button.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { createProgress } from '../ui/progress.js';
import type { ViewState } from '../viewState.js';
import { MapGrid } from './mapGrid.js';
import type { MapSession } from './mapSession.js';
import { mapSummary, ownerOfPiece, pieceText } from './mapText.js';
import { createScrubber } from './scrubber.js';

export function createMapView(
  store: Store<ViewState>,
  session: TimelineSession,
  maps: MapSession,
  exporter: Exporter,
): HTMLElement {
  const progress = createProgress(strings.loading);
  const summary = el('p', { class: 'summary', attributes: { role: 'status' } });
  const noPlaces = createMessage('hint');
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      maps.ask();
    },
  });
  const readout = el('p', {
    class: 'flame-readout',
    attributes: { 'aria-hidden': 'true' },
  });
  const zoomIn = createButton({
    text: '+',
    hint: strings.mapZoom,
    kind: 'sign',
    onPress: () => {
      grid.zoom(true);
    },
  });
  const whole = createButton({
    text: '↔',
    hint: strings.mapWhole,
    kind: 'sign',
    onPress: () => {
      grid.zoom(false);
    },
  });
  const grid = new MapGrid({
    fillOf: (line) => {
      const paint = paintOf(store.get(), line);
      return paint === null ? null : cssOf(paint.fill);
    },
    open: (piece) => {
      const { map } = maps.store.get();
      const place = map === null ? null : (ownerOfPiece(map, piece)?.place ?? null);
      if (place?.mapped === true) session.openSource(place);
      else store.update({ openError: strings.pieceNotMapped });
    },
    zoom: (address) => {
      maps.zoom(address);
    },
    look: (piece) => {
      const { map } = maps.store.get();
      setText(readout, map === null || piece === null ? '' : pieceText(map, piece));
    },
  });
  const replayed = createMessage('hint');
  const scrubber = createScrubber(store, session);
  const attributes = { role: 'group', 'aria-label': strings.map };
  const scroller = el('div', { class: 'scroller map-scroller', attributes }, grid.element);
  const menu = createExportMenu(exporter, {
    name: () => savedName(store.get(), 'map'),
    table: () => {
      const { map } = maps.store.get();
      return map?.hasPlaces === true ? mapTable(map) : null;
    },
  });
  new ResizeObserver(() => {
    maps.setSize(scroller.clientWidth, grid.rows());
    grid.fit();
  }).observe(scroller);

  maps.store.watch(({ map, loading, error }, before) => {
    progress.show(loading);
    failure.show(error === null ? null : strings.mapFailed(error));
    noPlaces.show(map?.hasPlaces === false ? strings.mapWithoutPlaces : null);
    grid.element.hidden = map?.hasPlaces !== true;
    if (map === before.map) return;
    setText(
      summary,
      map?.hasPlaces === true ? `${map.isEnd ? strings.atTheEnd : whenOf(map, store.get())}: ${mapSummary(map)}` : '',
    );
    replayed.show(map === null || map.isEnd ? null : strings.mapReplayed(map.unplacedBytes));
    setText(readout, '');
    whole.setEnabled(map?.only != null);
    if (map !== null) grid.show(map);
  });

  store.watch(({ wholeBands, pane }, before) => {
    const { map } = maps.store.get();
    if (map !== null && pane === 'map' && wholeBands !== before.wholeBands) grid.show(map);
  });

  return el(
    'section',
    { class: 'live map', attributes: { 'aria-label': strings.map } },
    el(
      'div',
      { class: 'live-head' },
      el('span', { class: 'together' }, zoomIn.element, whole.element),
      summary,
      progress.element,
      menu,
    ),
    scrubber,
    noPlaces.element,
    replayed.element,
    failure.element,
    scroller,
    readout,
  );
}
