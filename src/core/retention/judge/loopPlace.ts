import { isLoop, standings } from '../../python/standings.js';
import type { Sources } from '../sources.js';
import type { Place } from '../values/things.js';

/** Where a loop of the source stands; null of any other. Its name says it. */
export function loopPlace(name: string, sources: Sources): Place | null {
  const found = /^(.+):(\d+)$/.exec(name);
  const module = found === null ? null : sources.module(found[1]);
  if (found === null || module === null) return null;
  const from = Number(found[2]);
  const loop = standings(module.body).find(({ statement }) => isLoop(statement) && statement.from === from)?.statement;
  return { module, span: loop ?? { from, to: from } };
}
