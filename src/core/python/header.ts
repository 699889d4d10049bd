import type { Span, Statement } from './ast.js';

/** A statement without the blocks below it. */
export function headerOf(statement: Statement): Span {
  const { from, to } = statement;
  switch (statement.kind) {
    case 'if':
      return { from, to: statement.branches[statement.branches.length - 1]?.test.to ?? from };
    case 'while':
      return { from, to: statement.test.to };
    case 'for':
      return { from, to: statement.iterable.to };
    case 'with':
      return { from, to: statement.items[statement.items.length - 1]?.value.to ?? from };
    case 'match':
      return { from, to: statement.subject.to };
    case 'try':
    case 'function':
    case 'class':
      return { from, to: from };
    default:
      return { from, to };
  }
}
