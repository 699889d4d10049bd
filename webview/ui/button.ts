import './toolkit.js';
import type { Control } from './control.js';

interface ButtonControl extends Control {
  setEnabled(enabled: boolean): void;
}

/**
 * A push button.
 * @param text what it shows
 * @param hint a longer description, shown on hovering; read instead of `text` where that is only a sign
 */
export function createButton(options: {
  text: string;
  hint?: string;
  kind?: 'primary' | 'secondary' | 'sign';
  onPress: () => void;
}): ButtonControl {
  const { text, hint, kind = 'secondary', onPress } = options;
  const button = document.createElement('vscode-button');
  button.appearance = kind === 'primary' ? 'primary' : 'secondary';
  button.textContent = text;
  if (hint !== undefined) {
    button.title = hint;
    if (kind === 'sign') button.setAttribute('aria-label', hint);
  }
  button.addEventListener('click', onPress);
  return {
    element: button,
    setEnabled: (enabled) => {
      button.disabled = !enabled;
    },
  };
}
