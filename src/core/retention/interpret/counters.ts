import type { Expression, Statement } from '../../python/ast.js';
import { constantOf } from '../../python/constant.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { standings } from '../../python/standings.js';
import { assigns, isTarget } from '../../python/walk.js';
import { sourceText } from './sourceText.js';

/** The code that a test guards. */
export interface Guarded {
  readonly module: PythonModule;
  /** The body of the function that tests, or of its module. */
  readonly around: readonly Statement[];
  /** The statement that tests. */
  readonly test: Statement;
  /** The code that runs on the required outcome; empty for the rest of the block. */
  readonly body: readonly Statement[];
}

/**
 * True of an attribute that each run of a tested statement increments, and that nothing resets: the test ends some
 * time.
 * @param modules all files that may assign it
 */
export function isCountingAttribute(name: string, guarded: Guarded, modules: readonly PythonModule[]): boolean {
  const isIt = (target: Expression): boolean => target.kind === 'attribute' && target.name === name;
  return (
    modules.every((module) =>
      standings(module.body).every(
        ({ statement, outer }) =>
          isCounting(statement, module, isIt) ||
          (startsAtZero(statement, isIt) &&
            !outer.some(({ kind }) => kind === 'for' || kind === 'while') &&
            isInitial(outer)),
      ),
    ) && isCountedUp(guarded, isIt)
  );
}

type IsIt = (target: Expression) => boolean;

/** True if a statement gives it no value, or one more than it has. */
function isCounting(statement: Statement, module: PythonModule, isIt: IsIt): boolean {
  return !assigns(statement, isIt) || isOneMore(statement, module, isIt);
}

/** `n += 1`, `n = n + 1`. */
function isOneMore(statement: Statement, module: PythonModule, isIt: IsIt): boolean {
  if (statement.kind === 'update') {
    return isIt(statement.target) && statement.operator === '+=' && (constantOf(statement.value) ?? 0) > 0;
  }
  if (statement.kind !== 'assign' || statement.targets.length !== 1 || !isIt(statement.targets[0])) return false;
  const { value } = statement;
  return (
    value.kind === 'binary' &&
    value.operator === '+' &&
    sourceText(module, value.left) === sourceText(module, statement.targets[0]) &&
    (constantOf(value.right) ?? 0) > 0
  );
}

/** True if it increases in the guarded code, or in a block around the test. */
function isCountedUp({ module, around, test, body }: Guarded, isIt: IsIt): boolean {
  const blocks = standings(around).find(({ statement }) => statement === test)?.blocks ?? [];
  return [body, ...blocks].some((block) => block.some((statement) => isOneMore(statement, module, isIt)));
}

/** `n = 0`, or another number of at least 0. */
function startsAtZero(statement: Statement, isIt: IsIt): boolean {
  if (statement.kind !== 'assign') return false;
  const { value } = statement;
  return statement.targets.every((target) => {
    if (isIt(target)) return (constantOf(value) ?? -1) >= 0;
    if (target.kind !== 'display' || value.kind !== 'display') return !isTarget(target, isIt);
    return target.items.every((item, i) => !isTarget(item, isIt) || (constantOf(value.items[i]) ?? -1) >= 0);
  });
}

function isInitial(outer: readonly Statement[]): boolean {
  const fn = outer.findLast(({ kind }) => kind === 'function');
  return fn === undefined || (fn.kind === 'function' && fn.name === '__init__');
}
