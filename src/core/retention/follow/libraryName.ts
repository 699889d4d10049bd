import type { Expression } from '../../python/ast.js';
import type { Activation } from './activation.js';
import type { Follower } from './follower.js';

/** The dotted name of what an expression names of a library; empty where it names none. */
export function libraryName(follower: Follower, expression: Expression, act: Activation): string {
  if (expression.kind !== 'name' && expression.kind !== 'attribute') return '';
  const thing = follower.evaluate(expression, act).things.find(({ kind }) => kind === 'library');
  return thing?.kind === 'library' ? thing.name : '';
}
