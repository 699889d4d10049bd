/** The graph: a tree of boxes, one row of boxes for each level, walked by keys. */
import { el } from '../ui/dom.js';
import { t } from '../../src/core/text/translate.js';
import type { FlameItem } from './flameItems.js';

/** The look of an item's box, and its accessible text. */
export interface BoxDress {
  /** The text that fits into the box. */
  text: string;
  /** Everything about it, in a sentence. */
  label: string;
  classes: string;
  /** The color of its line in the chart; none without a series. */
  fill?: string | null;
}

/** Minimum width of a box with a name, in pixels. */
const MIN_NAMED = 48;

interface FlameGraphHandlers {
  /** An item shall fill the width. */
  focus(item: FlameItem): void;
  open(item: FlameItem): void;
  /** The item under the mouse, else the focused one. */
  look(item: FlameItem | null): void;
  back(): void;
  everything(): void;
}

export class FlameGraph {
  readonly element = el('div', {
    class: 'flame-graph',
    role: 'tree',
    'aria-description': t(
      'Down goes to the largest call below, up to the caller, left and right to the neighbors. Space zooms in, Backspace goes back, Home goes to the top. Enter opens the line.',
    ),
  });
  private items: readonly FlameItem[] = [];
  private boxes: HTMLElement[] = [];
  private current = 0;
  /** The item that fills the width. */
  private first = 0;

  /** @param label describes the boxes and their width */
  constructor(
    label: string,
    private readonly on: FlameGraphHandlers,
  ) {
    this.element.setAttribute('aria-label', label);
    const indexOf = (event: Event): number =>
      event.target instanceof Node ? this.boxes.findIndex((box) => box.contains(event.target as Node)) : -1;
    this.element.addEventListener('click', (event) => {
      const index = indexOf(event);
      if (index !== -1) this.press(index, event.ctrlKey || event.metaKey);
    });
    this.element.addEventListener('mousemove', (event) => {
      const index = indexOf(event);
      on.look(this.items.at(index === -1 ? this.items.length : index) ?? null);
    });
    this.element.addEventListener('mouseleave', () =>
      on.look(this.element.contains(document.activeElement) ? (this.items.at(this.current) ?? null) : null),
    );
    this.element.addEventListener('focusin', (event) => {
      const index = indexOf(event);
      if (index === -1) return;
      this.makeCurrent(index);
      on.look(this.items[index]);
    });
    this.element.addEventListener('keydown', (event) => {
      if (!event.altKey && !event.shiftKey && this.key(event.key)) event.preventDefault();
    });
  }

  /** @param first the item that fills the width, with its callers above @param dress of an item by its index */
  show(items: readonly FlameItem[], first: number, dress: (item: FlameItem, index: number) => BoxDress): void {
    const focused = this.element.contains(document.activeElement);
    const before = this.items.at(this.current);
    this.items = items;
    this.first = first;
    const room = this.element.clientWidth || Infinity;
    this.boxes = items.map((item, index) => boxOf(item, dress(item, index), item.width * room >= MIN_NAMED));
    this.element.replaceChildren(...this.boxes);
    this.element.style.setProperty('--levels', String(items.reduce((most, { level }) => Math.max(most, level), 0)));
    const same = before === undefined ? -1 : items.findIndex((item) => sameItem(item, before));
    this.current = same === -1 ? this.first : same;
    this.makeCurrent(this.current);
    // The leaves allocate: if not all levels fit, show them.
    const frame = this.element.parentElement;
    if (frame !== null) frame.scrollTop = frame.scrollHeight;
    if (focused) this.boxes.at(this.current)?.focus();
  }

  mark(found: ReadonlySet<number>): void {
    this.boxes.forEach((box, index) => {
      const isFound = found.has(index);
      box.classList.toggle('found', isFound);
      if (isFound) box.setAttribute('aria-description', t('found'));
      else box.removeAttribute('aria-description');
    });
  }

  private press(index: number, opens: boolean): void {
    const item = this.items[index];
    this.boxes[index].focus();
    if (opens || (index === this.first && item.call !== null)) this.on.open(item);
    else this.on.focus(item);
  }

  private key(key: string): boolean {
    const item = this.items.at(this.current);
    if (item === undefined) return false;
    const to = {
      ArrowDown: item.children.at(0) ?? -1,
      ArrowUp: item.parent,
      ArrowLeft: this.neighbor(-1),
      ArrowRight: this.neighbor(1),
      Home: 0,
      End: this.items.length - 1,
    }[key];
    if (to !== undefined) {
      if (to !== -1) this.boxes[to].focus();
      return true;
    }
    switch (key) {
      case 'Enter':
        this.on.open(item);
        return true;
      case ' ':
        this.on.focus(item);
        return true;
      case 'Backspace':
        this.on.back();
        return true;
      case 'Escape':
        this.on.everything();
        return true;
      default:
        return false;
    }
  }

  /** The next item of the same level to one side, -1 if there is none. */
  private neighbor(step: 1 | -1): number {
    const { level } = this.items[this.current];
    for (let i = this.current + step; i >= 0 && i < this.items.length; i += step) {
      if (this.items[i].level === level) return i;
    }
    return -1;
  }

  private makeCurrent(index: number): void {
    this.boxes.at(this.current)?.setAttribute('tabindex', '-1');
    this.current = index;
    this.boxes.at(index)?.setAttribute('tabindex', '0');
  }
}

function boxOf(
  { level, left, width, children }: FlameItem,
  { text, label, classes, fill = null }: BoxDress,
  isNamed: boolean,
): HTMLElement {
  const box = el(
    'div',
    {
      class: `call ${fill === null ? '' : 'of-series '}${children.length === 0 ? 'leaf ' : ''}${classes}`,
      role: 'treeitem',
      tabindex: '-1',
      'aria-level': String(level),
      'aria-label': label,
    },
    isNamed ? text : '',
  );
  if (fill !== null) box.style.setProperty('--fill', fill);
  box.style.setProperty('--left', `${left * 100}%`);
  box.style.setProperty('--width', String(width));
  box.style.setProperty('--level', String(level - 1));
  return box;
}

function sameItem(a: FlameItem, b: FlameItem): boolean {
  return a.merged > 0 === b.merged > 0 && a.path.length === b.path.length && a.path.every((id, i) => id === b.path[i]);
}
