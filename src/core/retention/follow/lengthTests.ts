import type { Expression } from '../../python/ast.js';
import { partsOf } from '../../python/walk.js';
import { oneMore, type Room } from '../values/known.js';

/** What is followed where a test was made: only if it holds, only if it does not, or either way. */
export type Outcome = 'holds' | 'fails' | 'either';

/** What a test says of the number of items in something. */
export interface LengthTest {
  /** The container's source; null where a counter is tested, which bounds whatever is put in under the test. */
  readonly container: string | null;
  /** It takes no more than this while the test holds; null if the test does not say so. */
  readonly room: Room | null;
  /** It may hold more than this, and the test asks for it; null if it does not. */
  readonly over: Room | null;
}

/** Reads the expressions of tests where these stand. */
export interface TestReader {
  /** An expression's source, as the function that tests would write it. */
  text(expression: Expression): string;
  /** What an expression says of a number of items. */
  room(expression: Expression): Room;
  /** What is tested by a method, or a property, that only returns it: `if not buffer.is_full():`; null for any other. */
  returned(expression: Expression): Returned | null;
  /** The same for the `__len__` of an object. */
  length(object: Expression): Returned | null;
  /** True of a number that becomes more each time that what the test guards has run. */
  isCounter(expression: Expression): boolean;
}

/** An expression, and who reads it where it stands. */
export interface Returned {
  readonly expression: Expression;
  readonly reader: TestReader;
}

/** How `a < b` reads from the other side, and where it does not hold. */
const TURNED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=' };
const DENIED: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<', '==': '!=', '!=': '==' };

/** `len(kept) < 64`, read from its left side. */
interface Comparison {
  /** Null where a number is compared: `counter` tells which. */
  readonly container: string | null;
  readonly counter: Returned | null;
  readonly operator: string;
  readonly room: Room;
}

/** The containers whose length a test compares, and the counters that it compares where these end what it guards. */
export function lengthTests(test: Expression, outcome: Outcome, reader: TestReader): LengthTest[] {
  const found: LengthTest[] = [];
  for (const { container, operator, room } of everywhere(test, reader)) {
    if (container !== null) found.push({ container, room: null, over: /^(?:>=?|==)$/.test(operator) ? room : null });
  }
  for (const { container, counter, operator, room } of certain(test, outcome, reader)) {
    const most = operator === '<=' ? oneMore(room) : room;
    // What is never this long for its being not this long may be longer already; a number may jump over another.
    const isOther = operator === '!=' && container !== null && (room.count ?? 0) > 0;
    if (operator !== '<' && operator !== '<=' && !isOther) continue;
    if (counter === null || counter.reader.isCounter(counter.expression)) {
      found.push({ container, room: most, over: null });
    }
  }
  return found;
}

/** All comparisons that stand anywhere in a test. */
function everywhere(part: Expression, reader: TestReader): Comparison[] {
  const returned = reader.returned(part);
  if (returned !== null) return everywhere(returned.expression, returned.reader);
  return [...comparisons(part, reader), ...partsOf(part).flatMap((one) => everywhere(one, reader))];
}

/** What holds for sure: the test itself or each part of an `and`, or that no part of an `or` does. */
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
    return [{ container: length.container, counter: length.counter, operator, room: reader.room(other) }];
  if (side.kind !== 'name' && side.kind !== 'attribute') return [];
  return [{ container: null, counter: { expression: side, reader }, operator, room: reader.room(other) }];
}

/** What `len()`, or a queue's `qsize()`, counts. */
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
