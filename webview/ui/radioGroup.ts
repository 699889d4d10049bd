import './toolkit.js';
import type { Control } from './control.js';

export interface RadioGroupControl<Value extends string> extends Control {
  /** @param possible what can be picked; the others are greyed out */
  show(value: Value, possible: readonly Value[]): void;
}

/** A few alternatives side by side, of which one holds. */
export function createRadioGroup<Value extends string>(options: {
  label: string;
  items: readonly { value: Value; text: string }[];
  onPick: (value: Value) => void;
}): RadioGroupControl<Value> {
  const group = document.createElement('vscode-radio-group');
  group.setAttribute('aria-label', options.label);
  const radios = options.items.map(({ value, text }) => {
    const radio = document.createElement('vscode-radio');
    radio.setAttribute('value', value);
    radio.textContent = text;
    return radio;
  });
  group.append(...radios);
  let shown: string | null = null;
  group.addEventListener('change', () => {
    const picked = options.items.find(({ value }) => value === group.value)?.value;
    if (picked === undefined || picked === shown || shown === null) return;
    shown = picked;
    options.onPick(picked);
  });
  return {
    element: group,
    show: (value, possible) => {
      shown = value;
      for (const [index, radio] of radios.entries()) radio.disabled = !possible.includes(options.items[index].value);
      if (group.value !== value) group.value = value;
    },
  };
}
