import { isEqual } from '../model/equal.js';

/** Facts about a thing, by the place of their question. */
const known = new WeakMap<object, unknown[]>();
let questions = 0;

/**
 * A fact about a thing that never changes: it is computed once while the thing is there. One that equals the fact found
 * before is the same object: dumps of a run differ in few.
 */
export function factOf<Thing extends object, Fact extends object | string | number | boolean | null>(
  ask: (thing: Thing) => Fact,
): (thing: Thing) => Fact {
  const place = questions++;
  let before: Fact | null = null;
  return (thing) => {
    let facts = known.get(thing);
    if (facts === undefined) {
      facts = new Array<unknown>(questions);
      known.set(thing, facts);
    }
    let fact = facts[place] as Fact | undefined;
    if (fact === undefined) {
      fact = ask(thing);
      if (before !== null && isEqual(fact, before)) fact = before;
      facts[place] = before = fact;
    }
    return fact;
  };
}
