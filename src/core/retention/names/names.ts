import { getOrAdd } from '../../maps.js';
import type { Expression, FunctionDef } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { type Standing, standings } from '../../python/standings.js';
import { calledName, someExpression } from '../../python/walk.js';
import { keyOf } from '../interpret/sourceText.js';
import type { Place } from '../values/objects.js';

/** True for an expression with the searched name. */
export type IsIt = (expression: Expression) => boolean;

/** A statement of a file: its place, and the function around it. */
export interface Found extends Standing {
  readonly module: PythonModule;
  readonly within: FunctionDef | null;
}

/** Statements by file, because files are requested repeatedly. */
const known = new WeakMap<PythonModule, readonly Found[]>();

/** All statements of a file. */
export function inModule(module: PythonModule): readonly Found[] {
  return getOrAdd(known, module, () =>
    standings(module.body).map((standing) => ({
      ...standing,
      module,
      within: (standing.outer.findLast(({ kind }) => kind === 'function') as FunctionDef | undefined) ?? null,
    })),
  );
}

/** The innermost statement around a place; a function's is around its decorators. */
export function statementAt({ module, span }: Place): Found | undefined {
  return inModule(module).findLast(({ statement }) => statement.from <= span.from && span.to <= statement.to);
}

/** All statements of the files that contain a word. */
export function statementsBeside(name: string, modules: readonly PythonModule[]): Found[] {
  return modules.filter(({ text }) => text.includes(name)).flatMap(inModule);
}

/** Statements that call a function by its name, other than its own. */
export function callsOf(fn: FunctionDef, modules: readonly PythonModule[]): Found[] {
  return statementsBeside(fn.name, modules).filter(
    ({ statement, outer }) =>
      !outer.includes(fn) && someExpression(statement, (part) => part.kind === 'call' && calledName(part) === fn.name),
  );
}

/** A holder by the last part of its name: any object with an attribute so called may be the same. */
export interface HolderName {
  readonly kind: 'attribute' | 'key' | 'variable' | 'computed';
  readonly name: string;
}

/** Longer than names of real programs, for hostile recordings. */
const MAX_NAME = 500;

/** `self.rows`, `Logger.rows`, `self.rows[name]`, `history['aux']`, `errors`; null for other expressions. */
export function nameOfHolder(holder: string): HolderName | null {
  if (holder.length > MAX_NAME) return null;
  if (/^getattr\(.*\)$/.test(holder)) return { kind: 'computed', name: 'getattr' };
  const key = /\[(['"])([^'"]+)\1\]$/.exec(holder);
  if (key !== null) return { kind: 'key', name: key[2] };
  const plain = holder.replace(/(?:\[[^\]]*\])+$/, '');
  const attribute = /^[\w.[\]'"]+\.(\w+)$/.exec(plain);
  if (attribute !== null) return { kind: 'attribute', name: attribute[1] };
  return /^\w+$/.test(plain) ? { kind: 'variable', name: plain } : null;
}

/** The outer container of one that is named by its key: emptying it releases all. Else null. */
export function outerName(holder: string): HolderName | null {
  return nameOfHolder(holder)?.kind === 'key' ? nameOfHolder(holder.replace(/\[(['"])[^'"]+\1\]$/, '')) : null;
}

/** True for an expression that names it. */
export function isNamed({ kind, name }: HolderName, expression: Expression): boolean {
  switch (kind) {
    case 'attribute':
      return expression.kind === 'attribute' && expression.name === name;
    case 'variable':
      return expression.kind === 'name' && expression.name === name;
    case 'computed':
      return expression.kind === 'call' && expression.callee.kind === 'name' && expression.callee.name === name;
    case 'key': {
      if (expression.kind !== 'subscript' || expression.index.length !== 1) return false;
      const [key] = expression.index;
      return key.kind === 'literal' && keyOf(key) === `'${name}'`;
    }
  }
}
