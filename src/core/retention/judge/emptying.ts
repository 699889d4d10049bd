import type { Call, Expression, Statement } from '../../python/ast.js';
import { calledName, someExpression, somePart } from '../../python/walk.js';
import type { ReleaseKind } from '../values/things.js';
import type { IsIt } from './found.js';

/** Methods that take items out of what they are called on. */
const TAKES_OUT = /^(?:clear|pop|popleft|popitem|remove|discard|get_nowait)$/;
/** Functions that take items out of their first argument. */
const TAKES_FROM = /^(?:heappop|heapreplace|heappushpop)$/;
/** Functions that give what they are given, and more. */
const JOINS = /^(?:cat|concat|concatenate|stack|hstack|vstack|append|chain|extend|add|update|lerp)$/;

/**
 * How a statement releases all or some of what a container holds, or puts another one in its place; null if it does not.
 * @param isInside true of the container as well as of what it holds, whatever these are called here
 */
export function releaseIn(statement: Statement, isIt: IsIt, isInside: IsIt = isIt): ReleaseKind | null {
  if (statement.kind === 'assign') {
    const { value } = statement;
    const isReplaced = (target: Expression): boolean => isIt(target) && !continues(value, isIt);
    const targets = statement.targets.flatMap((target) => (target.kind === 'display' ? target.items : [target]));
    const isPart = (part: Expression): boolean =>
      part.kind === 'subscript' && part.slice !== null && isInside(part.value);
    // `self.rows[name] = self.rows[name][-n:]`
    const isCut = (target: Expression): boolean =>
      isPart(target) || (target.kind === 'subscript' && isInside(target) && somePart(value, isPart));
    if (targets.some(isCut)) return 'cut';
    if (targets.some(isReplaced)) return somePart(value, (part) => isPart(part) || isIt(part)) ? 'cut' : 'replace';
  }
  if (statement.kind === 'delete') {
    const drops = statement.targets.some(
      (target) => isIt(target) || (target.kind === 'subscript' && isInside(target.value)),
    );
    return drops ? 'delete' : null;
  }
  const calls = (part: Expression, clears: boolean): boolean =>
    part.kind === 'call' && (calledName(part) === 'clear') === clears && takesOut(part, isIt, isInside);
  if (someExpression(statement, (part) => calls(part, true))) return 'clear';
  return someExpression(statement, (part) => calls(part, false)) ? 'take' : null;
}

function takesOut(call: Call, isIt: IsIt, isInside: IsIt): boolean {
  const { callee, args } = call;
  if (callee.kind === 'attribute' && isInside(callee.value)) {
    if (TAKES_OUT.test(callee.name)) return true;
    // `queue.get()` takes out, `dict.get(key)` does not.
    return callee.name === 'get' && isIt(callee.value) && args.every(({ name }) => name !== null);
  }
  return TAKES_FROM.test(calledName(call)) && args.length > 0 && isInside(args[0].value);
}

/** True if a new value is the old one with more in it: `rows + [row]`, `torch.cat([bank, keys])`. */
function continues(value: Expression, isIt: IsIt): boolean {
  switch (value.kind) {
    case 'conditional':
      return continues(value.then, isIt) || continues(value.otherwise, isIt);
    case 'binary':
    case 'display':
    case 'dict':
      return mentions(value, isIt);
    case 'call': {
      const { callee } = value;
      if (JOINS.test(calledName(value))) return mentions(value, isIt);
      // `torch.cat(…).detach()`
      return callee.kind === 'attribute' && continues(callee.value, isIt);
    }
    default:
      return false;
  }
}

function mentions(value: Expression, isIt: IsIt): boolean {
  // What is cut off on the way does not grow for ever.
  const isCut = (part: Expression): boolean => part.kind === 'subscript' && part.slice !== null && isIt(part.value);
  return somePart(value, isIt) && !somePart(value, isCut);
}
