import type { Call, Expression, FunctionDef, Lambda, Statement } from './ast.js';
import { allStatements, lineAt, type PythonModule } from './pythonModule.js';

/** The expressions directly inside an expression. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'attribute':
      return [expression.value];
    case 'subscript':
      return [expression.value, ...expression.index];
    case 'call':
      return [expression.callee, ...expression.args.map(({ value }) => value)];
    case 'display':
      return expression.items;
    case 'format':
      return expression.parts;
    case 'dict':
      return expression.entries.flatMap(({ key, value }) => (key === null ? [value] : [key, value]));
    case 'comprehension':
      return [...expression.elements, ...expression.clauses.flatMap(({ target, iterable }) => [target, iterable])];
    case 'binary':
      return [expression.left, expression.right];
    case 'unary':
      return [expression.operand];
    case 'conditional':
      return [expression.test, expression.then, expression.otherwise];
    case 'lambda':
      return [expression.body];
    case 'await':
    case 'star':
    case 'yield':
      return expression.value === null ? [] : [expression.value];
    case 'walrus':
      return [expression.target, expression.value];
    default:
      return [];
  }
}

/** The expressions of a statement, without its blocks. */
export function expressionsOf(statement: Statement): readonly Expression[] {
  switch (statement.kind) {
    case 'assign':
      return [...statement.targets, statement.value];
    case 'update':
      return [statement.target, statement.value];
    case 'expression':
      return [statement.value];
    case 'return':
      return statement.value === null ? [] : [statement.value];
    case 'delete':
      return statement.targets;
    case 'if':
      return statement.branches.map(({ test }) => test);
    case 'while':
      return [statement.test];
    case 'for':
      return [statement.target, statement.iterable];
    case 'with':
      return statement.items.flatMap(({ value, target }) => (target === null ? [value] : [value, target]));
    case 'match':
      return [statement.subject];
    case 'other':
      return statement.values;
    default:
      return [];
  }
}

/** An expression and all inside it. */
export function allParts(expression: Expression): Expression[] {
  return [expression, ...partsOf(expression).flatMap(allParts)];
}

/** All expressions of a statement. */
export function allExpressions(statement: Statement): Expression[] {
  return expressionsOf(statement).flatMap(allParts);
}

/** True if an expression, or any inside it, is as requested. */
export function somePart(expression: Expression, isIt: (part: Expression) => boolean): boolean {
  return isIt(expression) || partsOf(expression).some((part) => somePart(part, isIt));
}

/** True if any expression of a statement satisfies the test. */
export function someExpression(statement: Statement, isIt: (part: Expression) => boolean): boolean {
  return expressionsOf(statement).some((expression) => somePart(expression, isIt));
}

/** The name of a called function: `append` of `rows.append(x)`; empty without one. */
export function calledName({ callee }: Call): string {
  return callee.kind === 'attribute' || callee.kind === 'name' ? callee.name : '';
}

/** The only lambda around a line; null for several or none. */
export function lambdaAt(module: PythonModule, line: number): Lambda | null {
  const found = allStatements(module.body)
    .flatMap(allExpressions)
    .filter((part) => part.kind === 'lambda')
    .filter(({ from, to }) => lineAt(module, from) <= line && line <= lineAt(module, to));
  return found.length === 1 ? found[0] : null;
}

/** The names that expressions read or write. */
export function namesOf(expressions: readonly Expression[]): ReadonlySet<string> {
  const names = expressions.flatMap(allParts).filter((part) => part.kind === 'name');
  return new Set(names.map(({ name }) => name));
}

/** The names that a function's body reads or writes. */
export function namesIn(def: FunctionDef | Lambda): ReadonlySet<string> {
  return namesOf(def.kind === 'lambda' ? [def.body] : allStatements(def.body).flatMap(expressionsOf));
}

/** True if a block ends in a statement that leaves it. */
export function leaves(body: readonly Statement[]): boolean {
  const last = body.at(-1);
  return last?.kind === 'return' || (last?.kind === 'other' && last.leaves);
}

/** True if a statement gives an expression a value, or deletes it. */
export function assigns(statement: Statement, isIt: (target: Expression) => boolean): boolean {
  return targetsOf(statement).some((target) => isTarget(target, isIt));
}

/** True for a target, and for one of several: `a, *b = …`. */
export function isTarget(target: Expression, isIt: (target: Expression) => boolean): boolean {
  if (target.kind === 'display') return target.items.some((item) => isTarget(item, isIt));
  if (target.kind === 'star') return target.value !== null && isTarget(target.value, isIt);
  return isIt(target);
}

function targetsOf(statement: Statement): readonly Expression[] {
  switch (statement.kind) {
    case 'assign':
    case 'delete':
      return statement.targets;
    case 'update':
    case 'for':
      return [statement.target];
    case 'with':
      return statement.items.flatMap(({ target }) => target ?? []);
    default:
      return [];
  }
}
