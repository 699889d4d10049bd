/** The toolbar: choice of snapshot, device, axis and colors, and the menus. */
import type { TimelineAxis } from '../../src/protocol/timelineData.js';
import { axesOf } from '../model/axisChange.js';
import { comparable, devicesOf, groupsOf } from '../parts/choiceGroups.js';
import { el, setText } from '../ui/dom.js';
import { BAND_GROUPINGS } from '../../src/protocol/bandData.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import { byteText } from '../../src/core/text/numberText.js';
import { strings } from '../text/strings.js';
import { createButton } from '../ui/button.js';
import { createChoice } from '../ui/choice.js';
import { createDropdown } from '../ui/dropdown.js';
import { createProgress } from '../ui/progress.js';
import type { ViewState } from '../model/viewState.js';
import type { ChartView } from './chartView.js';

const ZOOM = 2;

/** @param menu the save menu */
export function createControls(
  store: Store<ViewState>,
  session: TimelineSession,
  chart: ChartView,
  menu: HTMLElement,
  help: HTMLElement,
): HTMLElement {
  const snapshot = createDropdown({
    label: strings.snapshot,
    onPick: (path) => {
      const { choices, selection } = store.get();
      const devices = choices?.find((choice) => choice.path === path)?.devices ?? [];
      const same = devices.find((device) => device === selection?.device);
      session.select({ path, device: same ?? devices.at(0) ?? 0 });
    },
  });
  snapshot.element.classList.add('snapshots');
  const device = createDropdown({
    label: strings.device,
    onPick: (value) => {
      const { selection } = store.get();
      if (selection !== null) session.select({ path: selection.path, device: Number(value) });
    },
  });
  const axis = createChoice<TimelineAxis>({
    label: strings.axis,
    names: { time: t('Time'), events: t('Events') },
    onPick: (value) => session.setAxis(value),
  });
  const grouping = createChoice<ViewState['grouping'] | 'none'>({
    label: t('Color of the series'),
    names: {
      none: t('Curve only'),
      line: t('By line'),
      file: t('By file'),
      stack: t('By stack'),
      category: t('By category'),
      verdict: t('By verdict'),
      age: t('By age'),
    },
    onPick: (value) => {
      if (value === 'none') store.update({ layer: false });
      // The series of another property have other numbers.
      else store.update({ layer: true, grouping: value, selected: null, pointed: null });
    },
  });
  const zoomIn = createButton({ text: '+', hint: t('Zoom in'), kind: 'sign', onPress: () => chart.zoom(1 / ZOOM) });
  const zoomOut = createButton({
    text: '\u2212',
    hint: t('Zoom out'),
    kind: 'sign',
    onPress: () => chart.zoom(ZOOM),
  });
  const whole = createButton({
    text: '↔',
    hint: t('Show the whole history (Home, or double-click on the curve)'),
    kind: 'sign',
    onPress: () => session.showWhole(),
  });
  const allBytes = createButton({
    text: t('All bytes'),
    hint: t('Show the whole byte axis (Alt+Home, or double-click on the axis)'),
    onPress: () => session.setHeights(null),
  });
  const peak = createButton({
    text: '',
    hint: t('Show the live memory at the peak in view'),
    onPress: () => {
      const { curve } = store.get();
      if (curve !== null) session.lookInto({ event: curve.peak.event, axis: curve.axis, x: curve.peak.x });
    },
  });
  const compare = createButton({
    text: t('Compare…'),
    hint: t('Compare this snapshot with another one'),
    onPress: () => store.update({ view: 'compare' }),
  });
  compare.classList.add('compare-button');
  const progress = createProgress(strings.loading);

  store.watch((state) => {
    const { choices, selection, curve, range, heights } = state;
    const choice = choices?.find(({ path }) => path === selection?.path);
    snapshot.show(groupsOf(choices ?? []), selection?.path ?? '');
    device.element.hidden = (choice?.devices.length ?? 0) < 2;
    device.show(devicesOf(choice?.devices ?? []), String(selection?.device ?? ''));
    axis.show(
      state.curveLoading ? state.axis : (curve?.axis ?? state.axis),
      curve === null ? undefined : axesOf(curve),
    );
    whole.disabled = range === null && heights === null;
    allBytes.hidden = heights === null;
    zoomOut.disabled = range === null;
    zoomIn.disabled = curve === null || curve.events === 0;
    grouping.show(state.layer ? state.grouping : 'none', [...BAND_GROUPINGS, 'none']);
    // Without a curve, its choices are disabled.
    grouping.element.hidden = curve?.events === 0;
    peak.hidden = curve === null || curve.events === 0;
    if (curve !== null) setText(peak, t('Peak {0}: what holds it', byteText(curve.peak.liveBytes)));
    compare.hidden = comparable(choices).length < 2;
    progress.show(state.curveLoading || state.reading);
  });

  return el(
    'div',
    { class: 'controls', role: 'group', 'aria-label': t('Timeline controls') },
    snapshot.element,
    device.element,
    axis.element,
    grouping.element,
    el('span', { class: 'together zoom' }, zoomIn, zoomOut, whole, allBytes),
    progress.element,
    peak,
    compare,
    menu,
    help,
  );
}
