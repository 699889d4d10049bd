/** The legend above the plot: the lines, and the colors of the largest series. */
import type { TimelineWindow } from '../../src/protocol/timelineData.js';
import { el, setText } from '../ui/dom.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import { byteText } from '../../src/core/text/numberText.js';
import { MARK_NAMES, MARK_SIGNS, strings } from '../text/strings.js';
import type { ViewState } from '../model/viewState.js';

const MARK_KINDS = ['snapshot', 'outOfMemory', 'collector', 'step'] as const;

/** @param key the colors of the series */
export function createLegend(store: Store<ViewState>, key: HTMLElement): HTMLElement {
  const item = (kind: 'sample' | 'mark', name: string, sign: string, text: Node | string): HTMLElement => {
    const colored = el('span', { class: `${kind} of-${name}`, 'aria-hidden': 'true' }, sign);
    colored.style.setProperty('--color', `var(--leakline-${name})`);
    return el('li', {}, colored, text);
  };
  const entry = (name: 'live' | 'reserved' | 'changed' | 'capacity', text: Node | string): HTMLElement =>
    item('sample', name, '', text);
  const capacityText = el('span');
  const capacity = entry('capacity', capacityText);
  const reserved = entry('reserved', strings.reserved);
  const changedText = el('span');
  const changed = entry('changed', changedText);
  const marks = MARK_KINDS.map((kind) => {
    const name = el('span', {}, MARK_NAMES[kind]);
    return { kind, name, item: item('mark', kind, MARK_SIGNS[kind], name) };
  });
  const entries = el(
    'ul',
    {},
    entry('live', strings.live),
    reserved,
    changed,
    capacity,
    ...marks.map(({ item }) => item),
  );
  const legend = el('div', { class: 'legend' }, entries, key);
  store.watch(({ curve, layer, reservedWith }) => {
    changed.hidden = reservedWith === null;
    if (reservedWith !== null) setText(changedText, t('Reserved with {0}', reservedWith.name));
    legend.hidden = curve === null || curve.events === 0;
    // With bands under the curve, the area is not filled.
    legend.classList.toggle('with-bands', layer && curve?.hasAllocations === true);
    if (curve !== null) describe(curve);
  });

  function describe({ capacityBytes, marks: drawn, reserved: curve }: TimelineWindow): void {
    reserved.hidden = curve === null;
    for (const { kind, item, name } of marks) {
      item.hidden = !drawn.some((mark) => mark.kind === kind);
      const fromEnd = drawn.some((mark) => mark.kind === kind && mark.fromEnd === true);
      setText(name, fromEnd ? t('Step, counted back from the last') : MARK_NAMES[kind]);
      name.title = fromEnd ? t('The trace lost its oldest events; the number of earlier steps is not known') : '';
    }
    capacity.hidden = capacityBytes === null;
    if (capacityBytes !== null) setText(capacityText, t('Capacity {0}', byteText(capacityBytes)));
  }
  return legend;
}
