import type { Expression, FunctionDef, Statement } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { standings } from '../../python/standings.js';
import type { Keeper } from '../keeper.js';
import { isCalledByFramework, isMentioned } from './callers.js';
import { releaseIn } from './emptying.js';

/** True if another method empties the attribute, and somebody calls that method or hands it over. */
export function isClearedElsewhere({ attribute, place }: Keeper, modules: readonly PythonModule[]): boolean {
  if (attribute === null) return false;
  for (const { module, fn, outer } of modules.flatMap((one) => clearingFunctions(one, attribute))) {
    if (module === place.module && isCalledByFramework(fn, outer, modules)) return true;
    if (isMentioned(fn.name, modules)) return true;
  }
  return false;
}

interface Clearing {
  readonly module: PythonModule;
  readonly fn: FunctionDef;
  readonly outer: readonly Statement[];
}

/** Functions, other than `__init__`, that empty or replace an attribute. */
function clearingFunctions(module: PythonModule, attribute: string): Clearing[] {
  const isIt = (target: Expression): boolean => target.kind === 'attribute' && target.name === attribute;
  return standings(module.body).flatMap(({ statement: fn, outer }) => {
    if (fn.kind !== 'function' || fn.name === '__init__') return [];
    return standings(fn.body).some(({ statement }) => releaseIn(statement, isIt) !== null)
      ? [{ module, fn, outer }]
      : [];
  });
}
