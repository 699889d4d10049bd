import { holderName } from '../../facts/holderName.js';
import type { ClassDef, FunctionDef } from '../../python/ast.js';
import { allStatements, type PythonModule } from '../../python/pythonModule.js';
import type { Limit } from '../../retention/holders/bounds.js';
import type { Finding } from '../../retention/holders/search.js';
import { t } from '../../text/translate.js';

/** The holder in a few words, and with an explanation. Both follow "held by". */
export function holderText(finding: Finding): { name: string; text: string } {
  const { held, kind } = finding;
  if (kind === 'doubleBackward')
    return {
      name: t('the gradients of {0}', held),
      text: t('the gradients of {0}, which have a graph (create_graph=True) and keep each other alive', held),
    };
  if (kind === 'autocast')
    return {
      name: t('the weight cache of autocast'),
      text: t('the weight cache of an autocast block that stays open between steps'),
    };
  const name = nameOf(finding);
  return { name, text: explained(finding, name) };
}

function explained({ kind, held, through }: Finding, name: string): string {
  const texts: Partial<Record<Finding['kind'], string>> = {
    put: through === 'graph' && held !== '' ? t('{0}, with the graph of each {1}', name, held) : name,
    chain: t('{0}, whose graph grows with every step', name),
    grown: t('{0}, longer after every step', name),
    hook: t('{0}, on which each step registers the hook {1} again', name, held),
    selfHook: t('{0}, whose hook {1} refers to it', name, held),
    error: t('{0}, with the traceback of each {1}', name, held),
    context: t('{0}, an output on its own graph', name),
    cycle: t('{0}, in a reference cycle', name),
  };
  return texts[kind] ?? name;
}

/** The holder's name, with the class's in place of `self`. */
export function nameOf(finding: Finding): string {
  return holderName(classedName(finding));
}

/** The holder's name in the source, and the statement that stores into it. */
type SourceHolder = Pick<Limit, 'module' | 'span' | 'holder'>;

/** The holder's name as the recorder gives it: with the class's in place of `self`. */
function classedName({ holder, module, span }: SourceHolder): string {
  return holder.replace(/^self\b/, () => around(module, span.from, 'class')?.name ?? 'self');
}

/**
 * True if the recorder names the same container, by the statement that fills or creates it. Variables of other
 * functions differ. @param recorded its holder, in the same file
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
  const classes = allStatements(module.body).filter((statement) => statement.kind === 'class');
  const bases = new Map(
    classes.map((cls) => [cls.name, cls.bases.flatMap((base) => (base.kind === 'name' ? [base.name] : []))]),
  );
  const above = new Set(bases.get(own));
  for (const cls of above) for (const base of bases.get(cls) ?? []) above.add(base);
  return [...above].some((cls) => `${cls}${attribute}` === name);
}

/** The innermost class or function around an offset. */
function around(module: PythonModule, offset: number, kind: 'class' | 'function'): ClassDef | FunctionDef | null {
  return (
    allStatements(module.body)
      .filter((statement) => statement.kind === 'class' || statement.kind === 'function')
      .findLast((one) => one.kind === kind && one.from <= offset && offset < one.to) ?? null
  );
}
