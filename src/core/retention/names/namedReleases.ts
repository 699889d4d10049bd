import type { Expression, FunctionDef, Statement } from '../../python/ast.js';
import { getOrAdd } from '../../maps.js';
import { lineAt, lineText, type PythonModule } from '../../python/pythonModule.js';
import { isLoop, standings } from '../../python/standings.js';
import { assigns, calledName, expressionsOf, namesOf, someExpression, somePart } from '../../python/walk.js';
import { MODULE_PARTS, SHORTENS } from '../operations.js';
import type { PathFrame } from '../records.js';
import type { Sources } from '../sources.js';
import type { Place, ReleaseKind } from '../values/objects.js';
import { Aliases, functionsCalled } from './aliases.js';
import { runsAtTheEnd } from './atTheEnd.js';
import { isCalledByFramework, isMentioned } from './callers.js';
import { type Found, type HolderName, inModule, type IsIt, isNamed, statementsBeside } from './names.js';
import { isUnderTest } from './tests.js';
import { goesBack, isBounded, isMeasured, isPut, keysOfPuts, outerInFunction, releaseIn, startsAgain } from './uses.js';

/** Statements that may end the growth of a container, by its name alone: of any object, at any time. */
export type NamedRelease = { readonly place: Place } & (
  | { readonly release: ReleaseKind; readonly found: Found }
  | { readonly bound: NamedBound }
);

/**
 * The reason for a bound by names: its constructor, keys that repeat, a test of its length, a finite set of keys, or a
 * test that may end.
 */
export type NamedBound = 'length' | 'ring' | 'test' | 'keys' | 'running' | 'flag';

/**
 * All statements that may end the growth of a name, the most informative first.
 * @param own the file of the name, and the line of its statement
 * @param modules all files that may have run
 */
export function* namedReleasesOf(
  held: HolderName,
  own: PythonModule | null,
  line: number,
  modules: readonly PythonModule[],
): Generator<NamedRelease> {
  const mayBeComputed = held.kind === 'computed' || (held.kind === 'attribute' && isText(held.name, modules));
  const isIt: IsIt = (part) => isNamed(held, part) || (mayBeComputed && isComputedName(part));
  const inside = held.kind === 'variable' && own !== null ? functionAround(own, line) : null;
  const isGlobal = inside !== null && own !== null && isVariableOf(own, held.name, inside);
  const files = held.kind !== 'variable' || isGlobal ? modules : own === null ? [] : [own];
  const hiding = new Map<FunctionDef, boolean>();
  const isHidden = (fn: FunctionDef): boolean => getOrAdd(hiding, fn, () => isVariableIn(fn, held.name));
  const all = statementsBeside(held.name, files).filter(
    ({ within }) => !isGlobal || within === null || !isHidden(within),
  );
  // A function that is given the container by another one, such as a thread, may not be the one that empties it.
  const isGivenToIt = inside?.params.some(({ name }) => name === held.name) === true;
  const around = isGivenToIt || isGlobal ? null : inside;
  const found = around === null ? all : all.filter(({ outer, statement }) => [...outer, statement].includes(around));
  const aliases = new Aliases(found, isIt, modules);
  const known = new Set(found.map(({ statement }) => statement));
  const elsewhere = modules
    .flatMap(inModule)
    .filter((one) => !known.has(one.statement) && (aliases.has(one) || aliases.hasAttribute(one)));
  const isOwn = (one: Found): boolean => one.module === own && lineAt(own, one.statement.from) === line;
  for (const one of [...found, ...elsewhere]) {
    const release = releaseIn(one.statement, isIt, aliases.in(one, isIt));
    if (release === null) continue;
    if (isOwn(one) && !shortens(one.statement, modules)) continue;
    // A function that is given it runs when its caller does.
    const isGiven = !known.has(one.statement) && aliases.has(one);
    const kind = known.has(one.statement) && !isGlobal ? held.kind : 'attribute';
    if (isGiven || runsAgain(one, kind, isIt, modules)) yield { place: placeOf(one), release, found: one };
  }
  const reset = mayBeComputed ? resetByName(modules) : null;
  if (reset !== null && runsAgain(reset, held.kind, isIt, modules))
    yield { place: placeOf(reset), release: 'replace', found: reset };
  const put = own !== null && lineText(own, line).includes(`self.${held.name}`) ? found.find(isOwn) : undefined;
  const made = held.kind === 'attribute' && put !== undefined ? madeAgain(put, modules) : null;
  if (made !== null) yield { place: placeOf(made), release: 'replace', found: made };
  const bounded = found.find((one) => isBounded(one, isIt));
  if (bounded !== undefined) yield { place: placeOf(bounded), bound: 'length' };
  const puts = [...found, ...elsewhere].filter((one) => isPut(one.statement, aliases.in(one, isIt)));
  for (const one of puts) {
    for (const key of keysOfPuts(one.statement, isIt)) {
      const back = goesBack(key, one, modules);
      if (back !== null) yield { place: placeOf(back), bound: 'ring' };
    }
  }
  if (puts.length > 0 && puts.every((one) => isMeasured(one, aliases.in(one, isIt))))
    yield { place: placeOf(puts[0]), bound: 'test' };
  if (puts.length > 0 && puts.every((one) => isTested(one, isIt, modules)))
    yield { place: placeOf(puts[0]), bound: 'flag' };
  const keyed = puts.filter(({ statement }) => keysOfPuts(statement, isIt).length > 0);
  if (keyed.length === 0) return;
  const isRunning = keyed.every(({ statement }) => statement.kind === 'assign' && somePart(statement.value, isIt));
  yield { place: placeOf(keyed[0]), bound: isRunning ? 'running' : 'keys' };
}

function placeOf({ module, statement }: Found): Place {
  return { module, span: statement };
}

function functionAround(module: PythonModule, line: number): FunctionDef | null {
  const at = module.lineStarts.at(line - 1);
  if (at === undefined) return null;
  const indented = at + Math.max(0, module.text.slice(at).search(/\S/));
  const inside = standings(module.body).flatMap(({ statement }) =>
    statement.kind === 'function' && statement.from <= indented && indented < statement.to ? [statement] : [],
  );
  // A nested function may fill a variable of the one around it.
  return inside.at(0) ?? null;
}

/** True if a function uses a name as that of a variable of its file, which other functions release as well. */
function isVariableOf({ body }: PythonModule, name: string, inside: FunctionDef): boolean {
  const isIt: IsIt = (target) => isNamed({ kind: 'variable', name }, target);
  return body.some((statement) => assigns(statement, isIt)) && !isVariableIn(inside, name);
}

/** True if a function has a variable or a parameter of this name. */
function isVariableIn({ params, body }: FunctionDef, name: string): boolean {
  const isIt: IsIt = (target) => isNamed({ kind: 'variable', name }, target);
  const statements = standings(body).map(({ statement }) => statement);
  const isDeclared = statements.some((one) => one.kind === 'scope' && one.names.includes(name));
  return (
    params.some((one) => one.name === name) || (!isDeclared && statements.some((statement) => assigns(statement, isIt)))
  );
}

/** Where a loop binds a name to a new object of the class around a statement: `rollout = Rollout()`. */
function madeAgain({ outer }: Found, modules: readonly PythonModule[]): Found | null {
  const cls = outer.findLast(({ kind }) => kind === 'class');
  if (cls?.kind !== 'class') return null;
  const makes = (one: Found): boolean =>
    one.statement.kind === 'assign' &&
    one.statement.value.kind === 'call' &&
    calledName(one.statement.value) === cls.name &&
    outerInFunction(one).some(isLoop);
  return statementsBeside(cls.name, modules).find(makes) ?? null;
}

/** An assignment to a variable may also hold the memory, unless it takes a part of the former value. */
function shortens(statement: Statement, modules: readonly PythonModule[]): boolean {
  if (statement.kind !== 'assign') return true;
  return somePart(statement.value, (part) => {
    if (isShortening(part)) return true;
    if (part.kind === 'comprehension') return part.type !== 'generator';
    // `self.queue = enqueue(self.queue, keys, limit)`
    return (
      part.kind === 'call' &&
      functionsCalled(part, modules).some(({ fn }) =>
        standings(fn.body).some((inside) => someExpression(inside.statement, isShortening)),
      )
    );
  });
}

function isShortening(part: Expression): boolean {
  if (part.kind === 'subscript') return part.slice !== null;
  return part.kind === 'call' && SHORTENS.has(calledName(part));
}

/** `setattr(self, name, default())`, for a name that is a text elsewhere, or is computed itself. */
function resetByName(modules: readonly PythonModule[]): Found | null {
  const isReset = ({ statement }: Found): boolean => {
    if (statement.kind !== 'expression' || statement.value.kind !== 'call') return false;
    const { callee, args } = statement.value;
    return callee.kind === 'name' && callee.name === 'setattr' && args.length === 3 && args[1].value.kind !== 'literal';
  };
  const isUsed = ({ within }: Found): boolean => within !== null && within.name !== '__init__';
  return (
    statementsBeside('setattr', modules).find(
      (one) => isReset(one) && isUsed(one) && isMentioned(one.within?.name ?? '', modules),
    ) ?? null
  );
}

/** True unless it runs only once: where the container is made first, or when training is over. */
function runsAgain(one: Found, kind: HolderName['kind'], isIt: IsIt, modules: readonly PythonModule[]): boolean {
  const { statement, outer, within } = one;
  const from = within === null ? 0 : outer.indexOf(within);
  const inLoop = outer.slice(from).some(isLoop);
  if (isFirst(one, isIt)) return false;
  if (kind === 'variable' || within === null) return inLoop;
  if (runsAtTheEnd(within.name) || (/^__(?:post_)?init__$/.test(within.name) && statement.kind === 'assign'))
    return false;
  if (isCalledByFramework(within, outer, modules) || /^__\w+__$|^forward$/.test(within.name)) return true;
  return isMentioned(within.name, modules);
}

/** `if self.rows is None: self.rows = []` */
function isFirst({ outer, statement }: Found, isIt: IsIt): boolean {
  const around = outer.at(-1);
  if (statement.kind !== 'assign' || around?.kind !== 'if') return false;
  return around.branches.some(({ test, body }) => body.includes(statement) && asksForNone(test, isIt));
}

function asksForNone(test: Expression, isIt: IsIt): boolean {
  if (test.kind === 'unary') return test.operator === 'not' && isIt(test.operand);
  if (test.kind === 'call') return test.callee.kind === 'name' && test.callee.name === 'hasattr';
  return test.kind === 'binary' && test.operator === 'is' && isIt(test.left);
}

/** The place where a generator on the stack takes items out of its own buffer, as a shuffled stream does. Else null. */
export function bufferOnTheWay(path: readonly PathFrame[], sources: Sources): Place | null {
  for (const { module, line } of path) {
    for (const { statement: fn } of standings(module.body)) {
      if (fn.kind !== 'function' || !fn.isGenerator) continue;
      if (line < lineAt(module, fn.from) || line > lineAt(module, fn.to)) continue;
      for (const { statement } of standings(fn.body)) {
        for (const name of namesOf(expressionsOf(statement))) {
          if (!isPut(statement, (part) => part.kind === 'name' && part.name === name)) continue;
          for (const named of namedReleasesOf(
            { kind: 'variable', name },
            module,
            lineAt(module, fn.from),
            sources.read,
          ))
            if ('release' in named) return named.place;
        }
      }
    }
  }
  return null;
}

const COMPARES = /^(?:[<>]=?|[!=]=|is)$/;

/** True if a test around a store, or around each call of its function, may end. Periodic tests do not end. */
function isTested(one: Found, isIt: IsIt, modules: readonly PythonModule[]): boolean {
  return isUnderTest(one, modules, (test, { outer }, isNegated) =>
    isPassing(test, modules, (side) => isIt(side) || isOfPart(side, outer), isNegated),
  );
}

/** True for what a test asks of a parameter or module in a loop over all of them, such as `p.ndim`. */
function isOfPart(side: Expression, outer: readonly Statement[]): boolean {
  if (side.kind !== 'attribute' || side.value.kind !== 'name') return false;
  const { name } = side.value;
  return outer.some(
    (loop) =>
      loop.kind === 'for' &&
      loop.iterable.kind === 'call' &&
      MODULE_PARTS.test(calledName(loop.iterable)) &&
      namesOf([loop.target]).has(name),
  );
}

/** @param isFixed true for an operand that does not change over steps */
function isPassing(test: Expression, modules: readonly PythonModule[], isFixed: IsIt, isNegated: boolean): boolean {
  if (somePart(test, (part) => part.kind === 'binary' && part.operator === '%')) return false;
  const isTurned = test.kind === 'unary' && test.operator === 'not' ? !isNegated : isNegated;
  const compares = (part: Expression): boolean => {
    if (part.kind !== 'binary' || !COMPARES.test(part.operator) || beginsLate(part, isTurned)) return false;
    return part.operator === 'is'
      ? part.left.kind === 'attribute' && !isFixed(part.left)
      : isCount(part, modules, isFixed);
  };
  return somePart(test, compares) || isFlag(test.kind === 'unary' ? test.operand : test, modules);
}

/** Names of counts that rise, unlike `steps_left`. */
const RISING = /^(?:(?:current|global)_)?(?:epoch|step|iteration|iter|round|episode)$/;

/** `epoch >= warmup` holds from then on: what it decides begins late, and does not end. */
function beginsLate(test: Expression & { readonly kind: 'binary' }, isNegated: boolean): boolean {
  const [isLeft, isRight] = [test.left, test.right].map(
    (side) => (side.kind === 'name' || side.kind === 'attribute') && RISING.test(side.name),
  );
  if (isLeft === isRight || !/^[<>]=?$/.test(test.operator)) return false;
  return (test.operator.startsWith('>') === isLeft) !== isNegated;
}

/** A comparison of a plain name, a changing attribute or a length with anything but a text. */
function isCount(
  { left, right }: { readonly left: Expression; readonly right: Expression },
  modules: readonly PythonModule[],
  isFixed: IsIt,
): boolean {
  if ([left, right].some((side) => side.kind === 'literal' && side.type !== 'number')) return false;
  return [left, right].some(
    (side) =>
      side.kind === 'name' ||
      (side.kind === 'attribute' && !isFixed(side) && !isConstant(side, modules) && !startsAgain(side.name, modules)) ||
      (side.kind === 'call' && side.callee.kind === 'name' && side.callee.name === 'len'),
  );
}

/** True for an attribute of `self` that only the constructors of the workspace give a value. */
function isConstant(side: Expression, modules: readonly PythonModule[]): boolean {
  if (side.kind !== 'attribute' || side.value.kind !== 'name' || side.value.name !== 'self') return false;
  const setters = settersOf(side.name, modules);
  return setters.length > 0 && setters.every((name) => name === '__init__') && !isText(side.name, modules);
}

/** True if a text is a name, as in `setattr(self, 'rows', [])`. */
function isText(name: string, modules: readonly PythonModule[]): boolean {
  const quoted = new RegExp(`(['"])${name}\\1`);
  return modules.some(({ text }) => quoted.test(text));
}

/** `getattr(module, self.attribute)`, which may be any attribute whose name is a text somewhere. */
function isComputedName(part: Expression): boolean {
  if (part.kind !== 'call' || part.callee.kind !== 'name' || part.callee.name !== 'getattr') return false;
  return part.args.length > 1 && part.args[1].value.kind !== 'literal';
}

/** An attribute that a method other than the one that makes the object gives a value. */
function isFlag(test: Expression, modules: readonly PythonModule[]): boolean {
  return test.kind === 'attribute' && settersOf(test.name, modules).some((name) => name !== '__init__' && name !== '');
}

/** The functions that give an attribute of this name a value, and a property of this name; empty outside of functions. */
function settersOf(name: string, modules: readonly PythonModule[]): readonly string[] {
  const isIt: IsIt = (target) => target.kind === 'attribute' && target.name === name;
  return statementsBeside(name, modules).flatMap(({ statement, within }) => {
    if (statement.kind === 'function') return statement.name === name ? [name] : [];
    return assigns(statement, isIt) ? [within?.name ?? ''] : [];
  });
}
