/** Under the chart: the segments of the device and what lies in them at the instant that is looked into. */
import { el, setText } from '../dom.js';
import type { Exporter } from '../export/exporter.js';
import { createExportMenu } from '../export/exportMenu.js';
import { savedName } from '../export/savedName.js';
import { mapTable } from '../export/savedTables.js';
import { tableOf } from '../export/tableOf.js';
import { whenOf } from '../instant.js';
import type { MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { createMessage } from '../message.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { createCheckbox } from '../ui/checkbox.js';
import { createProgress } from '../ui/progress.js';
import type { SegmentSort, ViewState } from '../viewState.js';
import { MapGrid } from './mapGrid.js';
import type { MapSession } from './mapSession.js';
import { mapSummary, ownerOfPiece, pieceText } from './mapText.js';
import { SegmentTable } from './segmentTable.js';
import { createScrubber } from './scrubber.js';
import { createPoolTable } from './poolTable.js';

export function createMapView(
  store: Store<ViewState>,
  session: TimelineSession,
  maps: MapSession,
  exporter: Exporter,
): HTMLElement {
  const heading = el('h2', { attributes: { id: 'map-heading' } }, strings.map);
  const progress = createProgress(strings.loading);
  const summary = el('p', { class: 'summary', attributes: { role: 'status' } });
  const noPlaces = createMessage('hint');
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      maps.ask();
    },
  });
  const openFailure = createMessage('error');
  const readout = el('p', { class: 'flame-readout', attributes: { 'aria-hidden': 'true' } });
  const grid = new MapGrid({
    open: (piece) => {
      const { map } = maps.store.get();
      const place = map === null ? null : (ownerOfPiece(map, piece)?.place ?? null);
      if (place?.mapped === true) session.openSource(place);
      else store.update({ openError: strings.pieceNotMapped });
    },
    look: (piece) => {
      const { map } = maps.store.get();
      setText(readout, map === null || piece === null ? '' : pieceText(map, piece));
    },
  });
  const replayed = createMessage('hint');
  const scrubber = createScrubber(store, session);
  const asTable = createCheckbox({
    text: strings.mapAsTable,
    onChange: (mapAsTable) => {
      store.update({ mapAsTable });
    },
  });
  const segments = new SegmentTable((mapSort) => {
    store.update({ mapSort });
  });
  const table = el('div');
  /** What the table shows. */
  let tabled: { map: MemoryMapAnswer | null; sort: SegmentSort } = { map: null, sort: store.get().mapSort };
  const others = el('p', { class: 'aside' });
  const pools = el('div');
  const attributes = { role: 'group', 'aria-label': strings.map };
  const scroller = el('div', { class: 'scroller map-scroller', attributes }, grid.element, table, others, pools);
  const hint = el('p', { class: 'aside chart-hint' }, strings.mapHint);
  const name = (): string => savedName(store.get(), 'map');
  const tableMenu = createExportMenu(exporter, {
    name,
    table: () => {
      const shown = table.querySelector('table');
      return shown === null || table.hidden ? null : tableOf(shown);
    },
  });
  const gridMenu = createExportMenu(exporter, {
    name,
    picture: () => (maps.store.get().map?.hasPlaces === true ? grid.picture() : null),
    table: () => {
      const { map } = maps.store.get();
      return map?.hasPlaces === true ? mapTable(map) : null;
    },
  });
  const showParts = (): void => {
    const { map } = maps.store.get();
    const { mapAsTable, mapSort } = store.get();
    asTable.show(mapAsTable);
    readout.hidden = hint.hidden = gridMenu.hidden = mapAsTable;
    tableMenu.hidden = !mapAsTable;
    // Tables have nothing that takes the focus: it is the scroller that keys scroll.
    if (mapAsTable) scroller.setAttribute('tabindex', '0');
    else scroller.removeAttribute('tabindex');
    for (const part of [table, grid.element, others, pools]) part.hidden = map?.hasPlaces !== true;
    if (mapAsTable) grid.element.hidden = others.hidden = true;
    else table.hidden = true;
    // In the page only while it shows, so that nothing is found twice.
    const wished = { map: mapAsTable ? map : null, sort: mapSort };
    if (wished.map === tabled.map && wished.sort === tabled.sort) return;
    tabled = wished;
    if (wished.map === null) segments.element.remove();
    else {
      segments.show(wished.map, mapSort);
      table.append(segments.element);
    }
  };
  new ResizeObserver(() => {
    maps.setPixels(scroller.clientWidth);
  }).observe(scroller);

  maps.store.watch(({ map, loading, error }, before) => {
    progress.show(loading);
    failure.show(error === null ? null : strings.mapFailed(error));
    noPlaces.show(map?.hasPlaces === false ? strings.mapWithoutPlaces : null);
    showParts();
    if (map === before.map) return;
    setText(summary, map?.hasPlaces === true ? `${whenOfMap(map, store.get())}: ${mapSummary(map)}` : '');
    replayed.show(map === null || map.isEnd ? null : strings.mapReplayed(map.unplacedBytes));
    setText(readout, '');
    if (map === null) return;
    const { segments: rest, reservedBytes, liveBytes } = map.others;
    setText(others, rest === 0 ? '' : strings.otherSegments(rest, reservedBytes, liveBytes));
    pools.replaceChildren(createPoolTable(map));
    grid.show(map);
  });
  store.watch(({ openError }) => {
    openFailure.show(openError);
    showParts();
  });

  return el(
    'section',
    { class: 'live map', attributes: { 'aria-labelledby': 'map-heading' } },
    el('div', { class: 'live-head' }, heading, asTable.element, progress.element),
    summary,
    scrubber,
    noPlaces.element,
    replayed.element,
    failure.element,
    openFailure.element,
    scroller,
    readout,
    hint,
    tableMenu,
    gridMenu,
  );
}

function whenOfMap(map: MemoryMapAnswer, { curve }: ViewState): string {
  return map.isEnd ? strings.atTheEnd : whenOf(map, curve);
}
