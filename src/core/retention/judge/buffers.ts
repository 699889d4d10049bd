import { lineAt } from '../../python/pythonModule.js';
import { standings } from '../../python/standings.js';
import { expressionsOf, namesOf } from '../../python/walk.js';
import type { PathFrame } from '../keeper.js';
import type { Sources } from '../sources.js';
import type { Place } from '../values/things.js';
import { endingOf } from './endings.js';
import { isPut } from './puts.js';

/**
 * Where a generator that the stack passes through takes items out of a buffer of its own, as one that shuffles a stream:
 * what it draws stays in there while others are given on. Null if there is none.
 */
export function bufferOnTheWay(path: readonly PathFrame[], sources: Sources): Place | null {
  for (const { module, line } of path) {
    for (const { statement: fn } of standings(module.body)) {
      if (fn.kind !== 'function' || !fn.isGenerator) continue;
      if (line < lineAt(module, fn.from) || line > lineAt(module, fn.to)) continue;
      for (const { statement } of standings(fn.body)) {
        for (const name of namesOf(expressionsOf(statement))) {
          if (!isPut(statement, (part) => part.kind === 'name' && part.name === name)) continue;
          const ending = endingOf({ kind: 'variable', name }, module, lineAt(module, fn.from), sources.read);
          if (ending?.kind === 'letsGo') return ending.place;
        }
      }
    }
  }
  return null;
}
