import type { Control } from './control.js';
import { createDropdown } from './dropdown.js';

/** One of a few fixed values. It shows those that are possible, by default all. */
export function createChoice<Value extends string>(options: {
  label: string;
  names: Readonly<Record<Value, string>>;
  onPick: (value: Value) => void;
}): Control<[value: Value, possible?: readonly Value[]]> {
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
