import type { ViewState } from '../model/viewState.js';

/** The name of a saved file, without its ending. */
export function savedName({ choices, selection, compare, view }: ViewState, what: string): string {
  const paths = view === 'compare' ? [compare.pair?.a, compare.pair?.b] : [selection?.path];
  const labels = paths.flatMap((path) => choices?.find((choice) => choice.path === path)?.label ?? []);
  return [...labels.map((label) => label.replace(/\.[^.]*(\.gz)?$/, '')), what].join('-');
}
