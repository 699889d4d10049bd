import type { Expression, FunctionDef, Statement } from '../../python/ast.js';
import { partsOf } from '../../python/walk.js';
import { type ItemLimit, oneMore, itemLimit } from '../values/flowNode.js';
import {
  type FunctionObject,
  type Instance,
  Scope,
  type PyObject,
  type Value,
  classAttribute,
  valueOfInstance,
} from '../values/objects.js';
import { type Guarded, isCountingAttribute } from './counters.js';
import { Part } from './follower.js';
import type { Activation, LengthTest, Measured } from './machine.js';
import { sourceText } from './sourceText.js';

/** Whether code runs only if a test holds, only if it fails, or always. */
type Outcome = 'holds' | 'fails' | 'either';

/** Reads the expressions of tests in their place. */
interface TestReader {
  /** An expression's source, as the function that tests would write it. */
  text(expression: Expression): string;
  /** The meaning of an expression for a number of items. */
  limit(expression: Expression): ItemLimit;
  /** The test that a called method or property returns: `if not buffer.is_full():`; else null. */
  returned(expression: Expression): Returned | null;
  /** The length that the `__len__` of an object returns; else null. */
  length(object: Expression): Returned | null;
  /** True for a number that increases with each run of the guarded code. */
  isCounter(expression: Expression): boolean;
}

/** An expression with its reader. */
interface Returned {
  readonly expression: Expression;
  readonly reader: TestReader;
}

/** How `a < b` reads from the other side, and where it does not hold. */
const TURNED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=' };
const DENIED: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<', '==': '!=', '!=': '==' };

/** `len(held) < 64`, read from its left side. */
interface Comparison {
  /** Null if a number is compared; see `counter`. */
  readonly container: string | null;
  readonly counter: Returned | null;
  readonly operator: string;
  readonly limit: ItemLimit;
}

/** The containers whose length a test compares, and the counters whose comparison ends the tested code. */
function lengthTests(test: Expression, outcome: Outcome, reader: TestReader): LengthTest[] {
  const found: LengthTest[] = [];
  for (const { container, operator, limit } of everywhere(test, reader)) {
    if (container !== null) found.push({ container, limit: null, over: /^(?:>=?|==)$/.test(operator) ? limit : null });
  }
  for (const { container, counter, operator, limit } of certain(test, outcome, reader)) {
    const max = operator === '<=' ? oneMore(limit) : limit;
    // A length that is tested for equality may be greater already; a number may skip another.
    const isOther = operator === '!=' && container !== null && (limit.count ?? 0) > 0;
    if (operator !== '<' && operator !== '<=' && !isOther) continue;
    if (counter === null || counter.reader.isCounter(counter.expression)) {
      found.push({ container, limit: max, over: null });
    }
  }
  return found;
}

/** All comparisons inside of a test. */
function everywhere(part: Expression, reader: TestReader): Comparison[] {
  const returned = reader.returned(part);
  if (returned !== null) return everywhere(returned.expression, returned.reader);
  return [...comparisons(part, reader), ...partsOf(part).flatMap((one) => everywhere(one, reader))];
}

/** The certain facts: the test itself, each part of an `and`, or the negation of each part of an `or`. */
function certain(test: Expression, outcome: Outcome, reader: TestReader): Comparison[] {
  if (outcome === 'either') return [];
  if (test.kind === 'unary' && test.operator === 'not') {
    return certain(test.operand, outcome === 'holds' ? 'fails' : 'holds', reader);
  }
  if (test.kind !== 'binary') {
    const returned = reader.returned(test);
    return returned === null ? [] : certain(returned.expression, outcome, returned.reader);
  }
  if (test.operator === (outcome === 'holds' ? 'and' : 'or')) {
    return [...certain(test.left, outcome, reader), ...certain(test.right, outcome, reader)];
  }
  const compared = comparisons(test, reader);
  return outcome === 'holds' ? compared : compared.map((one) => ({ ...one, operator: DENIED[one.operator] }));
}

function comparisons(part: Expression, reader: TestReader): Comparison[] {
  if (part.kind !== 'binary' || !(part.operator in TURNED)) return [];
  const { operator, left, right } = part;
  return [...comparison(left, operator, right, reader), ...comparison(right, TURNED[operator], left, reader)];
}

function comparison(side: Expression, operator: string, other: Expression, reader: TestReader): Comparison[] {
  const length = lengthOf(side, reader);
  if (length !== null)
    return [{ container: length.container, counter: length.counter, operator, limit: reader.limit(other) }];
  if (side.kind !== 'attribute') return [];
  return [{ container: null, counter: { expression: side, reader }, operator, limit: reader.limit(other) }];
}

/** The argument of `len()`, or the queue of `qsize()`. */
function lengthOf(expression: Expression, reader: TestReader): Pick<Comparison, 'container' | 'counter'> | null {
  if (expression.kind !== 'call') return null;
  const { callee, args } = expression;
  if (callee.kind === 'attribute' && callee.name === 'qsize')
    return { container: reader.text(callee.value), counter: null };
  if (callee.kind !== 'name' || callee.name !== 'len' || args.length !== 1) return null;
  const returned = reader.length(args[0].value);
  if (returned === null) return { container: reader.text(args[0].value), counter: null };
  const inner = lengthOf(returned.expression, returned.reader);
  if (inner !== null) return inner;
  return returned.expression.kind === 'attribute' ? { container: null, counter: returned } : null;
}

/** The testing statement, and the code that runs on the required outcome. */
interface Tested {
  readonly statement: Statement;
  readonly body: readonly Statement[];
}

/** Maximum depth of methods inside tested methods. */
const DEEPEST = 3;

/** Tests of the length of containers, and of counters of their items, around blocks. */
export class TestedLengths extends Part {
  measured(test: Expression, outcome: Outcome, act: Activation, { statement, body }: Tested): Measured[] {
    // Each test of a long `elif` is read again for each block behind it.
    this.machine.count();
    const { loops } = this.machine;
    const { def, scope } = act;
    const around = def === null ? scope.module.body : def.kind === 'lambda' ? [] : def.body;
    const guarded = { module: scope.module, around, test: statement, body };
    const found = lengthTests(
      test,
      outcome,
      this.readerOf(act, guarded, (text) => text, 0),
    );
    return found.map((one) => ({ ...one, depth: loops.length }));
  }

  /** @param named the testing function's name for a name of the reader's function */
  private readerOf(act: Activation, guarded: Guarded, named: (text: string) => string, depth: number): TestReader {
    const text = (one: Expression): string => named(sourceText(act.scope.module, one));
    const inside = (fn: FunctionObject & { def: FunctionDef }, receiver: Expression, self: Value): TestReader => {
      const scope = new Scope(fn.module, fn.scope);
      const own = fn.def.params[0]?.name ?? '';
      scope.names.set(own, self);
      const start = new RegExp(`^${own}(?=\\.)`);
      const outer = text(receiver);
      return this.readerOf(
        { ...act, scope, def: fn.def, frame: null },
        guarded,
        (inner) => inner.replace(start, () => outer),
        depth + 1,
      );
    };
    const member = (receiver: Expression, name: string, isProperty: boolean): Returned | null => {
      if (depth >= DEEPEST || (receiver.kind !== 'name' && receiver.kind !== 'attribute')) return null;
      const self = this.follower.evaluate(receiver, act);
      for (const object of self.objects) {
        if (object.kind !== 'instance') continue;
        const fn = methodOf(object, name);
        const expression = fn === null || isDecorated(fn) !== isProperty ? null : returnedBy(fn.def);
        if (fn === null || expression === null) continue;
        return { expression, reader: inside(fn, receiver, valueOfInstance(object)) };
      }
      return null;
    };
    return {
      text,
      limit: (one) => itemLimit(this.follower.evaluate(one, act), text(one)),
      returned: (one) => {
        if (one.kind === 'attribute') return member(one.value, one.name, true);
        if (one.kind !== 'call' || one.args.length > 0 || one.callee.kind !== 'attribute') return null;
        return member(one.callee.value, one.callee.name, false);
      },
      length: (object) => member(object, '__len__', false),
      isCounter: (one) => one.kind === 'attribute' && isCountingAttribute(one.name, guarded, this.machine.sources.read),
    };
  }
}

function methodOf({ cls }: Instance, name: string): (FunctionObject & { def: FunctionDef }) | null {
  const [fn] = ((cls === null ? undefined : classAttribute(cls, name))?.objects ?? []) as (PyObject | undefined)[];
  if (fn?.kind !== 'function') return null;
  const { def } = fn;
  return def.kind === 'function' ? { ...fn, def } : null;
}

function isDecorated({ def }: { readonly def: FunctionDef }): boolean {
  return def.decorators.length > 0;
}

/** The result of a function that only returns; a docstring may come first. */
function returnedBy({ body }: FunctionDef): Expression | null {
  const [first] = body as (Statement | undefined)[];
  const rest = first?.kind === 'expression' && first.value.kind === 'literal' ? body.slice(1) : body;
  return rest.length === 1 && rest[0].kind === 'return' ? rest[0].value : null;
}
