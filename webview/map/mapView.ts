/** Below the chart: the segments of the device and their blocks at the selected instant. */
import type { MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { el } from '../ui/dom.js';
import { mapTable } from './mapText.js';
import { placePin } from '../model/axisChange.js';
import { countText, byteText } from '../../src/core/text/numberText.js';
import { whenOf } from '../text/instant.js';
import { cssOf } from '../layer/palette.js';
import { paintOf } from '../layer/swatches.js';
import { createMessage } from '../parts/message.js';
import type { Question } from '../model/question.js';
import { createPane, tabOf, type Tab } from '../parts/pane.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { createButton } from '../ui/button.js';
import { resize, type ViewState } from '../model/viewState.js';
import { MapGrid } from './mapGrid.js';
import { mapSummary, ownerOfPiece, pieceText } from './mapText.js';

export function createMapView(store: Store<ViewState>, session: TimelineSession, maps: Question<'memoryMap'>): Tab {
  const zoomIn = createButton({
    text: '+',
    hint: t('Zoom into the segment of the selected block (Space)'),
    kind: 'sign',
    onPress: () => grid.zoom(true),
  });
  const whole = createButton({
    text: '↔',
    hint: t('Show all segments (Escape)'),
    kind: 'sign',
    onPress: () => grid.zoom(false),
  });
  const grid = new MapGrid({
    fillOf: (line) => {
      const paint = paintOf(store.get(), line);
      return paint === null ? null : cssOf(paint.fill);
    },
    open: (piece) => {
      const place = maps.answer === null ? null : (ownerOfPiece(maps.answer, piece)?.place ?? null);
      if (place?.mapped === true) session.openSource(place);
      else store.update({ openError: t('This block has no line in this workspace.') });
    },
    zoom: (mapOnly) => store.update({ mapOnly }),
    look: (piece) => pane.read(maps.answer === null || piece === null ? '' : pieceText(maps.answer, piece)),
  });
  const noPlaces = createMessage('hint');
  const replayed = createMessage('hint');
  const label = t('Memory map of the device');
  const scroller = el('div', { class: 'scroller', role: 'group', 'aria-label': label }, grid.element);
  const pane = createPane({
    class: 'map',
    label,
    head: [el('span', { class: 'together' }, zoomIn, whole)],
    notes: [createScrubber(store, session), noPlaces.element, replayed.element],
    scroller,
    readout: true,
    retry: () => maps.retry(),
  });
  new ResizeObserver(() => {
    resize(store, { mapPixels: scroller.clientWidth, mapRows: grid.rows() });
    grid.fit();
  }).observe(scroller);

  store.follow(
    ({ wholeBands, pane }) => [pane === 'map' ? wholeBands : null],
    () => {
      if (maps.answer !== null) grid.show(maps.answer);
    },
  );

  return tabOf(pane, {
    question: maps,
    render: (map) => {
      noPlaces.show(map?.hasPlaces === false ? strings.mapWithoutPlaces : null);
      grid.element.hidden = map?.hasPlaces !== true;
      const when = map === null || map.isEnd ? strings.atTheEnd : whenOf(map, store.get());
      pane.summarize(map?.hasPlaces === true ? `${when}: ${mapSummary(map)}` : '');
      replayed.show(map === null ? null : noteOf(map));
      pane.read('');
      whole.disabled = map?.only == null;
      if (map !== null) grid.show(map);
    },
    table: (map) => (map.hasPlaces ? mapTable(map) : null),
    failed: strings.mapFailed,
    saved: { label: strings.paneName.map, what: 'map' },
  });
}

/** What the picture is, if it is not the snapshot itself. */
function noteOf({ isEnd, changedName, unplacedBytes }: MemoryMapAnswer): string | null {
  if (changedName !== null)
    return t('Replayed with {0}. Choose it again in What If for the recording as it is.', changedName);
  if (isEnd) return null;
  return unplacedBytes === 0
    ? t(
        'Replayed backwards from the snapshot. Freed blocks have their requested size; the pools of freed segments are unknown.',
      )
    : t(
        'Replayed backwards from the snapshot. The trace does not add up: {0} have no address. Freed blocks have their requested size.',
        byteText(unplacedBytes),
      );
}

/** Through time, event by event: a slider over the trace that moves the pin. */
function createScrubber(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const slider = el('input', {
    class: 'scrubber',
    title: t('Drag, or use the arrow keys, to go through time event by event'),
    type: 'range',
    min: '-1',
    step: '1',
    'aria-label': t('Instant of the map'),
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
    slider.setAttribute('aria-valuetext', t('event {0} of {1}', countText(event), countText(events)));
  });
  return slider;
}
