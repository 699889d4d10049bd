import type { Expression } from './ast.js';

/** The number that an expression of nothing but numbers is: `10 * 1000`, `2**20`, `int(1e6)`; null for any other. */
export function constantOf(expression: Expression): number | null {
  switch (expression.kind) {
    case 'literal': {
      if (expression.type !== 'number') return null;
      const number = Number(expression.text.replaceAll('_', ''));
      return Number.isFinite(number) ? number : null;
    }
    case 'unary': {
      const operand = constantOf(expression.operand);
      return operand === null || expression.operator !== '-' ? null : -operand;
    }
    case 'binary': {
      const left = constantOf(expression.left);
      const right = constantOf(expression.right);
      return left === null || right === null ? null : calculated(expression.operator, left, right);
    }
    case 'call': {
      const { callee, args } = expression;
      if (callee.kind !== 'name' || callee.name !== 'int' || args.length !== 1) return null;
      const number = constantOf(args[0].value);
      return number === null ? null : Math.trunc(number);
    }
    default:
      return null;
  }
}

function calculated(operator: string, left: number, right: number): number | null {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? null : left / right;
    case '//':
      return right === 0 ? null : Math.floor(left / right);
    case '**':
      return left ** right;
    case '<<':
      return left * 2 ** right;
    default:
      return null;
  }
}
