import './toolkit.js';
import type { Control } from './control.js';

/** Shorter work needs no progress ring. */
const SHOW_AFTER_MS = 200;

/** A progress ring that appears after a moment. It occupies its place when hidden. */
export function createProgress(label: string): Control<[busy: boolean]> {
  const holder = document.createElement('div');
  holder.className = 'progress';
  const ring = document.createElement('vscode-progress-ring');
  let timer: number | undefined;
  return {
    element: holder,
    show: (busy) => {
      if (!busy) {
        window.clearTimeout(timer);
        timer = undefined;
        ring.remove();
      } else {
        timer ??= window.setTimeout(() => {
          holder.append(ring);
          // The toolkit makes it an assertive alert on connecting, which would interrupt a screen reader at each zoom.
          ring.setAttribute('role', 'progressbar');
          ring.removeAttribute('aria-live');
          ring.setAttribute('aria-label', label);
        }, SHOW_AFTER_MS);
      }
    },
  };
}
