import type { Span } from '../../python/ast.js';
import { bodiesOf, forEachStatement, type PythonModule } from '../../python/pythonModule.js';

/** Lightning and its like call these by themselves. */
const BY_FRAMEWORK = /^on_|_end$|_start$|^reset_epoch/;
/** What runs when training is over ends nothing while it runs. */
const AT_THE_END = /^(?:on_)?(?:fit|train|training)_end$|^(?:close|shutdown|teardown|__del__|__exit__)$/;

/** True of a method's name that a training framework calls by itself. */
export function isCalledByFramework(name: string): boolean {
  return BY_FRAMEWORK.test(name);
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
