import { factOf } from '../digest/factOf.js';

/** Computes a result for a pair of unchanging objects once, while both exist. */
export function ofPair<A extends object, B extends object, Answer>(
  ask: (a: A, b: B) => Answer,
): (a: A, b: B) => Answer {
  const answers = factOf((a: A) => factOf((b: B) => ask(a, b)));
  return (a, b) => answers(a)(b);
}
