/** A button that opens rarely needed choices over the page. */
import { el } from '../ui/dom.js';

export function popup(kind: string, text: string, content: HTMLElement): HTMLDetailsElement {
  const summary = el('summary', {}, text);
  const details = el('details', { class: `popup ${kind}` }, summary, content);
  details.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !details.open) return;
    details.open = false;
    summary.focus();
    event.stopPropagation();
  });
  document.addEventListener('pointerdown', (event) => {
    if (!details.contains(event.target as Node)) details.open = false;
  });
  return details;
}
