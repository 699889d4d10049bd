import './toolkit.js';
import type { Control } from './control.js';

/** Tabs, of which one shows its content; the same element may be that of several. */
export function createTabs<Value extends string>(options: {
  label: string;
  items: readonly { value: Value; text: string }[];
  onPick: (value: Value) => void;
}): Control<[value: Value, content: HTMLElement]> {
  const panels = document.createElement('vscode-panels');
  // The moving underline of a panel waits for an animation that a user may have switched off.
  panels.activeindicator = false;
  const tabs = options.items.map(({ value, text }) => {
    const tab = document.createElement('vscode-panel-tab');
    tab.id = `tab-${value}`;
    tab.textContent = text;
    return tab;
  });
  const views = options.items.map(({ value }) => {
    const view = document.createElement('vscode-panel-view');
    view.id = `view-${value}`;
    return view;
  });
  panels.append(...tabs, ...views);
  panels.setAttribute('aria-label', options.label);
  let shown: string | null = null;
  panels.addEventListener('change', (event) => {
    // Controls inside also report their changes.
    if (event.target !== panels) return;
    const selected = options.items.find(({ value }) => panels.activeid === `tab-${value}`)?.value;
    if (selected === undefined || selected === shown || shown === null) return;
    options.onPick(selected);
  });
  return {
    element: panels,
    show: (value, content) => {
      const at = options.items.findIndex((item) => item.value === value);
      if (content.parentElement !== views[at]) views[at].replaceChildren(content);
      if (value === shown) return;
      shown = value;
      panels.activeid = `tab-${value}`;
    },
  };
}
