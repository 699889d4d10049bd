import './toolkit.js';
import type { Control } from './control.js';

/** A box to tick, with its text. */
export function createCheckbox(options: {
  text: string;
  onChange: (checked: boolean) => void;
}): Control<[checked: boolean]> {
  const checkbox = document.createElement('vscode-checkbox');
  checkbox.textContent = options.text;
  let shown = false;
  checkbox.addEventListener('change', () => {
    if (checkbox.checked === shown) return; // set by `show`
    shown = checkbox.checked;
    options.onChange(shown);
  });
  return {
    element: checkbox,
    show: (checked) => {
      shown = checked;
      checkbox.checked = checked;
    },
  };
}
