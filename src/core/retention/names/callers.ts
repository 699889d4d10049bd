import type { Call, ClassDef, Expression, FunctionDef, Statement } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { standings } from '../../python/standings.js';
import { calledName, someExpression } from '../../python/walk.js';
import { PUTS_IN, TAKES_OUT, callsAnyName, methodEffect } from '../operations.js';
import type { Place } from '../values/objects.js';
import { type Found, type IsIt, inModule, statementsBeside } from './names.js';
import { releaseIn } from './uses.js';

/** Lightning and similar frameworks call these. */
const BY_FRAMEWORK = /^on_|_end$|_start$|^reset_epoch/;
/** `getattr(callback, event)` may call any method. */
const BY_COMPUTED_NAME = /\bgetattr\([^,()]+,(?!\s*(['"])\w+\1\s*[,)])/;
/** Bases that call no hook of a training run. */
const NO_FRAMEWORK = /^(?:Module|object|ABC|Generic|Protocol|Dataset|IterableDataset|Optimizer)$/;

/**
 * True of a method that a library may call: of an object that the program passes to one, or with a name that frameworks
 * call, unless all base classes are in the workspace.
 * @param outer the statements around the method
 */
export function isCalledByFramework(
  { name }: FunctionDef,
  outer: readonly Statement[],
  modules: readonly PythonModule[],
): boolean {
  if (name === 'run' && isThread(outer)) return true;
  const own = outer.findLast(({ kind }) => kind === 'class');
  if (own?.kind === 'class' && isHandedOver(own, modules)) return true;
  if (!BY_FRAMEWORK.test(name)) return false;
  if (modules.some(({ text }) => BY_COMPUTED_NAME.test(text))) return true;
  return own?.kind !== 'class' || own.bases.length === 0 || !isOfWorkspace(own, modules, new Set());
}

/** Whether a class is handed over, for the files that were asked. */
const handed = new WeakMap<ClassDef, { readonly modules: readonly PythonModule[]; readonly isIt: boolean }>();

/** True if the class, or an object of it, is handed to code outside of the workspace, which may call any method of it. */
function isHandedOver(cls: ClassDef, modules: readonly PythonModule[]): boolean {
  const known = handed.get(cls);
  if (known?.modules.length === modules.length && known.modules.every((one, i) => one === modules[i]))
    return known.isIt;
  const isIt = findsHandedOver(cls, modules);
  handed.set(cls, { modules, isIt });
  return isIt;
}

function findsHandedOver(cls: ClassDef, modules: readonly PythonModule[]): boolean {
  const names = new Set([cls.name, ...objectsOf(cls, modules)]);
  const found = modules.flatMap(inModule);
  return found.some(({ statement, outer, module }) => {
    const isSelf = (one: Expression): boolean => one.kind === 'name' && one.name === 'self' && outer.includes(cls);
    return someExpression(
      statement,
      (part) =>
        part.kind === 'call' &&
        part.args.some(({ value }) => isObject(names, value) || isSelf(value)) &&
        isOutside(part, module, found),
    );
  });
}

/** The names that objects of a class have in the program: variables, attributes, lists, functions that return them. */
export function objectsOf(cls: ClassDef, modules: readonly PythonModule[]): ReadonlySet<string> {
  const names = new Set([cls.name]);
  const found = modules.flatMap(inModule);
  for (let known = 0; known < names.size;) {
    known = names.size;
    for (const one of found) for (const name of namedIn(one, (value) => isObject(names, value))) names.add(name);
  }
  names.delete(cls.name);
  return names;
}

/** True for an expression with one of these names. */
function isObject(names: ReadonlySet<string>, one: Expression): boolean {
  switch (one.kind) {
    case 'name':
    case 'attribute':
      return names.has(one.name);
    case 'display':
      return one.items.some((item) => isObject(names, item));
    case 'call':
      if (names.has(calledName(one))) return true;
      // `Task().to(device)`
      return (
        one.callee.kind === 'attribute' && methodEffect(one.callee.name) === 'view' && isObject(names, one.callee.value)
      );
    default:
      return false;
  }
}

/** The receiver of an object: a variable, a list, a call, or a derived class. */
function namedIn({ statement, within }: Found, isIt: IsIt): readonly string[] {
  switch (statement.kind) {
    case 'assign':
      return statement.targets.flatMap((target) => namedBy(target, statement.value, isIt));
    case 'return':
      return within !== null && statement.value !== null && isIt(statement.value) ? [within.name] : [];
    case 'class':
      return statement.bases.some(isIt) ? [statement.name] : [];
    case 'expression': {
      const { value } = statement;
      if (value.kind !== 'call' || value.callee.kind !== 'attribute' || !PUTS_IN.has(value.callee.name)) return [];
      const to = value.callee.value;
      return value.args.some((one) => isIt(one.value)) && (to.kind === 'name' || to.kind === 'attribute')
        ? [to.name]
        : [];
    }
    default:
      return [];
  }
}

/** `model, penalty = Net(), Penalty()` */
function namedBy(target: Expression, value: Expression, isIt: IsIt): readonly string[] {
  if (target.kind === 'display' && value.kind === 'display')
    return target.items.flatMap((one, i) => (i < value.items.length ? namedBy(one, value.items[i], isIt) : []));
  return (target.kind === 'name' || target.kind === 'attribute') && isIt(value) ? [target.name] : [];
}

/** True for a call outside of the workspace's functions, to a package that may call any method. */
function isOutside({ callee }: Call, { body }: PythonModule, workspace: readonly Found[]): boolean {
  let root = callee;
  while (root.kind === 'attribute' || root.kind === 'call' || root.kind === 'subscript')
    root = root.kind === 'call' ? root.callee : root.value;
  if ((callee.kind !== 'name' && callee.kind !== 'attribute') || root.kind !== 'name') return false;
  const { name } = root;
  const from = standings(body).flatMap(({ statement }) =>
    statement.kind === 'import' && statement.names.some((one) => one.as === name)
      ? [statement.module === '' ? name : statement.module]
      : [],
  );
  if (!from.every(callsAnyName) || (callee.kind === 'name' && from.length === 0)) return false;
  const called = callee.name;
  if (methodEffect(called) !== null || PUTS_IN.has(called) || TAKES_OUT.has(called)) return false;
  return !workspace.some(
    ({ statement }) => (statement.kind === 'function' || statement.kind === 'class') && statement.name === called,
  );
}

/** True for a class whose `start()` calls `run()`. */
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
    const found = statementsBeside(base.name, modules);
    return found.some(
      ({ statement }) =>
        statement.kind === 'class' && statement.name === base.name && isOfWorkspace(statement, modules, met),
    );
  });
}

/** True if code other than the function itself calls this name, or passes it on, to a thread or as a hook. */
export function isMentioned(name: string, modules: readonly PythonModule[]): boolean {
  // A call by the constructor of its object does not count.
  const isCalled = stands(name, '\\s*\\(', modules, ['__init__', name]);
  return isCalled || stands(name, '\\b(?!\\s*\\()', modules, [name]);
}

/**
 * True if a name stands before what a pattern describes, outside of comments and docstrings.
 * @param functions whose bodies do not count
 */
function stands(name: string, behind: string, modules: readonly PythonModule[], functions: readonly string[]): boolean {
  const pattern = new RegExp(`\\b${name}${behind}`, 'g');
  return modules.some((module) => {
    if (!module.text.includes(name)) return false;
    const without = inModule(module).filter(({ statement }) => isLeftOut(statement, functions));
    for (const { index } of module.text.matchAll(pattern)) {
      const before = module.text.slice(module.text.lastIndexOf('\n', index) + 1, index);
      if (/\bdef\s+$|^[^'"#]*#/.test(before)) continue;
      if (!without.some(({ statement: { from, to } }) => from <= index && index < to)) return true;
    }
    return false;
  });
}

/** True for functions of these names, and for docstrings. */
function isLeftOut(statement: Statement, functions: readonly string[]): boolean {
  if (statement.kind === 'function') return functions.includes(statement.name);
  return statement.kind === 'expression' && statement.value.kind === 'literal';
}

/** True if another method empties the attribute, and the program calls or passes that method. */
export function isClearedElsewhere(attribute: string, place: Place, modules: readonly PythonModule[]): boolean {
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
