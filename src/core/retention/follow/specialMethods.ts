import type { Span } from '../../python/ast.js';
import { classAttribute } from '../values/parts.js';
import { valueOf, type Thing, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import type { Follower } from './follower.js';

/**
 * Calls a method that Python calls by itself, such as `__enter__` or `__setitem__`, of an object of the program's own.
 * @returns null if there is none
 */
export function callSpecial(
  follower: Follower,
  base: Value,
  name: string,
  values: readonly Value[],
  span: Span,
  act: Activation,
): Value | null {
  for (const thing of base.things) {
    if (thing.kind !== 'instance' || thing.cls === null) continue;
    const [method] = (classAttribute(thing.cls, name)?.things ?? []) as (Thing | undefined)[];
    if (method?.kind !== 'function') continue;
    const next = follower.nextFrame(act, span);
    const given = values.map((value) => ({ name: null, star: '' as const, value, span }));
    const self = valueOf(thing.node, [thing]);
    return follower.invoke({ ...method, self }, given, act, next?.fn.def === method.def ? next.index : null);
  }
  return null;
}
