import type { ClassDef, FunctionDef } from '../python/ast.js';
import type { Limit } from '../keepers/judge/limits.js';
import { forEachStatement, type PythonModule } from '../python/pythonModule.js';

/** What keeps something, as the source calls it, and the statement that puts it there. */
export type SourceHolder = Pick<Limit, 'module' | 'span' | 'holder'>;

/** The holder's name as the recorder gives it: with the class's in place of `self`. */
export function classedName({ holder, module, span }: SourceHolder): string {
  return holder.replace(/^self\b/, () => around(module, span.from, 'class')?.name ?? 'self');
}

/**
 * True if the recorder speaks of the same container, whichever statement it names: the one that fills it, or the one
 * that makes it. A variable of another function is another one.
 * @param recorded what it saw, in the same file
 */
export function isSameContainer(
  recorded: { readonly name: string; readonly line: number },
  source: SourceHolder,
): boolean {
  if (recorded.name !== classedName(source).replaceAll('"', "'")) return false;
  if (source.holder.startsWith('self.')) return true;
  const { module, span } = source;
  const start = module.lineStarts.at(recorded.line - 1);
  if (start === undefined) return false;
  const indented = start + module.text.slice(start).search(/\S/);
  return around(module, indented, 'function') === around(module, span.from, 'function');
}

/** The innermost class, or function, that an offset lies in. */
function around(module: PythonModule, offset: number, kind: 'class' | 'function'): ClassDef | FunctionDef | null {
  let found: ClassDef | FunctionDef | null = null;
  forEachStatement(module.body, (statement) => {
    if (statement.kind !== 'class' && statement.kind !== 'function') return;
    if (statement.kind === kind && statement.from <= offset && offset < statement.to) found = statement;
  });
  return found;
}
