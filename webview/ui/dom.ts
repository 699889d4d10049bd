/** Builds elements. All content is text: data of a snapshot never becomes markup, and none of it is invisible. */
import { visibleLines } from '../../src/core/text/plainText.js';

/** An element with attributes, those that are not undefined, and children; strings become text. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(name, visibleLines(value));
  element.append(...children.map((child) => (typeof child === 'string' ? visibleLines(child) : child)));
  return element;
}

/** Sets the text only if it differs, so that a live region does not speak twice. */
export function setText(element: HTMLElement, text: string): void {
  const shown = visibleLines(text);
  if (element.textContent !== shown) element.textContent = shown;
}

/** Runs `action` once the returned function has not been called for some milliseconds. */
export function afterQuiet(quietMs: number, action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, quietMs);
  };
}

/** Runs `render` at most once per frame, however often the returned function is called. */
export function oncePerFrame(render: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      render();
    });
  };
}
