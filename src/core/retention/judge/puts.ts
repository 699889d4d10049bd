import type { Expression, Statement } from '../../python/ast.js';
import { calledName, expressionsOf, forEachExpression, someExpression } from '../../python/walk.js';
import type { IsIt } from './found.js';

const PUTS = /^(?:append|appendleft|extend|extendleft|insert|add|put|put_nowait|update|setdefault)$/;

/** True if a statement puts something into a container, or into what the container holds. */
export function isPut(statement: Statement, isIt: IsIt): boolean {
  const isInside = (target: Expression): boolean =>
    isIt(target) || (target.kind === 'subscript' && target.slice === null && isInside(target.value));
  if (statement.kind === 'update') return isInside(statement.target);
  if (statement.kind === 'assign' && statement.targets.some((one) => one.kind === 'subscript' && isInside(one.value))) {
    return true;
  }
  return someExpression(statement, (part) => {
    if (part.kind !== 'call') return false;
    const { callee, args } = part;
    if (callee.kind === 'attribute' && PUTS.test(callee.name) && isInside(callee.value)) return true;
    return calledName(part) === 'heappush' && args.length > 0 && isInside(args[0].value);
  });
}

/** The keys under which a statement puts something straight into a container; constants are none. */
export function keysOfPuts(statement: Statement, isIt: IsIt): Expression[] {
  const keys: Expression[] = [];
  if (statement.kind === 'assign') {
    for (const target of statement.targets) {
      if (target.kind === 'subscript' && target.slice === null && isIt(target.value)) keys.push(...target.index);
    }
  }
  for (const expression of expressionsOf(statement)) {
    forEachExpression(expression, (part) => {
      if (part.kind !== 'call' || part.callee.kind !== 'attribute' || part.callee.name !== 'setdefault') return;
      if (isIt(part.callee.value) && part.args.length > 0) keys.push(part.args[0].value);
    });
  }
  return keys.filter(({ kind }) => kind !== 'literal');
}
