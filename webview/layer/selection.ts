/** The selected band: line, verdict, bytes, age and stack; then what to do about it. */
import type { BandDetail, LineFinding, ShownFrame } from '../../src/protocol/bandData.js';
import { el } from '../ui/dom.js';
import { formatDuration } from '../text/duration.js';
import { formatExactBytes } from '../text/format.js';
import { partsOf } from '../../src/core/text/names.js';
import { fileAndLine } from '../../src/core/text/pathText.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { t, tCount } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { createButton } from '../ui/button.js';
import type { ViewState } from '../model/viewState.js';
import { clearest, detailLines, ownerName } from './bandText.js';
import { swatchOf } from './swatches.js';

export function createSelection(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const title = el('h2', { id: 'selection-heading' });
  const facts = el('ul', { class: 'facts' });
  const stack = el('ol', { class: 'stack', 'aria-label': t('Stack, innermost first') });
  const advice = el('ul', { class: 'facts advice' });
  const detail = (): BandDetail | null => store.get().selectedDetail;
  const open = createButton({
    text: t('Go to Line'),
    onPress: () => {
      const shown = detail();
      if (shown !== null) session.openBand(shown);
    },
  });
  const fix = createButton({
    text: t('Fix…'),
    kind: 'primary',
    onPress: () => {
      const place = detail()?.place ?? null;
      if (place !== null) session.fixLeak(place);
    },
  });
  const close = createButton({ text: t('Clear'), onPress: () => store.update({ selected: null }) });
  const panel = el(
    'section',
    { class: 'selection', 'aria-labelledby': 'selection-heading', 'aria-live': 'polite', tabindex: '0' },
    title,
    facts,
    stack,
    el('span', { class: 'together' }, open, fix, close),
    advice,
  );
  store.follow(
    ({ selectedDetail, wholeBands }) => [selectedDetail, wholeBands],
    ([shown]) => {
      panel.hidden = shown === null;
      if (shown !== null) describe(shown, store.get());
    },
  );

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
    open.disabled = place?.mapped !== true;
    fix.hidden = shown.finding?.canFix !== true;
  }

  function linkTo(place: { file: string; line: number }, name: string): HTMLElement {
    const link = el('button', { class: 'link', title: strings.openPlace(name) }, name);
    link.addEventListener('click', () => session.openSource({ file: place.file, line: place.line }));
    return link;
  }

  function adviceItems({ holder, advice: texts }: LineFinding): HTMLElement[] {
    const held = holder === null ? [] : partsOf(holder.text);
    const parts = held.map(({ text, isName }) => (holder !== null && isName ? linkTo(holder, text) : text));
    return [parts, ...texts.map((text) => [text])]
      .filter(({ length }) => length > 0)
      .map((all) => el('li', {}, ...all));
  }

  /** The informative frames, and the others between them folded; last, the number of omitted ones. */
  function stackItems({ frames, hiddenFrames }: BandDetail): HTMLElement[] {
    const itemOf = (frame: ShownFrame): HTMLElement => {
      const where = fileAndLine(frame);
      return el('li', {}, frame.mapped ? linkTo(frame, where) : where, ` ${frame.function}`);
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
      const summary = el('summary', {}, foldedText(folded.length - native, native));
      items.push(el('li', { class: 'folded' }, el('details', {}, summary, el('ul', {}, ...folded.map(itemOf)))));
    }
    if (hiddenFrames > 0)
      items.push(
        el(
          'li',
          { class: 'secondary' },
          tCount(
            hiddenFrames,
            '1 frame is hidden: of the recording itself, of the Python interpreter, or too far out',
            '{0} frames are hidden: of the recording itself, of the Python interpreter, or too far out',
          ),
        ),
      );
    return items;
  }
  return panel;
}

function verdictItems(finding: LineFinding | null): HTMLElement[] {
  return finding === null ? [] : [el('li', { class: `verdict of-${finding.verdict}` }, finding.answer)];
}

function foldedText(library: number, native: number): string {
  return [
    ...(library === 0 ? [] : [tCount(library, '1 library frame', '{0} library frames')]),
    ...(native === 0 ? [] : [tCount(native, '1 C++ frame', '{0} C++ frames')]),
  ].join(', ');
}
