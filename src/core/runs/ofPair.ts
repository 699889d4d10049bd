/** The same question, asked of two things that never change: each pair is asked about once while both are there. */
export function ofPair<A extends object, B extends object, Answer>(
  ask: (a: A, b: B) => Answer,
): (a: A, b: B) => Answer {
  const known = new WeakMap<A, WeakMap<B, { answer: Answer }>>();
  return (a, b) => {
    let answers = known.get(a);
    if (answers === undefined) {
      answers = new WeakMap();
      known.set(a, answers);
    }
    let found = answers.get(b);
    if (found === undefined) {
      found = { answer: ask(a, b) };
      answers.set(b, found);
    }
    return found.answer;
  };
}
