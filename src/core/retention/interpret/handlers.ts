import { getOrAdd } from '../../maps.js';
import type { Value } from '../values/objects.js';
import type { Called, Follower } from './follower.js';

/** Interprets one call; null if the handler does not know it. */
type Handler = (called: Called, follower: Follower) => Value | null;

/** Handlers by the called name, in the order in which they are tried. */
export function handlersByName(
  table: readonly (readonly [names: Iterable<string>, handler: Handler])[],
): ReadonlyMap<string, readonly Handler[]> {
  const byName = new Map<string, Handler[]>();
  for (const [names, handler] of table) for (const name of names) getOrAdd(byName, name, () => []).push(handler);
  return byName;
}
