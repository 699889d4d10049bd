/** What is known of the band that was clicked, with its stack; its lines of code open from here. */
import type { BandDetail, BandFrame } from '../../src/protocol/bandData.js';
import { el } from '../dom.js';
import { formatExactBytes } from '../format.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { placeText } from '../place.js';
import { strings } from '../strings.js';
import { createButton } from '../ui/button.js';
import type { ViewState } from '../viewState.js';
import type { BandSession } from './bandSession.js';
import { clearest, detailLines, ownerName } from './bandText.js';

export function createBandCard(store: Store<ViewState>, session: TimelineSession, bands: BandSession): HTMLElement {
  const title = el('h2', { attributes: { id: 'band-heading' } });
  const facts = el('ul', { class: 'facts' });
  const stack = el('ol', { class: 'stack' });
  const stackOf = el('details', {}, el('summary', {}, strings.stackOfBand), stack);
  const open = createButton({
    text: strings.openBand,
    onPress: () => {
      const { pickedDetail } = store.get();
      if (pickedDetail !== null) session.openBand(pickedDetail);
    },
  });
  const close = createButton({
    text: strings.unpickBand,
    onPress: () => {
      bands.pick(null);
    },
  });
  const card = el(
    'section',
    { class: 'band-card', attributes: { 'aria-labelledby': 'band-heading', 'aria-live': 'polite' } },
    el('div', { class: 'live-head' }, title, el('span', { class: 'together' }, open.element, close.element)),
    facts,
    stackOf,
  );
  store.watch(({ pickedDetail }, before) => {
    card.hidden = pickedDetail === null;
    if (pickedDetail !== null && pickedDetail !== before.pickedDetail) describe(pickedDetail);
  });

  function describe(detail: BandDetail): void {
    title.textContent = strings.pickedBand(ownerName(detail, 'whole'));
    title.title = formatExactBytes(detail.bytes);
    facts.replaceChildren(...detailLines(detail).map((line) => el('li', {}, line)));
    stack.replaceChildren(...stackItems(detail));
    stackOf.hidden = detail.frames.length === 0;
    open.setEnabled(detail.place?.mapped === true);
  }
  return card;
}

/** The frames that tell most one by one, and the others between them folded; last, how many are left out. */
function stackItems({ frames, hiddenFrames }: BandDetail): HTMLElement[] {
  const textOf = ({ file, line, function: name }: BandFrame): string => `${placeText(file, line)} ${name}`;
  const clear = clearest(frames);
  const items: HTMLElement[] = [];
  for (let at = 0; at < frames.length;) {
    if (frames[at].kind === clear) {
      items.push(el('li', {}, textOf(frames[at++])));
      continue;
    }
    const from = at;
    while (at < frames.length && frames[at].kind !== clear) at++;
    const folded = frames.slice(from, at);
    const native = folded.filter(({ kind }) => kind === 'native').length;
    const summary = el('summary', {}, strings.foldedFrames(folded.length - native, native));
    const inside = el('ul', {}, ...folded.map((frame) => el('li', {}, textOf(frame))));
    items.push(el('li', { class: 'folded' }, el('details', {}, summary, inside)));
  }
  if (hiddenFrames > 0) items.push(el('li', { class: 'aside' }, strings.hiddenFrames(hiddenFrames)));
  return items;
}
