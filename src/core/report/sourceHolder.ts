import type { ClassDef, FunctionDef } from '../python/ast.js';
import type { Limit } from '../retention/holders/bounds.js';
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
  const name = classedName(source).replaceAll('"', "'");
  if (source.holder.startsWith('self.'))
    return recorded.name === name || isInherited(recorded.name, name, source.module);
  if (recorded.name !== name) return false;
  const { module, span } = source;
  const start = module.lineStarts.at(recorded.line - 1);
  if (start === undefined) return false;
  const indented = start + module.text.slice(start).search(/\S/);
  return around(module, indented, 'function') === around(module, span.from, 'function');
}

/** True if the recorder saw an attribute, by its object's class, that a class above it in the file has. */
function isInherited(recorded: string, name: string, module: PythonModule): boolean {
  const [, own, attribute] = /^(\w+)(\..*)$/.exec(recorded) ?? [];
  const bases = new Map<string, readonly string[]>();
  forEachStatement(module.body, (statement) => {
    if (statement.kind !== 'class') return;
    bases.set(
      statement.name,
      statement.bases.flatMap((base) => (base.kind === 'name' ? [base.name] : [])),
    );
  });
  const above = new Set(bases.get(own));
  for (const cls of above) for (const base of bases.get(cls) ?? []) above.add(base);
  return [...above].some((cls) => `${cls}${attribute}` === name);
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
