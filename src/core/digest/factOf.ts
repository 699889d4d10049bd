/** A fact about a thing that never changes: it is computed once while the thing is there. */
export function factOf<Thing extends object, Fact>(ask: (thing: Thing) => Fact): (thing: Thing) => Fact {
  const known = new WeakMap<Thing, { fact: Fact }>();
  return (thing) => {
    let found = known.get(thing);
    if (found === undefined) {
      found = { fact: ask(thing) };
      known.set(thing, found);
    }
    return found.fact;
  };
}
