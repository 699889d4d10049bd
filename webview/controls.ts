/** The row of controls above the chart. */
import type { TimelineAxis } from '../src/protocol/timelineData.js';
import { axesOf } from './axisChange.js';
import { devicesOf, groupsOf } from './choiceGroups.js';
import { drawableExtent, zoomRange } from './chart/range.js';
import { el } from './dom.js';
import { BAND_GROUPINGS } from '../src/protocol/bandData.js';
import type { BandSession } from './layer/bandSession.js';
import type { TimelineSession } from './session.js';
import type { Store } from './store.js';
import { strings } from './strings.js';
import { createButton } from './ui/button.js';
import { createCheckbox } from './ui/checkbox.js';
import { createDropdown } from './ui/dropdown.js';
import { createProgress } from './ui/progress.js';
import { createRadioGroup } from './ui/radioGroup.js';
import type { ViewState } from './viewState.js';

const AXES: readonly TimelineAxis[] = ['time', 'events'];
const ZOOM_STEP = 2;

export function createControls(store: Store<ViewState>, session: TimelineSession, bands: BandSession): HTMLElement {
  const snapshot = createDropdown({
    label: strings.snapshot,
    onPick: (path) => {
      const { choices, selection } = store.get();
      const devices = choices?.find((choice) => choice.path === path)?.devices ?? [];
      const kept = devices.find((device) => device === selection?.device);
      session.select({ path, device: kept ?? devices.at(0) ?? 0 });
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
  const axis = createRadioGroup<TimelineAxis>({
    label: strings.axis,
    items: AXES.map((value) => ({ value, text: strings.axisName[value] })),
    onPick: (value) => {
      session.setAxis(value);
    },
  });
  const zoomBy = (factor: number) => (): void => {
    const { curve, range, pin } = store.get();
    if (curve === null) return;
    const visible = range ?? drawableExtent(curve.extent);
    const pinned = pin?.axis === curve.axis && pin.x >= visible.from && pin.x <= visible.to ? pin.x : null;
    session.setRange(zoomRange(visible, pinned ?? (visible.from + visible.to) / 2, factor));
  };
  const zoomIn = createButton({ text: '+', hint: strings.zoomIn, kind: 'sign', onPress: zoomBy(1 / ZOOM_STEP) });
  const zoomOut = createButton({ text: '\u2212', hint: strings.zoomOut, kind: 'sign', onPress: zoomBy(ZOOM_STEP) });
  const whole = createButton({
    text: strings.wholeHistory,
    hint: strings.wholeHistoryHint,
    onPress: () => {
      session.setRange(null);
      session.setHeights(null);
    },
  });
  const allBytes = createButton({
    text: strings.allBytes,
    hint: strings.allBytesHint,
    onPress: () => {
      session.setHeights(null);
    },
  });
  const asTable = createCheckbox({
    text: strings.asTable,
    onChange: (curveAsTable) => {
      store.update({ curveAsTable });
    },
  });
  const layer = createCheckbox({
    text: strings.layer,
    onChange: (shown) => {
      store.update({ layer: shown });
    },
  });
  const grouping = createDropdown({
    label: strings.grouping,
    onPick: (value) => {
      const picked = BAND_GROUPINGS.find((one) => one === value);
      if (picked !== undefined) bands.setGrouping(picked);
    },
  });
  const groupings = [
    { name: null, items: BAND_GROUPINGS.map((value) => ({ value, text: strings.groupingName[value] })) },
  ];
  const bandChoices = el('span', { class: 'together' }, layer.element, grouping.element);
  const progress = createProgress(strings.loading);

  store.watch((state) => {
    const { choices, selection, curve, range, heights } = state;
    const choice = choices?.find(({ path }) => path === selection?.path);
    snapshot.show(groupsOf(choices ?? []), selection?.path ?? '');
    device.element.hidden = (choice?.devices.length ?? 0) < 2;
    device.show(devicesOf(choice?.devices ?? []), String(selection?.device ?? ''));
    axis.show(state.curveLoading ? state.axis : (curve?.axis ?? state.axis), curve === null ? AXES : axesOf(curve));
    whole.setEnabled(range !== null || heights !== null);
    allBytes.element.hidden = heights === null;
    zoomOut.setEnabled(range !== null);
    zoomIn.setEnabled(curve !== null && curve.events > 0);
    layer.show(state.layer);
    grouping.show(groupings, state.grouping);
    grouping.element.hidden = !state.layer;
    asTable.show(state.curveAsTable);
    // Where there is no curve, nothing about it can be chosen.
    bandChoices.hidden = asTable.element.hidden = curve?.events === 0;
    progress.show(state.curveLoading || state.liveLoading || state.reading);
  });

  return el(
    'div',
    { class: 'controls', attributes: { role: 'group', 'aria-label': strings.controls } },
    snapshot.element,
    device.element,
    axis.element,
    el('span', { class: 'together' }, zoomIn.element, zoomOut.element, whole.element, allBytes.element),
    bandChoices,
    asTable.element,
    progress.element,
  );
}
