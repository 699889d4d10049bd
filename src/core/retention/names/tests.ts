import type { Expression, Statement } from '../../python/ast.js';
import { bodiesOf, type PythonModule } from '../../python/pythonModule.js';
import type { Standing } from '../../python/standings.js';
import { leaves } from '../../python/walk.js';
import { callsOf, type Found } from './names.js';

/** @param isNegated true if the statement runs where the test does not hold */
export type AskTest = (test: Expression, at: Standing, isNegated: boolean) => boolean;

/** True if a test decides whether a statement runs, or whether each call of its function does. */
export function isUnderTest(one: Found, modules: readonly PythonModule[], ask: AskTest): boolean {
  if (isTested(one, ask)) return true;
  const { within } = one;
  if (within === null || /^__\w+__$|^forward$/.test(within.name)) return false;
  const calls = callsOf(within, modules);
  return calls.length > 0 && calls.every((call) => isTested(call, ask));
}

function isTested(standing: Standing, ask: AskTest): boolean {
  const { statement, outer, blocks } = standing;
  const fn = outer.findLastIndex(({ kind }) => kind === 'function');
  const inside = [...outer.slice(fn + 1), statement];
  for (const [i, one] of inside.entries()) {
    for (const [test, isNegated] of testsOf(one, inside.at(i + 1))) {
      if (ask(test, standing, isNegated)) return true;
    }
    // `if self.done: return` before it.
    const block = blocks.find((body) => body.includes(one)) ?? [];
    for (const before of block.slice(0, block.indexOf(one))) {
      if (before.kind !== 'if' || !before.branches.some(({ body }) => leaves(body))) continue;
      if (before.branches.some(({ test }) => ask(test, standing, true))) return true;
    }
  }
  return false;
}

/** The tests of a statement that decide whether the one below it runs: its own, and those before it, which must not hold. */
function testsOf(statement: Statement, below: Statement | undefined): (readonly [Expression, boolean])[] {
  if (statement.kind !== 'if' || below === undefined) return [];
  if (!bodiesOf(statement).some((body) => body.includes(below))) return [];
  const own = statement.branches.findIndex(({ body }) => body.includes(below));
  const asked = own < 0 ? statement.branches : statement.branches.slice(0, own + 1);
  return asked.map(({ test, body }) => [test, !body.includes(below)]);
}
