import { getOrAdd } from '../maps.js';
import type { Expression, FunctionDef } from '../python/ast.js';
import { constantOf } from '../python/constant.js';
import { lineAt, type PythonModule } from '../python/pythonModule.js';
import { isLoop } from '../python/standings.js';
import { calledName, someExpression } from '../python/walk.js';
import type { Followed } from './findHolder.js';
import { runsAtTheEnd } from './names/atTheEnd.js';
import { isCalledByFramework, objectsOf } from './names/callers.js';
import { namedReleasesOf, type NamedRelease, type NamedBound } from './names/namedReleases.js';
import { callsOf, inModule, isNamed, nameOfHolder, outerName, statementsBeside, type Found } from './names/names.js';
import { isUnderTest } from './names/tests.js';
import { isRead, readAfterLoops, readOfLast, releaseIn, trains, usesAll } from './names/uses.js';
import type { FollowedBound, FollowedRelease, Where } from './holders/bounds.js';
import type { Sources } from './sources.js';
import type { Place } from './values/objects.js';

/** A place in the source, as a report names it. */
interface SourceLine {
  readonly file: string;
  readonly line: number;
}

/** A statement that may release memory of a holder. */
type Release = SourceLine & Omit<FollowedRelease, 'place'>;

/** A bound of a holder's growth. */
interface HolderBound extends SourceLine {
  /**
   * - `length`, `ring`, `cache`: bounded by construction; `fixed`: items are replaced, none are added
   * - `test`: a test of a length or count around the statement; `graph`: a backward every few steps
   * - `keys`: keys that may all occur; `running`: the same, where an item is made of the one before; `flag`: a test around
   *   the statement that may end
   */
  readonly kind: FollowedBound['kind'] | NamedBound;
  /** Maximum number of items; null if the source does not show it. */
  readonly value: number | null;
  /** True if the interpreter met it on this object; false by name only. */
  readonly isFollowed: boolean;
}

/** Statements that may release or bound a holder's memory. */
export interface Retention {
  /** Releases, those that the interpreter met first. */
  readonly releases: readonly Release[];
  readonly bounds: readonly HolderBound[];
  /** The loop in which training continues after all of these. */
  readonly nextLoop: SourceLine | null;
  /** The statement that reads it after the loop that fills it. */
  readonly read: ResultRead | null;
  /** A statement that uses the items in each step; `isWhole` if it uses all of them. */
  readonly use: (SourceLine & { readonly isWhole: boolean; readonly isOfEvaluation: boolean }) | null;
  /** Items are added once per round of a loop around one that trains, or after a count: `if step % 100 == 0`. */
  readonly isAddedSeldom: boolean;
  /** The program reads the last items only, so it does not work with the older ones. */
  readonly readsLastOnly: boolean;
}

/** A statement that reads what a loop has collected, as its result. */
interface ResultRead extends SourceLine {
  /** The loop has no word of training in it. */
  readonly isOfEvaluation: boolean;
  /** A library's trainer calls its function when all is over. */
  readonly isAtTheEnd: boolean;
}

/**
 * Releases and bounds of a holder, from the interpreter, else from names.
 * @param holder as a report names it; null for the one in the source
 * @param followed the results of following each stack of the line
 * @param files that may have run
 * @param stepLoop as the recorder counted it, undefined to take it from the source; null if uses do not matter
 */
export function retentionOf(
  holder: (SourceLine & { readonly name: string }) | null,
  followed: readonly Followed[],
  sources: Sources,
  files: Iterable<string>,
  stepLoop: SourceLine | null | undefined,
): Retention {
  const shown = followed.map(({ finding, ended }) => finding ?? ended).find((one) => one !== null) ?? null;
  const name = holder?.name ?? shown?.holder ?? '';
  const own = sources.module(holder?.file ?? shown?.module.file ?? '');
  const line = holder?.line ?? (shown === null ? 0 : lineAt(shown.module, shown.span.from));
  const modules = sources.reachableFrom([...(own === null ? [] : [own.file]), ...files]);
  const put =
    own === null ? undefined : inModule(own).findLast(({ statement }) => lineAt(own, statement.from) === line);
  // Memory without a stack, such as gradients, has the line of its holder, and no path there.
  const loops = followed.find((one) => one.loops.length > 0)?.loops ?? loopsAround(put);
  const releases = new Map<string, Release>();
  const bounds = new Map<string, HolderBound>();
  const add = <T extends SourceLine & { readonly kind: string }>(to: Map<string, T>, one: T): void => {
    const key = [one.file, one.line, one.kind].join('\n');
    if (!to.has(key)) to.set(key, one);
  };
  for (const { retained } of followed) {
    for (const { place, ...release } of retained.releases) add(releases, { ...lineOf(place), ...release });
    for (const { place, kind, max } of retained.bounds)
      add(bounds, { ...lineOf(place), kind, value: max?.count ?? null, isFollowed: true });
  }
  const callers = new Map<object, Ran>();
  const byLine = new Set([...releases.values()].map((one) => `${one.file}:${one.line}`));
  for (const named of releasesByName(name, own, line, modules)) {
    const at = lineOf(named.place);
    if ('bound' in named) {
      if (!followed.some(({ retained }) => retained.bounds.some(({ kind }) => kind === named.bound)))
        add(bounds, { ...at, kind: named.bound, value: null, isFollowed: false });
    } else if (!byLine.has(`${at.file}:${at.line}`)) {
      const { where, isConditional } = whereRuns(named.found, { loops, modules, callers });
      add(releases, { ...at, kind: named.release, where, isConditional });
    }
  }
  for (const { buffer } of followed) {
    if (buffer !== null) add(releases, { ...lineOf(buffer), kind: 'take', where: 'step', isConditional: true });
  }
  const next = followed.find(({ nextLoop }) => nextLoop !== null)?.nextLoop ?? null;
  const isSeldom = isAddedSeldom(put, loops.at(-1), modules);
  const innermost = loops.findLast((loop) => isSeldom || isOfEvaluation(loop));
  return {
    releases: [...releases.values()],
    bounds: [...bounds.values()],
    nextLoop: next === null ? null : lineOf(next),
    read: readOf(name, put) ?? readByMethod(name, loops.at(0), modules),
    isAddedSeldom: isSeldom,
    readsLastOnly: readOfLast(name, modules) !== null,
    use: stepLoop === null ? null : usedInSteps(name, own, stepLoop ?? innermost, modules),
  };
}

/** The loops around a statement in its function, outermost first. */
function loopsAround(put: Found | undefined): Place[] {
  if (put === undefined) return [];
  const { module, outer, within } = put;
  const inside = within === null ? outer : outer.slice(outer.indexOf(within) + 1);
  return inside.filter(isLoop).map((span) => ({ module, span }));
}

/** Where each step uses items of a container that is filled elsewhere: `for anchor in self.anchors: …`. */
function usedInSteps(
  name: string,
  own: PythonModule | null,
  stepLoop: SourceLine | Place | undefined,
  modules: readonly PythonModule[],
): Retention['use'] {
  const held = outerName(name) ?? nameOfHolder(name);
  if (held === null || stepLoop === undefined) return null;
  const loop = 'span' in stepLoop ? stepLoop : loopAt(stepLoop, modules);
  const program = { loops: loop === null ? [] : [loop], modules, callers: new Map() };
  const isIt = (part: Expression): boolean => isNamed(held, part);
  const beside = held.kind === 'variable' ? (own === null ? [] : inModule(own)) : statementsBeside(held.name, modules);
  const reads = beside.filter(({ statement }) => isRead(statement, isIt));
  const isInStep = (one: Found): boolean => runsInSteps(one, program);
  // A statement that goes through a dictionary of lists may use a part of each list only.
  const whole =
    outerName(name) === null ? reads.find((one) => usesAll(one.statement, isIt) && isInStep(one)) : undefined;
  const read = whole ?? reads.find(isInStep);
  if (read === undefined) return null;
  return { ...placeOf(read), isWhole: whole !== undefined, isOfEvaluation: loop !== null && isOfEvaluation(loop) };
}

function loopAt({ file, line }: SourceLine, modules: readonly PythonModule[]): Place | null {
  const found = modules
    .filter((module) => module.file === file)
    .flatMap(inModule)
    .find(({ module, statement }) => isLoop(statement) && lineAt(module, statement.from) === line);
  return found === undefined ? null : { module: found.module, span: found.statement };
}

function isOfEvaluation({ module, span }: Place): boolean {
  return !trains(module.text.slice(span.from, span.to));
}

/** Methods that the loop of a library calls in each step. */
const IN_STEPS = /^(?:training_step|compute_loss|forward)$/;

/** True for a statement in the loop of the steps, or in a function or an object that is called there: `penalty(model)`. */
function runsInSteps(found: Found, program: Program): boolean {
  if (program.loops.length === 0) return IN_STEPS.test(found.within?.name ?? '');
  if (whereRuns(found, program).where === 'step') return true;
  const own = found.outer.findLast(({ kind }) => kind === 'class');
  if (own?.kind !== 'class' || !/^(?:__call__|forward)$/.test(found.within?.name ?? '')) return false;
  const names = objectsOf(own, program.modules);
  return program.modules
    .flatMap(inModule)
    .some(
      (one) =>
        someExpression(one.statement, (part) => part.kind === 'call' && names.has(calledName(part))) &&
        whereRuns(one, program).where === 'step',
    );
}

/** Where a variable, or one with the holder as its item, is read after the loop around the statement on a line. */
function readOf(name: string, put: Found | undefined): Retention['read'] {
  const variable = outerName(name) ?? nameOfHolder(name);
  if (variable?.kind !== 'variable') return null;
  const read = readAfterLoops(name, put);
  if (read === null) return null;
  const { found, isOfEvaluation } = read;
  return { ...placeOf(found), isOfEvaluation, isAtTheEnd: false };
}

/** Minimum number of steps from one to the next of what few steps add to. */
const SELDOM = 7;

/** True if the statement's loop has one in it that trains, or a count of steps decides whether it runs. */
function isAddedSeldom(put: Found | undefined, loop: Place | undefined, modules: readonly PythonModule[]): boolean {
  const inLoop =
    loop === undefined
      ? []
      : inModule(loop.module).filter(({ statement: { from, to } }) => loop.span.from < from && to <= loop.span.to);
  const counted =
    put !== undefined && isUnderTest(put, modules, (test, _, isNegated) => isPassedSeldom(test, isNegated));
  return counted || inLoop.some((one) => trainsInLoop(one) || callsTraining(one, modules));
}

function trainsInLoop({ module, statement }: Pick<Found, 'module' | 'statement'>): boolean {
  return isLoop(statement) && trains(module.text.slice(statement.from, statement.to));
}

/** By file, the names of its functions with a loop that trains. */
const training = new WeakMap<PythonModule, ReadonlySet<string>>();

/** True if a statement calls a function with a loop that trains. */
function callsTraining({ statement }: Found, modules: readonly PythonModule[]): boolean {
  const namesIn = (module: PythonModule): ReadonlySet<string> =>
    getOrAdd(training, module, () => {
      const inLoops = inModule(module).filter(trainsInLoop);
      return new Set(inLoops.flatMap(({ within }) => within?.name ?? []));
    });
  return someExpression(
    statement,
    (part) => part.kind === 'call' && modules.some((module) => namesIn(module).has(calledName(part))),
  );
}

/**
 * True for a test such as `step % log_every == 0` that few steps pass; every third step is often.
 * @param isNegated true if steps pass that do not hold it: `if step % 100: return`
 */
function isPassedSeldom(test: Expression, isNegated: boolean): boolean {
  if (test.kind === 'unary') return isPassedSeldom(test.operand, (test.operator === 'not') !== isNegated);
  if (test.kind !== 'binary') return false;
  const { operator, left, right } = test;
  const sides = [left, right];
  switch (operator) {
    case '%':
      return isNegated && (constantOf(right) ?? SELDOM) >= SELDOM;
    case '==':
    case '!=':
      return sides.some((side) => isPassedSeldom(side, (operator === '==') !== isNegated));
    case 'and':
    case 'or': {
      const passes = (side: Expression): boolean => isPassedSeldom(side, isNegated);
      return (operator === 'and') !== isNegated ? sides.some(passes) : sides.every(passes);
    }
    default:
      return false;
  }
}

/**
 * Where a method reads an attribute: one that a library's trainer calls when all is over, or one that releases nothing
 * and is called only after the loop: `evaluator.recall()`.
 */
function readByMethod(name: string, loop: Place | undefined, modules: readonly PythonModule[]): Retention['read'] {
  const attribute = nameOfHolder(name);
  if (attribute?.kind !== 'attribute') return null;
  const isIt = (part: Expression): boolean => isNamed(attribute, part);
  const around = loop && inModule(loop.module).find(({ statement }) => statement.from === loop.span.from);
  const after = around === undefined ? null : new AfterLoop(around, modules);
  for (const one of statementsBeside(attribute.name, modules)) {
    const { module, statement, within } = one;
    if (within === null || !isRead(statement, isIt)) continue;
    const isAtTheEnd = within.name.endsWith('_end') && runsAtTheEnd(within.name);
    const beside = inModule(module).filter((other) => other.within === within);
    if (!isAtTheEnd && beside.some((other) => releaseIn(other.statement, isIt) !== null)) continue;
    if (isAtTheEnd || after?.runs(one) === true)
      return { ...placeOf(one), isOfEvaluation: loop !== undefined && isOfEvaluation(loop), isAtTheEnd };
  }
  return null;
}

/** Finds the functions that run only after a loop, or only after the function that runs the loop. */
class AfterLoop {
  private readonly starts: readonly Found[];
  /** By function, each of which is searched once: they may call one another. */
  private readonly known = new Map<FunctionDef, boolean>();

  constructor(
    loop: Found,
    private readonly modules: readonly PythonModule[],
  ) {
    this.starts = [loop, ...(loop.within === null ? [] : callsOf(loop.within, modules))];
  }

  /** True if the function around a statement is called, and each of its calls comes after the loop. */
  runs(found: Found): boolean {
    const { within } = found;
    if (within === null) return false;
    const known = this.known.get(within);
    if (known !== undefined) return known;
    this.known.set(within, false);
    const calls = within.name === '__iter__' ? iterationsBeside(found) : callsOf(within, this.modules);
    const runs =
      calls.length > 0 && calls.every((call) => this.starts.some((start) => follows(call, start)) || this.runs(call));
    this.known.set(within, runs);
    return runs;
  }
}

function follows(call: Found, start: Found): boolean {
  return call.module === start.module && call.within === start.within && call.statement.from >= start.statement.to;
}

/** Statements of other methods of a class that iterate over `self`. */
function iterationsBeside({ module, outer, within }: Found): Found[] {
  const own = outer.findLast(({ kind }) => kind === 'class');
  const isSelf = (part: Expression): boolean => part.kind === 'name' && part.name === 'self';
  return inModule(module).filter(
    (one) => one.within !== within && own !== undefined && one.outer.includes(own) && usesAll(one.statement, isSelf),
  );
}

function placeOf({ module, statement }: Found): SourceLine {
  return lineOf({ module, span: statement });
}

/** Results by name; emptying a container of containers releases each of them as well. */
function* releasesByName(
  name: string,
  own: PythonModule | null,
  line: number,
  modules: readonly PythonModule[],
): Generator<NamedRelease> {
  const held = nameOfHolder(name);
  const outer = outerName(name);
  if (held !== null) yield* namedReleasesOf(held, own, line, modules);
  if (outer === null) return;
  for (const named of namedReleasesOf(outer, own, line, modules)) if (!('bound' in named)) yield named;
}

function lineOf({ module, span }: Place): SourceLine {
  return { file: module.file, line: lineAt(module, span.from) };
}

/** Maximum number of calls to go through, because functions may call one another. */
const DEEPEST = 3;
/** The order in which callers of a function run; the first one counts. */
const SOONEST: readonly Where[] = ['step', 'enclosing', 'after', 'library', 'unknown'];

type Ran = Pick<Release, 'where' | 'isConditional'>;

/** What the places of releases depend on. */
interface Program {
  readonly loops: readonly Place[];
  readonly modules: readonly PythonModule[];
  /** Where each function is called. */
  readonly callers: Map<object, Ran>;
}

/** Where a statement runs that was not followed, by the loops around it and around the calls of its function. */
function whereRuns(found: Found, program: Program, depth = 0): Ran {
  const { loops } = program;
  const { module, within, outer, statement } = found;
  const inside = within === null ? outer : outer.slice(outer.indexOf(within) + 1);
  const isConditional = inside.some(({ kind }) => !/^(?:for|with)$/.test(kind));
  for (let i = loops.length - 1; i >= 0; i--) {
    const { module: file, span } = loops[i];
    if (file === module && inside.some((one) => isLoop(one) && one.from === span.from))
      return { where: i === loops.length - 1 ? 'step' : 'enclosing', isConditional };
  }
  const first = loops.at(0);
  if (first?.module === module && statement.from > first.span.to && isIn(first, within))
    return { where: 'after', isConditional };
  if (within === null || depth >= DEEPEST) return { where: 'unknown', isConditional };
  // A function may have many releases and many callers, so its callers are searched only once.
  const called = getOrAdd(program.callers, within, () => whereCalled(within, outer, program, depth));
  return { where: called.where, isConditional: isConditional || (called.where !== 'library' && called.isConditional) };
}

/** Where a function is called that was not followed. */
function whereCalled(within: FunctionDef, outer: Found['outer'], program: Program, depth: number): Ran {
  const { modules } = program;
  if (isCalledByFramework(within, outer, modules)) return { where: 'library', isConditional: false };
  const callers = callsOf(within, modules).map((one) => whereRuns(one, program, depth + 1));
  const [soonest] = callers.sort((a, b) => SOONEST.indexOf(a.where) - SOONEST.indexOf(b.where)) as (Ran | undefined)[];
  return soonest ?? { where: 'unknown', isConditional: false };
}

function isIn({ span }: Place, within: Found['within']): boolean {
  return within === null || (within.from <= span.from && span.from < within.to);
}
