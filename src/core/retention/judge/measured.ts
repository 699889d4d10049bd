import type { Call, Expression } from '../../python/ast.js';
import { standings } from '../../python/standings.js';
import { calledName, somePart } from '../../python/walk.js';
import type { Found, IsIt } from './found.js';

const COMPARES = /^(?:[<>]=?|[!=]=)$/;

/** `self.rows = deque(maxlen=n)`: it lets go of the oldest by itself. `ring = partial(deque, maxlen=n)` makes such. */
export function isBounded({ statement, module }: Found, isIt: IsIt): boolean {
  if (statement.kind !== 'assign' || !statement.targets.some(isIt) || statement.value.kind !== 'call') return false;
  const made = calledName(statement.value);
  return (
    hasBound(statement.value) ||
    standings(module.body).some(
      ({ statement: maker }) =>
        maker.kind === 'assign' &&
        maker.value.kind === 'call' &&
        maker.targets.some((target) => target.kind === 'name' && target.name === made) &&
        hasBound(maker.value),
    )
  );
}

function hasBound(call: Call): boolean {
  if (calledName(call) === 'deque' && call.args.length > 1) return true;
  return call.args.some(({ name, value }) => name === 'maxlen' && !(value.kind === 'literal' && value.type === 'none'));
}

/** True if it stands under a test of how long the container itself is. */
export function isMeasured({ outer, within }: Found, isIt: IsIt): boolean {
  const from = within === null ? 0 : outer.indexOf(within);
  return outer.slice(from).some((statement) => {
    if (statement.kind !== 'if' && statement.kind !== 'while') return false;
    const tests = statement.kind === 'while' ? [statement.test] : statement.branches.map(({ test }) => test);
    return tests.some((test) => comparesLength(test, isIt));
  });
}

function comparesLength(test: Expression, isIt: IsIt): boolean {
  const isLength = (side: Expression): boolean =>
    side.kind === 'call' &&
    side.callee.kind === 'name' &&
    side.callee.name === 'len' &&
    side.args.length === 1 &&
    isIt(side.args[0].value);
  return somePart(
    test,
    (part) => part.kind === 'binary' && COMPARES.test(part.operator) && [part.left, part.right].some(isLength),
  );
}
