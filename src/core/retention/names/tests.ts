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

type AskTest = (test: Expression) => boolean;

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
      if (ask(test)) return true;
    }
    // `if self.done: return` before it.
    const block = blocks.find((body) => body.includes(one)) ?? [];
    for (const before of block.slice(0, block.indexOf(one))) {
      if (before.kind !== 'if' || !before.branches.some(({ body }) => leaves(body))) continue;
      if (before.branches.some(({ test }) => ask(test))) return true;
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
