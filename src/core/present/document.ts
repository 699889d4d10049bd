/** A report as plain data, which a terminal and Markdown print. Recorded names in its texts are marked (`text/names.ts`). */
import type { Column } from '../text/textTable.js';

export interface Document {
  readonly heading: string;
  /** Stands before the first text in a terminal; empty for none. */
  readonly name: string;
  readonly blocks: readonly Block[];
}

export type Block = TextBlock | ListBlock | TableBlock;

interface TextBlock {
  readonly kind: 'text';
  readonly text: string;
  /** The answer that the reader came for. */
  readonly isAnswer: boolean;
}

interface ListBlock {
  readonly kind: 'list';
  readonly items: readonly Item[];
}

export interface Item {
  readonly text: string;
  readonly isAnswer: boolean;
  /** What is below it. */
  readonly items: readonly string[];
}

export interface TableBlock {
  readonly kind: 'table';
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export function answer(text: string): Block {
  return { kind: 'text', text, isAnswer: true };
}

/** A paragraph; none without a text. */
export function text(...texts: readonly string[]): Block[] {
  const all = texts.filter(Boolean).join(' ');
  return all === '' ? [] : [{ kind: 'text', text: all, isAnswer: false }];
}

/** A list without empty texts; no block if all are empty. */
export function list(...items: readonly (string | Item | null)[]): Block[] {
  const all = items
    .flatMap((one) => (typeof one === 'string' ? item(one) : (one ?? [])))
    .filter((one) => one.text !== '');
  return all.length === 0 ? [] : [{ kind: 'list', items: all }];
}

export function item(text: string, ...items: readonly (string | null)[]): Item {
  return { text, isAnswer: false, items: items.filter((below) => below !== null) };
}

/** None without rows. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): Block[] {
  return rows.length === 0 ? [] : [{ kind: 'table', columns, rows }];
}

export function left(title: string): Column {
  return { title, align: '<' };
}

export function right(title: string): Column {
  return { title, align: '>' };
}
