import type { Value } from '../values/objects.js';
import type { Called, Follower } from './follower.js';

/** Follows one call; null if it is not what the handler knows. */
export type Handler = (called: Called, follower: Follower) => Value | null;

/** Handlers by the name that is called, in the order in which they are asked. */
export function handlersByName(
  table: readonly (readonly [names: Iterable<string>, handler: Handler])[],
): ReadonlyMap<string, readonly Handler[]> {
  const byName = new Map<string, Handler[]>();
  for (const [names, handler] of table)
    for (const name of names) byName.set(name, [...(byName.get(name) ?? []), handler]);
  return byName;
}
