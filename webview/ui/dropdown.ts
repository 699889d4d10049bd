import type { Option } from '@vscode/webview-ui-toolkit';
import { visibleText } from '../../src/core/text/plainText.js';
import './toolkit.js';
import type { Control } from './control.js';

interface DropdownItem {
  value: string;
  text: string;
}

/** Items under a heading; without one where `name` is null. */
export interface DropdownGroup {
  name: string | null;
  items: readonly DropdownItem[];
}

/** A dropdown list. */
export function createDropdown(options: {
  label: string;
  onPick: (value: string) => void;
}): Control<[groups: readonly DropdownGroup[], value: string]> {
  const dropdown = document.createElement('vscode-dropdown');
  dropdown.setAttribute('aria-label', options.label);
  let built = '';
  let shown = '';
  dropdown.addEventListener('change', () => {
    if (dropdown.value === shown || dropdown.value === '') return;
    shown = dropdown.value;
    options.onPick(shown);
  });
  return {
    element: dropdown,
    show: (groups, value) => {
      shown = value;
      const signature = JSON.stringify(groups);
      if (signature === built) {
        if (dropdown.value !== value) dropdown.value = value;
        return;
      }
      built = signature;
      dropdown.replaceChildren(...groups.flatMap((group) => optionsOf(group, value)));
    },
  };
}

function optionsOf({ name, items }: DropdownGroup, selected: string): HTMLElement[] {
  const options = items.map(({ value, text }) => {
    const option = createOption(value, text);
    if (name !== null) option.setAttribute('aria-label', visibleText(`${text}, ${name}`));
    option.toggleAttribute('selected', value === selected);
    return option;
  });
  if (name === null) return options;
  // The toolkit knows no groups: a heading is an option that cannot be chosen.
  const heading = createOption('', name);
  heading.setAttribute('disabled', '');
  heading.classList.add('heading');
  return [heading, ...options];
}

function createOption(value: string, text: string): Option {
  const option = document.createElement('vscode-option');
  option.setAttribute('value', value);
  option.textContent = visibleText(text);
  return option;
}
