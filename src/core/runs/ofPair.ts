import { getOrAdd } from '../maps.js';

/** Computes a result for a pair of unchanging objects once, while both exist. */
export function ofPair<A extends object, B extends object, Answer extends object | number | boolean | null>(
  ask: (a: A, b: B) => Answer,
): (a: A, b: B) => Answer {
  const known = new WeakMap<A, WeakMap<B, Answer>>();
  const none = (): WeakMap<B, Answer> => new WeakMap();
  return (a, b) => {
    return getOrAdd(getOrAdd(known, a, none), b, () => ask(a, b));
  };
}
