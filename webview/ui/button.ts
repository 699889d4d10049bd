import type { Button } from '@vscode/webview-ui-toolkit';
import './toolkit.js';

/**
 * A push button. @param hint a longer description on hover; screen readers get it instead of a `text` that is a sign
 */
export function createButton(options: {
  text: string;
  hint?: string;
  kind?: 'primary' | 'secondary' | 'sign';
  onPress: () => void;
}): Button {
  const { text, hint, kind = 'secondary', onPress } = options;
  const button = document.createElement('vscode-button');
  button.appearance = kind === 'primary' ? 'primary' : 'secondary';
  button.textContent = text;
  if (hint !== undefined) {
    button.title = hint;
    if (kind === 'sign') button.setAttribute('aria-label', hint);
  }
  button.addEventListener('click', onPress);
  return button;
}
