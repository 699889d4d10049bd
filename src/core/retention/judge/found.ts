import type { Expression, FunctionDef } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { standings, type Standing } from '../../python/standings.js';

/** True of an expression that names what is looked for. */
export type IsIt = (expression: Expression) => boolean;

/** A statement of a file: where it stands, and the function around it. */
export interface Found extends Standing {
  readonly module: PythonModule;
  readonly within: FunctionDef | null;
}

/** The files that a word stands in. */
export function mentioning(word: string, modules: readonly PythonModule[]): PythonModule[] {
  return modules.filter(({ text }) => text.includes(word));
}

/** All statements of a file. */
export function inModule(module: PythonModule): Found[] {
  return standings(module.body).map((standing) => ({
    ...standing,
    module,
    within: (standing.outer.findLast(({ kind }) => kind === 'function') as FunctionDef | undefined) ?? null,
  }));
}
