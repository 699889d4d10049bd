import type { Expression, Span, Statement } from '../../python/ast.js';
import { bodiesOf, forEachStatement, type PythonModule } from '../../python/pythonModule.js';
import { expressionsOf, forEachExpression } from '../../python/walk.js';
import type { Keeper } from '../keeper.js';

/** True if another method empties the attribute, and somebody calls that method. */
export function isClearedElsewhere({ attribute, place }: Keeper, modules: readonly PythonModule[]): boolean {
  if (attribute === null) return false;
  for (const module of modules) {
    for (const name of clearingFunctions(module, attribute)) {
      if (isCalledByFramework(name) && module === place.module) return true;
      if (isCalled(name, modules)) return true;
    }
  }
  return false;
}

function isCalled(name: string, modules: readonly PythonModule[]): boolean {
  return modules.some((module) => {
    const initialisers = spansOf(module, '__init__');
    const own = spansOf(module, name);
    for (const match of module.text.matchAll(new RegExp(`\\b${name}\\s*\\(`, 'g'))) {
      const { index } = match;
      if (/\bdef\s+$/.test(module.text.slice(Math.max(0, index - 20), index))) continue;
      if (![...initialisers, ...own].some(({ from, to }) => from <= index && index < to)) return true;
    }
    return false;
  });
}

/** Lightning and its like call these by themselves. */
function isCalledByFramework(name: string): boolean {
  return /^on_|_end$|_start$|^reset_epoch/.test(name);
}

/** Functions, other than `__init__`, that empty or replace an attribute. */
function clearingFunctions(module: PythonModule, attribute: string): string[] {
  const names: string[] = [];
  forEachStatement(module.body, (statement) => {
    if (statement.kind !== 'function' || statement.name === '__init__') return;
    const clears: Statement[] = [];
    forEachStatement(statement.body, (inside) => {
      if (empties(inside, attribute)) clears.push(inside);
    });
    if (clears.length > 0) names.push(statement.name);
  });
  return names;
}

/** True if a statement empties or replaces an attribute of that name. */
function empties(statement: Statement, attribute: string): boolean {
  const isIt = (target: Expression): boolean => target.kind === 'attribute' && target.name === attribute;
  if (statement.kind === 'assign') {
    const targets = statement.targets.flatMap((target) => (target.kind === 'display' ? target.items : [target]));
    return targets.some(
      (target) => isIt(target) || (target.kind === 'subscript' && target.slice && isIt(target.value)),
    );
  }
  if (statement.kind === 'delete') {
    return statement.targets.some((target) => isIt(target) || (target.kind === 'subscript' && isIt(target.value)));
  }
  const calls: Expression[] = [];
  for (const expression of expressionsOf(statement)) {
    forEachExpression(expression, (part) => {
      if (part.kind !== 'call' || part.callee.kind !== 'attribute') return;
      if (/^(?:clear|pop|popleft|popitem)$/.test(part.callee.name) && isIt(part.callee.value)) calls.push(part);
    });
  }
  return calls.length > 0;
}

function spansOf(module: PythonModule, name: string): Span[] {
  const spans: Span[] = [];
  forEachStatement(module.body, (statement) => {
    if (statement.kind === 'function' && statement.name === name && bodiesOf(statement).length > 0)
      spans.push(statement);
  });
  return spans;
}
