import './toolkit.js';
import type { Control } from './control.js';

export interface TextFieldControl extends Control {
  show(text: string): void;
}

/** One line of text; every keystroke is told. */
export function createTextField(options: {
  label: string;
  placeholder: string;
  onInput: (text: string) => void;
}): TextFieldControl {
  const field = document.createElement('vscode-text-field');
  // The toolkit makes this the label, and overwrites an aria-label.
  field.textContent = options.label;
  field.placeholder = options.placeholder;
  field.addEventListener('input', () => options.onInput(field.value));
  return {
    element: field,
    show: (text) => {
      if (field.value !== text) field.value = text;
    },
  };
}
