import type { Expression, Statement } from '../../python/ast.js';
import { constantOf } from '../../python/constant.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { standings } from '../../python/standings.js';
import { calledName, namesOf, someExpression, somePart } from '../../python/walk.js';
import { type Found, type IsIt, inModule, mentioning } from './names.js';
import { keysOfPuts } from './uses.js';

/** What gives Python's numbers for a tensor's. */
const READS = /^(?:item|tolist)$/;

/** `if key not in self.cache:`, `self.cache.get(key)`, `except KeyError:`, in the function that puts under keys. */
export function isLookedUp({ within, module, statement, outer }: Found, isIt: IsIt): boolean {
  const key = keysOfPuts(statement, isIt).at(0);
  // `self.sums[name] = self.sums.get(name, 0) + loss` adds up.
  if (statement.kind === 'assign' && somePart(statement.value, isIt)) return false;
  const asks = (part: Expression): boolean => {
    if (part.kind === 'binary') return /^(?:not\s+)?in$/.test(part.operator) && isIt(part.right);
    if (part.kind !== 'call' || part.callee.kind !== 'attribute') return false;
    return /^(?:get|setdefault)$/.test(part.callee.name) && isIt(part.callee.value);
  };
  const around = standings(within?.body ?? module.body).map((standing) => standing.statement);
  if (key !== undefined && around.some((one) => isNumbering(one, key))) return false;
  return around.some((one) => someExpression(one, asks)) || outer.some((one) => isMissing(one, statement, isIt));
}

/** `try: return self.cache[key]`, and what is put in where that failed. */
function isMissing(outer: Statement, put: Statement, isIt: IsIt): boolean {
  if (outer.kind !== 'try') return false;
  const isInHandler = outer.handlers.some(({ body }) => standings(body).some(({ statement }) => statement === put));
  const isItem = (part: Expression): boolean => part.kind === 'subscript' && isIt(part.value);
  return isInHandler && standings(outer.body).some(({ statement }) => someExpression(statement, isItem));
}

/** Keys that are read out of tensors are those of samples, or of classes, and come again. */
export function isOfData(key: Expression, { outer, within }: Found): boolean {
  const isRead = (part: Expression): boolean => part.kind === 'call' && READS.test(calledName(part));
  if (somePart(key, isRead)) return true;
  const names = namesOf([key]);
  const isKey = (part: Expression): boolean => part.kind === 'name' && names.has(part.name);
  const binds = (statement: Statement): boolean => {
    if (statement.kind === 'for') return somePart(statement.target, isKey) && somePart(statement.iterable, isRead);
    return (
      statement.kind === 'assign' &&
      statement.targets.some((target) => somePart(target, isKey)) &&
      somePart(statement.value, isRead)
    );
  };
  return outer.some(binds) || standings(within?.body ?? []).some(({ statement }) => binds(statement));
}

/** `key = id(x)`: another one for each object. */
function isNumbering(statement: Statement, key: Expression): boolean {
  if (statement.kind !== 'assign' || statement.value.kind !== 'call' || key.kind !== 'name') return false;
  const { callee } = statement.value;
  return (
    callee.kind === 'name' &&
    /^(?:id|next)$/.test(callee.name) &&
    statement.targets.some((target) => target.kind === 'name' && target.name === key.name)
  );
}

/** Where a number that is used as a key is set to anything but one more. */
export function goesBack(key: Expression, { within }: Found, modules: readonly PythonModule[]): Found | null {
  if (key.kind !== 'attribute') return null;
  for (const one of mentioning(key.name, modules).flatMap(inModule)) {
    const { statement } = one;
    if (one.within === null || one.within.name === '__init__') continue;
    const target = statement.kind === 'assign' ? statement.targets[0] : null;
    if (target?.kind !== 'attribute' || target.name !== key.name || statement.kind !== 'assign') continue;
    const { value } = statement;
    const isRing = value.kind === 'binary' && value.operator === '%';
    if (isRing || (constantOf(value) !== null && one.within !== within)) return one;
    if (constantOf(value) !== null && one.outer.at(-1)?.kind === 'if') return one;
  }
  return null;
}
