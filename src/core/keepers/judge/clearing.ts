import type { Expression } from '../../python/ast.js';
import { forEachStatement, type PythonModule } from '../../python/pythonModule.js';
import { standings } from '../../python/standings.js';
import type { Keeper } from '../keeper.js';
import { isCalledByFramework, isMentioned } from './callers.js';
import { empties } from './emptying.js';

/** True if another method empties the attribute, and somebody calls that method or hands it over. */
export function isClearedElsewhere({ attribute, place }: Keeper, modules: readonly PythonModule[]): boolean {
  if (attribute === null) return false;
  for (const module of modules) {
    for (const name of clearingFunctions(module, attribute)) {
      if (isCalledByFramework(name) && module === place.module) return true;
      if (isMentioned(name, modules)) return true;
    }
  }
  return false;
}

/** Functions, other than `__init__`, that empty or replace an attribute. */
function clearingFunctions(module: PythonModule, attribute: string): string[] {
  const names: string[] = [];
  forEachStatement(module.body, (statement) => {
    if (statement.kind !== 'function' || statement.name === '__init__') return;
    const isIt = (target: Expression): boolean => target.kind === 'attribute' && target.name === attribute;
    if (standings(statement.body).some((inside) => empties(inside.statement, isIt))) names.push(statement.name);
  });
  return names;
}
