import type { PythonModule } from '../../python/pythonModule.js';
import type { Call, Expression, Statement } from '../../python/ast.js';
import { constantOf } from '../../python/constant.js';
import { isLoop, standings } from '../../python/standings.js';
import { allExpressions, calledName, expressionsOf, partsOf, someExpression, somePart } from '../../python/walk.js';
import {
  CLEARS,
  JOINS,
  madeBy,
  PUTS_IN,
  PUTS_IN_FIRST,
  RESETS_LOGGED,
  TAKES_FROM_FIRST,
  TAKES_OUT,
} from '../operations.js';
import type { ReleaseKind } from '../values/objects.js';
import { type Found, inModule, isNamed, type IsIt, nameOfHolder, outerName, statementsBeside } from './names.js';

/**
 * How a statement releases items of a container, or replaces it; else null.
 * @param isInside true of the container and of its items, under any name
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
  let kind: ReleaseKind | null = null;
  someExpression(statement, (part) => {
    if (part.kind !== 'call' || !takesOut(part, isIt, isInside)) return false;
    kind = CLEARS.has(calledName(part)) ? 'clear' : 'take';
    return true;
  });
  return kind;
}

function takesOut(call: Call, isIt: IsIt, isInside: IsIt): boolean {
  const { callee, args } = call;
  const isOfSelf = callee.kind === 'attribute' && callee.value.kind === 'name' && callee.value.name === 'self';
  if (isOfSelf && RESETS_LOGGED.has(callee.name)) return args.some(({ value }) => isInside(value));
  if (callee.kind === 'attribute' && isInside(callee.value)) {
    if (TAKES_OUT.has(callee.name)) return true;
    // `queue.get()` takes out, `dict.get(key)` does not.
    return callee.name === 'get' && isIt(callee.value) && args.every(({ name }) => name !== null);
  }
  return TAKES_FROM_FIRST.has(calledName(call)) && args.length > 0 && isInside(args[0].value);
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
      if (JOINS.has(calledName(value))) return mentions(value, isIt);
      // `torch.cat(…).detach()`
      return callee.kind === 'attribute' && continues(callee.value, isIt);
    }
    default:
      return false;
  }
}

function mentions(value: Expression, isIt: IsIt): boolean {
  // A slice on the way limits the growth.
  const isCut = (part: Expression): boolean => part.kind === 'subscript' && part.slice !== null && isIt(part.value);
  return somePart(value, isIt) && !somePart(value, isCut);
}

/** True if a statement stores into a container, or into one of its items. */
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
    if (callee.kind === 'attribute' && PUTS_IN.has(callee.name) && isInside(callee.value)) return true;
    return PUTS_IN_FIRST.has(calledName(part)) && args.length > 0 && isInside(args[0].value);
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
  for (const part of allExpressions(statement)) {
    if (part.kind !== 'call' || part.callee.kind !== 'attribute' || part.callee.name !== 'setdefault') continue;
    if (isIt(part.callee.value) && part.args.length > 0) keys.push(part.args[0].value);
  }
  return keys.filter(({ kind }) => kind !== 'literal');
}

const COMPARES = /^(?:[<>]=?|[!=]=)$/;

/** A statement that reads what a loop has collected. */
interface ReadAfter {
  readonly found: Found;
  /** The loop has no word of training in it. */
  readonly isOfEvaluation: boolean;
}

const TRAINING = /backward|optim|\bstep\b|_step\b|train|\bfit\b/i;

/** True for the text of a loop with words of training. */
export function trains(text: string): boolean {
  return TRAINING.test(text);
}

/**
 * The first statement that reads a container after the loops around a put into it, in the function that makes it before
 * them; null for none.
 * @param holder as a report names it; of an item by name, the outer container counts
 */
export function readAfterLoops(holder: string, put: Found | undefined): ReadAfter | null {
  const name = outerName(holder) ?? nameOfHolder(holder);
  const loop = put === undefined ? undefined : outerInFunction(put).find(isLoop);
  if (name === null || put === undefined || loop === undefined) return null;
  const isIt: IsIt = (part) => isNamed(name, part);
  const beside = inModule(put.module).filter(({ within }) => within === put.within);
  const isMadeHere = beside.some(
    ({ statement }) => statement.to <= loop.from && releaseIn(statement, isIt) === 'replace',
  );
  const read = beside.find(({ statement }) => statement.from >= loop.to && isRead(statement, isIt));
  if (!isMadeHere || read === undefined) return null;
  return { found: read, isOfEvaluation: !trains(put.module.text.slice(loop.from, loop.to)) };
}

/** True if a statement uses the items, and not only their number or the last ones: `if rows`, `not rows`, `rows[-n:]`. */
export function isRead(statement: Statement, isIt: IsIt): boolean {
  const isItem = itemsOf(isIt);
  const isFixed: IsIt = (part) =>
    part.kind === 'subscript' &&
    isIt(part.value) &&
    part.index.length === 1 &&
    Number.isInteger(constantOf(part.index[0]));
  const isOfLast: IsIt = (part) => isLast(part, isItem);
  const isTest: IsIt = (part) => part.kind === 'unary' && part.operator === 'not' && isIt(part.operand);
  const isNoUse: IsIt = (part) => isLength(part, isItem) || isFixed(part) || isOfLast(part) || isTest(part);
  const reads: IsIt = (part) => !isNoUse(part) && (isIt(part) || partsOf(part).some(reads));
  const tests = statement.kind === 'if' ? statement.branches.map(({ test }) => test) : [];
  const used = expressionsOf(statement).filter((part) => !tests.includes(part) || !isIt(part));
  return releaseIn(statement, isIt) === null && !isPut(statement, isIt) && used.some(reads);
}

/** `rows` and `rows[name]` */
function itemsOf(isIt: IsIt): IsIt {
  const isItem: IsIt = (part) => isIt(part) || (part.kind === 'subscript' && isItem(part.value));
  return isItem;
}

/** `rows[-n:]` */
function isLast(part: Expression, isItem: IsIt): boolean {
  return (
    part.kind === 'subscript' && isItem(part.value) && part.slice?.start?.kind === 'unary' && part.slice.end === null
  );
}

/** The statement that reads the last items of a container, if no statement reads others; else null. */
export function readOfLast(holder: string, modules: readonly PythonModule[]): Found | null {
  const name = nameOfHolder(holder);
  if (name === null || name.kind === 'variable') return null;
  const isIt: IsIt = (part) => isNamed(name, part);
  const beside = statementsBeside(name.name, modules);
  if (beside.some(({ statement }) => isRead(statement, isIt))) return null;
  return beside.find(({ statement }) => someExpression(statement, (part) => isLast(part, itemsOf(isIt)))) ?? null;
}

/** Functions that go through all items of what they are given. */
const GOES_THROUGH = /^(?:range|enumerate|list|tuple|zip|reversed|sorted|iter)$/;

/** True if a statement goes through all items: in a loop, or in `torch.stack(rows)`. */
export function usesAll(statement: Statement, isIt: IsIt): boolean {
  const spans: IsIt = (part) => {
    if (isIt(part) || isLength(part, isIt)) return true;
    if (part.kind !== 'call') return false;
    const { callee, args } = part;
    if (callee.kind === 'attribute' && /^(?:values|items)$/.test(callee.name)) return isIt(callee.value);
    return callee.kind === 'name' && GOES_THROUGH.test(callee.name) && args.some(({ value }) => spans(value));
  };
  if (statement.kind === 'for' && spans(statement.iterable)) return true;
  return someExpression(statement, (part) => {
    if (part.kind === 'comprehension') return part.clauses.some(({ iterable }) => spans(iterable));
    const joins = part.kind === 'call' && (JOINS.has(calledName(part)) || calledName(part) === 'sum');
    return joins && part.args.some(({ value }) => spans(value));
  });
}

/** `self.rows = deque(maxlen=n)`: it drops the oldest. `ring = partial(deque, maxlen=n)` makes such. */
export function isBounded({ statement, module }: Found, isIt: IsIt): boolean {
  if (statement.kind !== 'assign' || !statement.targets.some(isIt) || statement.value.kind !== 'call') return false;
  const made = calledName(statement.value);
  return (
    hasBound(statement.value) ||
    standings(module.body).some(
      ({ statement: maker }) =>
        maker.kind === 'assign' &&
        maker.value.kind === 'call' &&
        maker.targets.some((target) => target.kind === 'name' && target.name === made) &&
        hasBound(maker.value),
    )
  );
}

function hasBound(call: Call): boolean {
  const [key, place] = madeBy(calledName(call))?.bound ?? ['maxlen', null];
  return call.args.some(({ name, value }, i) => {
    if (name !== key && (name !== null || i !== place)) return false;
    return !(value.kind === 'literal' && value.type === 'none') && (constantOf(value) ?? 1) > 0;
  });
}

/** True if it is under a test of the container's length. */
export function isMeasured(found: Found, isIt: IsIt): boolean {
  return outerInFunction(found).some((statement) => {
    if (statement.kind !== 'if' && statement.kind !== 'while') return false;
    const tests = statement.kind === 'while' ? [statement.test] : statement.branches.map(({ test }) => test);
    return tests.some((test) => comparesLength(test, isIt));
  });
}

/** The statements around a statement, from its function inwards. */
export function outerInFunction({ outer, within }: Found): readonly Statement[] {
  return within === null ? outer : outer.slice(outer.indexOf(within));
}

function comparesLength(test: Expression, isIt: IsIt): boolean {
  return somePart(
    test,
    (part) =>
      part.kind === 'binary' &&
      COMPARES.test(part.operator) &&
      [part.left, part.right].some((side) => isLength(side, isIt)),
  );
}

function isLength(part: Expression, isIt: IsIt): boolean {
  return (
    part.kind === 'call' &&
    part.callee.kind === 'name' &&
    part.callee.name === 'len' &&
    part.args.length === 1 &&
    isIt(part.args[0].value)
  );
}

/** Where a number that is used as a key is set to anything but one more. */
export function goesBack(key: Expression, { within }: Found, modules: readonly PythonModule[]): Found | null {
  if (key.kind !== 'attribute') return null;
  const back = valuesOf(key.name, modules).find(({ found, value }) => {
    if (value.kind === 'binary' && value.operator === '%') return true;
    return constantOf(value) !== null && (found.within !== within || found.outer.at(-1)?.kind === 'if');
  });
  return back?.found ?? null;
}

/** True for an attribute that a method sets to a number again: a count of events in a row does not end. */
export function startsAgain(name: string, modules: readonly PythonModule[]): boolean {
  return valuesOf(name, modules).some(({ value }) => constantOf(value) !== null);
}

/** The values that functions other than constructors give to an attribute. */
function valuesOf(name: string, modules: readonly PythonModule[]): { found: Found; value: Expression }[] {
  return statementsBeside(name, modules).flatMap((found) => {
    const { statement, within } = found;
    if (statement.kind !== 'assign' || within === null || within.name === '__init__') return [];
    const isSet = statement.targets.some((target) => target.kind === 'attribute' && target.name === name);
    return isSet ? [{ found, value: statement.value }] : [];
  });
}
