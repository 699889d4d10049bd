import { factOf } from '../digest/factOf.js';

/** The same question, asked of two things that never change: each pair is asked about once while both are there. */
export function ofPair<A extends object, B extends object, Answer>(
  ask: (a: A, b: B) => Answer,
): (a: A, b: B) => Answer {
  const answers = factOf((a: A) => factOf((b: B) => ask(a, b)));
  return (a, b) => answers(a)(b);
}
