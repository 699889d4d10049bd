import { getOrAdd } from './maps.js';
import { isEqual } from './model/equal.js';

/**
 * A fact about a thing that never changes: it is computed once while the thing is there. One that equals the fact found
 * before is the same object: dumps of a run differ in few.
 */
export function factOf<Thing extends object, Fact extends object | string | number | boolean | null>(
  ask: (thing: Thing) => Fact,
): (thing: Thing) => Fact {
  const known = new WeakMap<Thing, Fact>();
  let before: Fact | null = null;
  return (thing) =>
    getOrAdd(known, thing, () => {
      const fact = ask(thing);
      if (before === null || !isEqual(fact, before)) before = fact;
      return before;
    });
}
