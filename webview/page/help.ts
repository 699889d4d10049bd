/** The overlay of keys: `?` opens it, Escape closes it. */
import { el } from '../ui/dom.js';
import { strings } from '../text/strings.js';
import { createButton } from '../ui/button.js';

const { click, wheel, sweep, drag } = strings.gesture;

/** Keys and gestures with their descriptions. */
const KEYS: readonly [keys: readonly string[], text: keyof typeof strings.keyText][] = [
  [['W', 'S'], 'zoom'],
  [['A', 'D'], 'move'],
  [['←', '→'], 'points'],
  [['↑'], 'peak'],
  [['[', ']'], 'steps'],
  [['Alt+↑', 'Alt+↓'], 'walk'],
  [['Enter'], 'select'],
  [['M'], 'mark'],
  [['/'], 'search'],
  [['Home'], 'whole'],
  [['Alt++', 'Alt+−'], 'bytes'],
  [['Esc'], 'clear'],
  [[click], 'click'],
  [[wheel, sweep], 'wheel'],
  [[drag], 'drag'],
];

export interface Help {
  /** The button that opens it. */
  readonly button: HTMLElement;
  readonly dialog: HTMLDialogElement;
  toggle(): void;
}

export function createHelp(): Help {
  const rows = KEYS.map(([keys, text]) =>
    el('li', {}, el('span', {}, ...keys.map((key) => el('kbd', {}, key))), strings.keyText[text]),
  );
  const close = createButton({ text: strings.close, onPress: () => dialog.close() });
  const dialog = el(
    'dialog',
    { class: 'help', attributes: { 'aria-labelledby': 'help-title' } },
    el('div', { class: 'help-head' }, el('h2', { attributes: { id: 'help-title' } }, strings.help), close),
    el('ul', { class: 'help-keys', attributes: { tabindex: '0' } }, ...rows),
  );
  const toggle = (): void => {
    if (dialog.open) dialog.close();
    else dialog.showModal();
  };
  const button = createButton({ text: '?', hint: strings.help, kind: 'sign', onPress: toggle });
  return { button, dialog, toggle };
}
