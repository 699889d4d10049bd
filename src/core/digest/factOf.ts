/** A fact about a thing that never changes: it is computed once while the thing is there. */
export function factOf<Thing extends object, Fact extends object | string | number | boolean | null>(
  ask: (thing: Thing) => Fact,
): (thing: Thing) => Fact {
  const known = new WeakMap<Thing, Fact>();
  return (thing) => {
    let fact = known.get(thing);
    if (fact === undefined) {
      fact = ask(thing);
      known.set(thing, fact);
    }
    return fact;
  };
}
