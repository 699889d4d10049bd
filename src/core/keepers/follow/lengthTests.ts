import type { Expression } from '../../python/ast.js';
import { forEachExpression } from '../../python/walk.js';
import { oneMore, type Room } from '../values/known.js';
import type { Measured } from './machine.js';

/** What is followed where a test was made: only if it holds, only if it does not, or either way. */
export type Outcome = 'holds' | 'fails' | 'either';

/** How `a < b` reads from the other side, and where it does not hold. */
const TURNED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=' };
const DENIED: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<', '==': '!=', '!=': '==' };

/** `len(kept) < 64`, read from its left side. */
interface Comparison {
  readonly of: Expression;
  readonly operator: string;
  readonly with: Expression;
}

/**
 * The containers whose length a test compares.
 * @param text an expression's source
 * @param room what an expression says of a number of items
 */
export function lengthTests(
  test: Expression,
  outcome: Outcome,
  text: (expression: Expression) => string,
  room: (expression: Expression) => Room,
): Measured[] {
  const found: Measured[] = [];
  forEachExpression(test, (part) => {
    for (const { of, operator, with: other } of comparisons(part)) {
      const over = operator === '>' || operator === '>=' || operator === '==' ? room(other) : null;
      found.push({ container: text(of), room: null, over });
    }
  });
  for (const { of, operator, with: other } of certain(test, outcome)) {
    const limit = room(other);
    // What is never this long for its being not this long may be longer already.
    const isBound = operator === '<' || (operator === '!=' && (limit.count ?? 0) > 0);
    if (isBound) found.push({ container: text(of), room: limit, over: null });
    if (operator === '<=') found.push({ container: text(of), room: oneMore(limit), over: null });
  }
  return found;
}

/** What holds for sure: the test itself or each part of an `and`, or that no part of an `or` does. */
function certain(test: Expression, outcome: Outcome): Comparison[] {
  if (outcome === 'either') return [];
  if (test.kind === 'unary' && test.operator === 'not') {
    return certain(test.operand, outcome === 'holds' ? 'fails' : 'holds');
  }
  if (test.kind !== 'binary') return [];
  if (test.operator === (outcome === 'holds' ? 'and' : 'or')) {
    return [...certain(test.left, outcome), ...certain(test.right, outcome)];
  }
  const compared = comparisons(test);
  return outcome === 'holds' ? compared : compared.map((one) => ({ ...one, operator: DENIED[one.operator] }));
}

function comparisons(part: Expression): Comparison[] {
  if (part.kind !== 'binary' || !(part.operator in TURNED)) return [];
  const left = measured(part.left);
  const right = measured(part.right);
  return [
    ...(left === null ? [] : [{ of: left, operator: part.operator, with: part.right }]),
    ...(right === null ? [] : [{ of: right, operator: TURNED[part.operator], with: part.left }]),
  ];
}

/** What `len()`, or a queue's `qsize()`, is asked of. */
function measured(expression: Expression): Expression | null {
  if (expression.kind !== 'call') return null;
  const { callee, args } = expression;
  if (callee.kind === 'attribute' && callee.name === 'qsize') return callee.value;
  return callee.kind === 'name' && callee.name === 'len' && args.length === 1 ? args[0].value : null;
}
