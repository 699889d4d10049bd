/** The splitter between chart and tabs, for mouse and keys, in both directions. */
import { el } from '../ui/dom.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import { INITIAL, MIN_SPLIT, MAX_SPLIT, type ViewState } from '../model/viewState.js';

const KEY_STEP = 0.05;

/** @param frame has both parts, and gets their shares as custom properties */
export function createSplitter(store: Store<ViewState>, frame: HTMLElement): HTMLElement {
  const percent = (share: number): string => String(Math.round(share * 100));
  const bar = el('div', {
    class: 'splitter',
    title: t('Drag, or use the arrow keys, to resize the chart'),
    role: 'separator',
    tabindex: '0',
    'aria-label': t('Height of the chart'),
    'aria-orientation': 'horizontal',
    'aria-valuemin': percent(MIN_SPLIT),
    'aria-valuemax': percent(MAX_SPLIT),
  });
  const moveTo = (split: number): void => store.update({ split: Math.min(Math.max(split, MIN_SPLIT), MAX_SPLIT) });
  bar.addEventListener('pointerdown', (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
    bar.focus();
  });
  bar.addEventListener('pointermove', (event) => {
    const [above, below] = [bar.previousElementSibling, bar.nextElementSibling];
    if (!bar.hasPointerCapture(event.pointerId) || above === null || below === null) return;
    const [from, to] = [above.getBoundingClientRect(), below.getBoundingClientRect()];
    const isBeside = from.right <= to.left;
    moveTo(
      isBeside
        ? (event.clientX - from.left) / (to.right - from.left)
        : (event.clientY - from.top) / (to.bottom - from.top),
    );
  });
  bar.addEventListener('dblclick', () => moveTo(INITIAL.split));
  bar.addEventListener('keydown', (event) => {
    const { split } = store.get();
    const to = {
      ArrowUp: split - KEY_STEP,
      ArrowLeft: split - KEY_STEP,
      ArrowDown: split + KEY_STEP,
      ArrowRight: split + KEY_STEP,
      Home: MIN_SPLIT,
      End: MAX_SPLIT,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    moveTo(to);
  });
  store.watch(({ split }) => {
    frame.style.setProperty('--above', `${split}fr`);
    frame.style.setProperty('--below', `${1 - split}fr`);
    bar.setAttribute('aria-valuenow', percent(split));
  });
  return bar;
}
