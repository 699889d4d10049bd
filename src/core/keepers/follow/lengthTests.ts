import type { Expression, Span } from '../../python/ast.js';
import { forEachExpression } from '../../python/walk.js';
import type { Measured } from './machine.js';

const COMPARES = /^(?:[<>]=?|==|!=)$/;

/**
 * The containers whose length a test compares: `len(kept) < 64`.
 * @param text a span's source
 * @param holds true if what is followed runs only where the test holds
 */
export function lengthTests(test: Expression, text: (span: Span) => string, holds: boolean): Measured[] {
  const found: Measured[] = [];
  forEachExpression(test, (part) => {
    if (part.kind !== 'binary' || !COMPARES.test(part.operator)) return;
    const left = measured(part.left);
    const right = measured(part.right);
    if (left !== null) found.push({ container: text(left), room: null });
    if (right !== null) found.push({ container: text(right), room: null });
  });
  if (!holds) return found;
  // What must hold: the test itself, or each part of an `and`.
  const open = [test];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.kind !== 'binary') continue;
    if (part.operator === 'and') open.push(part.left, part.right);
    const left = measured(part.left);
    const right = measured(part.right);
    if (left !== null && /^<=?$/.test(part.operator)) found.push({ container: text(left), room: text(part.right) });
    if (right !== null && /^>=?$/.test(part.operator)) found.push({ container: text(right), room: text(part.left) });
  }
  return found;
}

/** What `len()` is called on. */
function measured(expression: Expression): Expression | null {
  if (expression.kind !== 'call' || expression.callee.kind !== 'name' || expression.callee.name !== 'len') return null;
  return expression.args.length === 1 ? expression.args[0].value : null;
}
