import type { ClassDef, Expression, FunctionDef, Span, Statement } from '../../python/ast.js';
import { type PythonModule, bodiesOf, forEachStatement } from '../../python/pythonModule.js';
import { standings } from '../../python/standings.js';
import type { Holding } from '../records.js';
import { inModule, mentioning } from './names.js';
import { releaseIn } from './uses.js';

/** Lightning and its like call these by themselves. */
const BY_FRAMEWORK = /^on_|_end$|_start$|^reset_epoch/;
/** What runs when training is over ends nothing while it runs. */
const AT_THE_END = /^(?:on_)?(?:fit|train|training)_end$|^(?:close|shutdown|teardown|__del__|__exit__)$/;

/** `getattr(callback, event)`: any method may be what that calls. */
const BY_COMPUTED_NAME = /\bgetattr\([^,()]+,(?!\s*(['"])\w+\1\s*[,)])/;
/** Bases that call no hook of a training. */
const NO_FRAMEWORK = /^(?:Module|object|ABC|Generic|Protocol|Dataset|IterableDataset|Optimizer)$/;

/**
 * True of a method whose name says that a training framework calls it by itself: not where all classes that its own
 * derives from are the workspace's, whose callers are to be seen.
 * @param outer the statements around the method
 */
export function isCalledByFramework(
  { name }: FunctionDef,
  outer: readonly Statement[],
  modules: readonly PythonModule[],
): boolean {
  if (name === 'run' && isThread(outer)) return true;
  if (!BY_FRAMEWORK.test(name)) return false;
  if (modules.some(({ text }) => BY_COMPUTED_NAME.test(text))) return true;
  const own = outer.findLast(({ kind }) => kind === 'class');
  return own?.kind !== 'class' || own.bases.length === 0 || !isOfWorkspace(own, modules, new Set());
}

/** True of what stands in a class whose `start()` calls `run()`. */
function isThread(outer: readonly Statement[]): boolean {
  const own = outer.findLast(({ kind }) => kind === 'class');
  return (
    own?.kind === 'class' &&
    own.bases.some(
      (base) => (base.kind === 'name' || base.kind === 'attribute') && /(?:Thread|Process)$/.test(base.name),
    )
  );
}

function isOfWorkspace({ bases }: ClassDef, modules: readonly PythonModule[], met: Set<string>): boolean {
  return bases.every((base) => {
    if (base.kind !== 'name' && base.kind !== 'attribute') return false;
    if (NO_FRAMEWORK.test(base.name) || met.has(base.name)) return true;
    met.add(base.name);
    const found = mentioning(base.name, modules).flatMap(inModule);
    return found.some(
      ({ statement }) =>
        statement.kind === 'class' && statement.name === base.name && isOfWorkspace(statement, modules, met),
    );
  });
}

/** True of a function that is called once, when all is over. */
export function runsAtTheEnd(name: string): boolean {
  return AT_THE_END.test(name);
}

/** True if anything but the function itself, or what makes its object, calls a function of that name. */
function isCalled(name: string, modules: readonly PythonModule[]): boolean {
  return stands(name, '\\s*\\(', modules, ['__init__', name]);
}

/** The same; or if it is handed over, to a thread or as a hook. */
export function isMentioned(name: string, modules: readonly PythonModule[]): boolean {
  return isCalled(name, modules) || stands(name, '\\b(?!\\s*\\()', modules, [name]);
}

/** @param functions whose bodies do not count */
function stands(name: string, behind: string, modules: readonly PythonModule[], functions: readonly string[]): boolean {
  const word = new RegExp(`\\b${name}${behind}`, 'g');
  return modules.some((module) => {
    if (!module.text.includes(name)) return false;
    const without = functions.flatMap((one) => spansOf(module, one));
    for (const { index } of module.text.matchAll(word)) {
      if (/\bdef\s+$/.test(module.text.slice(Math.max(0, index - 20), index))) continue;
      if (!without.some(({ from, to }) => from <= index && index < to)) return true;
    }
    return false;
  });
}

function spansOf(module: PythonModule, name: string): Span[] {
  const spans: Span[] = [];
  forEachStatement(module.body, (statement) => {
    if (statement.kind === 'function' && statement.name === name && bodiesOf(statement).length > 0)
      spans.push(statement);
  });
  return spans;
}

/** True if another method empties the attribute, and the program calls that method or hands it over. */
export function isClearedElsewhere({ attribute, place }: Holding, modules: readonly PythonModule[]): boolean {
  if (attribute === null) return false;
  for (const { module, fn, outer } of modules.flatMap((one) => clearingFunctions(one, attribute))) {
    if (module === place.module && isCalledByFramework(fn, outer, modules)) return true;
    if (isMentioned(fn.name, modules)) return true;
  }
  return false;
}

interface Removal {
  readonly module: PythonModule;
  readonly fn: FunctionDef;
  readonly outer: readonly Statement[];
}

/** Functions, other than `__init__`, that empty or replace an attribute. */
function clearingFunctions(module: PythonModule, attribute: string): Removal[] {
  const isIt = (target: Expression): boolean => target.kind === 'attribute' && target.name === attribute;
  return standings(module.body).flatMap(({ statement: fn, outer }) => {
    if (fn.kind !== 'function' || fn.name === '__init__') return [];
    return standings(fn.body).some(({ statement }) => releaseIn(statement, isIt) !== null)
      ? [{ module, fn, outer }]
      : [];
  });
}
