import type { ViewState } from '../model/viewState.js';

/** The name of a saved file. */
export function savedName({ choices, selection }: ViewState, what: string): string {
  const label = choices?.find(({ path }) => path === selection?.path)?.label ?? 'leakline';
  return `${label.replace(/\.[^.]*$/, '')}-${what}`;
}

/** The same of the two that are compared. */
export function comparedName({ choices, compare }: ViewState, what: string): string {
  const nameOf = (path: string | undefined): string =>
    (choices?.find((choice) => choice.path === path)?.label ?? '').replace(/\.[^.]*$/, '');
  return `${nameOf(compare.pair?.a)}-${nameOf(compare.pair?.b)}-${what}`;
}
