import { createDropdown, type DropdownControl } from './dropdown.js';

/** One of a few fixed values. */
interface ChoiceControl<Value extends string> extends Pick<DropdownControl, 'element'> {
  /** @param possible the available choices; all by default */
  show(value: Value, possible?: readonly Value[]): void;
}

export function createChoice<Value extends string>(options: {
  label: string;
  names: Readonly<Record<Value, string>>;
  onPick: (value: Value) => void;
}): ChoiceControl<Value> {
  const { names } = options;
  const all = Object.keys(names) as Value[];
  const dropdown = createDropdown({
    label: options.label,
    onPick: (selected) => {
      const value = all.find((one) => one === selected);
      if (value !== undefined) options.onPick(value);
    },
  });
  return {
    element: dropdown.element,
    show: (value, possible = all) =>
      dropdown.show([{ name: null, items: possible.map((one) => ({ value: one, text: names[one] })) }], value),
  };
}
