/** The overlay of keys: `?` opens it, Escape closes it. */
import { el } from '../ui/dom.js';
import { t } from '../../src/core/text/translate.js';
import { createButton } from '../ui/button.js';

/** Keys and gestures with their descriptions. */
const KEYS: readonly [keys: readonly string[], text: string][] = [
  [['W', 'S'], t('zoom in and out')],
  [['A', 'D'], t('move the view')],
  [['←', '→'], t('go from point to point; with Ctrl by twenty, with Shift move the view')],
  [['↑'], t('go to the peak in view')],
  [['[', ']'], t('go to the step before or after')],
  [['Alt+↑', 'Alt+↓'], t('go from allocation to allocation at the cursor')],
  [['Enter'], t('select at the cursor; again: open the line')],
  [['M'], t('show the live memory at the cursor')],
  [['/'], t('search lines, stacks and calls')],
  [['Home'], t('show the whole history')],
  [['Alt++', 'Alt+−'], t('zoom the byte axis')],
  [['Esc'], t('clear the selection')],
  [[t('Click')], t('select; again, or with Ctrl: open the line')],
  [[t('Wheel'), t('Drag')], t('zoom; with Alt the byte axis too')],
  [[t('Shift+drag')], t('move the view')],
];
const TITLE = t('Keys and gestures');

export interface Help {
  /** The button that opens it. */
  readonly button: HTMLElement;
  readonly dialog: HTMLDialogElement;
  toggle(): void;
}

export function createHelp(): Help {
  const rows = KEYS.map(([keys, text]) => el('li', {}, el('span', {}, ...keys.map((key) => el('kbd', {}, key))), text));
  const close = createButton({ text: t('Close'), onPress: () => dialog.close() });
  const dialog = el(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    el('div', { class: 'help-head' }, el('h2', { id: 'help-title' }, TITLE), close),
    el('ul', { class: 'help-keys', tabindex: '0' }, ...rows),
  );
  const toggle = (): void => {
    if (dialog.open) dialog.close();
    else dialog.showModal();
  };
  const button = createButton({ text: '?', hint: TITLE, kind: 'sign', onPress: toggle });
  return { button, dialog, toggle };
}
