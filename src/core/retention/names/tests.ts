import type { Expression, Statement } from '../../python/ast.js';
import { type PythonModule, bodiesOf } from '../../python/pythonModule.js';
import { type Standing, standings } from '../../python/standings.js';
import { calledName, someExpression, somePart } from '../../python/walk.js';
import { type Found, type IsIt, inModule, mentioning } from './names.js';

const COMPARES = /^(?:[<>]=?|[!=]=|is)$/;

/** True if a test around what is put in, or around each call of the function that does, may cease to hold. */
export function isTested(one: Found, isIt: IsIt, modules: readonly PythonModule[]): boolean {
  return isUnder(one, modules, (test) => isPassing(test, modules, isIt));
}

/** True if such a test holds up to a count of steps or epochs, and no longer: `if epoch == 0:`, `if step >= n: return`. */
export function isCountedOut(one: Found, modules: readonly PythonModule[]): boolean {
  return isUnder(one, modules, (test, leaves) => isUpTo(test, leaves, modules));
}

/** @param leaves true of a test before the statement that ends the block */
type AskTest = (test: Expression, leaves: boolean) => boolean;

function isUnder(one: Found, modules: readonly PythonModule[], ask: AskTest): boolean {
  if (mayCease(one, ask)) return true;
  const { within } = one;
  if (within === null || /^__\w+__$|^forward$/.test(within.name)) return false;
  const calls = mentioning(within.name, modules)
    .flatMap(inModule)
    .filter(({ statement, outer }) => !outer.includes(within) && callsIt(statement, within.name));
  return calls.length > 0 && calls.every((call) => mayCease(call, ask));
}

function callsIt(statement: Statement, name: string): boolean {
  return someExpression(statement, (part) => part.kind === 'call' && calledName(part) === name);
}

/**
 * True if a statement stands under a test that holds now and may not for ever: of a number, or of a flag that is given
 * another value somewhere. One that holds every so many steps goes on.
 */
function mayCease({ statement, outer, blocks }: Standing, ask: AskTest): boolean {
  const fn = outer.findLastIndex(({ kind }) => kind === 'function');
  const inside = [...outer.slice(fn + 1), statement];
  for (const [i, one] of inside.entries()) {
    for (const test of testsOf(one, inside.at(i + 1))) {
      if (ask(test, false)) return true;
    }
    // `if self.done: return` before it.
    const block = blocks.find((body) => body.includes(one)) ?? [];
    for (const before of block.slice(0, block.indexOf(one))) {
      if (before.kind !== 'if' || !before.branches.some(({ body }) => leaves(body))) continue;
      if (before.branches.some(({ test }) => ask(test, true))) return true;
    }
  }
  return false;
}

/** The tests of a statement that decide whether the one below it runs. */
function testsOf(statement: Statement, below: Statement | undefined): readonly Expression[] {
  if (below === undefined || !bodiesOf(statement).some((body) => body.includes(below))) return [];
  if (statement.kind === 'while') return [];
  return statement.kind === 'if' ? statement.branches.map(({ test }) => test) : [];
}

function isPassing(test: Expression, modules: readonly PythonModule[], isKept: IsIt): boolean {
  if (somePart(test, (part) => part.kind === 'binary' && part.operator === '%')) return false;
  const compares = (part: Expression): boolean => {
    if (part.kind !== 'binary' || !COMPARES.test(part.operator)) return false;
    return part.operator === 'is' ? part.left.kind === 'attribute' && !isKept(part.left) : isCount(part);
  };
  return somePart(test, compares) || isFlag(test.kind === 'unary' ? test.operand : test, modules);
}

/** What counts how long training has gone on. */
const COUNTS = /(?:^|_)(?:epoch|step|iter|iteration|round|stage|phase|count|calls|seen)(?:s|_?idx|_?no)?$/i;

function isUpTo(test: Expression, leaves: boolean, modules: readonly PythonModule[]): boolean {
  const isCounter = (side: Expression): boolean => {
    if (side.kind !== 'name' && side.kind !== 'attribute') return false;
    return COUNTS.test(side.name) && (side.kind === 'name' || isCountedUp(side.name, modules));
  };
  return somePart(test, (part) => {
    if (part.kind !== 'binary' || [part.left, part.right].some(({ kind }) => kind === 'binary')) return false;
    const [below, above] = leaves ? [/^>=?$/, /^<=?$/] : [/^(?:<=?|==)$/, /^(?:>=?|==)$/];
    return (isCounter(part.left) && below.test(part.operator)) || (isCounter(part.right) && above.test(part.operator));
  });
}

/** `self.seen += 1`, `state.step = step` */
function isCountedUp(name: string, modules: readonly PythonModule[]): boolean {
  return mentioning(name, modules)
    .flatMap(inModule)
    .some(({ statement, within }) => {
      if (statement.kind !== 'update' && (statement.kind !== 'assign' || within?.name === '__init__')) return false;
      const targets = statement.kind === 'update' ? [statement.target] : statement.targets;
      return targets.some((target) => target.kind === 'attribute' && target.name === name);
    });
}

/** A comparison of a plain name, an attribute or a length with anything but a text. */
function isCount({ left, right }: { readonly left: Expression; readonly right: Expression }): boolean {
  if ([left, right].some((side) => side.kind === 'literal' && side.type !== 'number')) return false;
  return [left, right].some(
    (side) =>
      side.kind === 'name' ||
      side.kind === 'attribute' ||
      (side.kind === 'call' && side.callee.kind === 'name' && side.callee.name === 'len'),
  );
}

/** An attribute that a method other than the one that makes the object gives a value. */
function isFlag(test: Expression, modules: readonly PythonModule[]): boolean {
  if (test.kind !== 'attribute') return false;
  return modules.some(({ body }) =>
    standings(body).some(({ statement, outer }) => {
      if (statement.kind !== 'assign') return false;
      if (!statement.targets.some((target) => target.kind === 'attribute' && target.name === test.name)) return false;
      const fn = outer.findLast(({ kind }) => kind === 'function');
      return fn?.kind === 'function' && fn.name !== '__init__';
    }),
  );
}

function leaves(body: readonly Statement[]): boolean {
  const last = body.at(-1);
  return last?.kind === 'return' || (last?.kind === 'other' && last.leaves);
}
