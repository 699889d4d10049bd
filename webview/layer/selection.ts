/** The selected band: line, verdict, bytes, age and stack; then what to do about it. */
import type { BandDetail, BandFrame, LineFinding } from '../../src/protocol/bandData.js';
import { el } from '../ui/dom.js';
import { formatDuration } from '../text/duration.js';
import { formatExactBytes } from '../text/format.js';
import { placeText } from '../text/place.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { strings } from '../text/strings.js';
import { createButton } from '../ui/button.js';
import type { ViewState } from '../model/viewState.js';
import { clearest, detailLines, ownerName } from './bandText.js';
import { swatchOf } from './swatches.js';

export function createSelection(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const title = el('h2', { attributes: { id: 'selection-heading' } });
  const facts = el('ul', { class: 'facts' });
  const stack = el('ol', { class: 'stack', attributes: { 'aria-label': strings.stackOfBand } });
  const advice = el('ul', { class: 'facts advice' });
  const detail = (): BandDetail | null => store.get().selectedDetail;
  const open = createButton({
    text: strings.openBand,
    onPress: () => {
      const shown = detail();
      if (shown !== null) session.openBand(shown);
    },
  });
  const fix = createButton({
    text: strings.fixBand,
    kind: 'primary',
    onPress: () => {
      const place = detail()?.place ?? null;
      if (place !== null) session.fixLeak(place);
    },
  });
  const close = createButton({ text: strings.clearSelection, onPress: () => store.update({ selected: null }) });
  const panel = el(
    'section',
    {
      class: 'selection',
      attributes: { 'aria-labelledby': 'selection-heading', 'aria-live': 'polite', tabindex: '0' },
    },
    title,
    facts,
    stack,
    el('span', { class: 'together' }, open.element, fix.element, close.element),
    advice,
  );
  store.watch((state, before) => {
    const { selectedDetail } = state;
    panel.hidden = selectedDetail === null;
    if (
      selectedDetail !== null &&
      (selectedDetail !== before.selectedDetail || state.wholeBands !== before.wholeBands)
    ) {
      describe(selectedDetail, state);
    }
  });

  function describe(shown: BandDetail, state: ViewState): void {
    const { place, bytes } = shown;
    const swatch = place === null ? null : swatchOf(state, place);
    title.replaceChildren(...(swatch === null ? [] : [swatch]), ownerName(shown, 'whole'));
    title.title = formatExactBytes(bytes);
    const [amount, life, ...more] = detailLines(shown).map((line) => el('li', {}, line));
    amount.title = formatExactBytes(bytes);
    if (shown.ageUs !== null) life.title = formatDuration(shown.ageUs, 1);
    facts.replaceChildren(...verdictItems(shown.finding), amount, life, ...more);
    stack.replaceChildren(...stackItems(shown));
    stack.hidden = shown.frames.length === 0;
    advice.replaceChildren(...(shown.finding === null ? [] : adviceItems(shown.finding)));
    open.setEnabled(place?.mapped === true);
    fix.element.hidden = shown.finding?.canFix !== true;
  }

  function adviceItems({ holder, fix: change }: LineFinding): HTMLElement[] {
    const items: HTMLElement[] = [];
    if (holder !== null) {
      const where = placeText(holder.file, holder.line);
      const link = el('button', { class: 'link', title: strings.openPlace(where) }, where);
      link.addEventListener('click', () => session.openSource(holder));
      items.push(el('li', {}, `${strings.heldBy(holder.text)} `, link));
    }
    if (change !== null) items.push(el('li', {}, change));
    return items;
  }

  /** The informative frames, and the others between them folded; last, the number of omitted ones. */
  function stackItems({ frames, hiddenFrames }: BandDetail): HTMLElement[] {
    const itemOf = ({ file, line, function: name, mapped }: BandFrame): HTMLElement => {
      const where = placeText(file, line);
      if (!mapped) return el('li', {}, `${where} ${name}`);
      const link = el('button', { class: 'link', title: strings.openPlace(where) }, where);
      link.addEventListener('click', () => session.openSource({ file, line }));
      return el('li', {}, link, ` ${name}`);
    };
    const clear = clearest(frames);
    const items: HTMLElement[] = [];
    for (let at = 0; at < frames.length;) {
      if (frames[at].kind === clear) {
        items.push(itemOf(frames[at++]));
        continue;
      }
      const from = at;
      while (at < frames.length && frames[at].kind !== clear) at++;
      const folded = frames.slice(from, at);
      const native = folded.filter(({ kind }) => kind === 'native').length;
      const summary = el('summary', {}, strings.foldedFrames(folded.length - native, native));
      items.push(el('li', { class: 'folded' }, el('details', {}, summary, el('ul', {}, ...folded.map(itemOf)))));
    }
    if (hiddenFrames > 0) items.push(el('li', { class: 'secondary' }, strings.hiddenFrames(hiddenFrames)));
    return items;
  }
  return panel;
}

function verdictItems(finding: LineFinding | null): HTMLElement[] {
  if (finding === null) return [];
  const { verdict, leakedBytes, bytesPerStep } = finding;
  const name = strings.verdictName[verdict];
  const text = verdict === 'leak' && leakedBytes > 0 ? strings.leakOf(name, bytesPerStep, leakedBytes) : name;
  return [el('li', { class: `verdict of-${verdict}` }, text)];
}
