import { READS } from '../operations.js';
import type { Call, Expression, FunctionDef, Statement } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { calledName, allExpressions, someExpression } from '../../python/walk.js';
import { type Found, type IsIt, inModule, statementsBeside } from './names.js';

/** Maximum number of calls through which a name is followed. */
const HANDED_ON = 2;

/** Names of a container or its content: variables by function, and attributes of any object. */
export class Aliases {
  private readonly names = new Map<FunctionDef, Set<string>>();
  private readonly attributes = new Set<string>();

  /** @param found statements that may name the container */
  constructor(found: readonly Found[], isIt: IsIt, modules: readonly PythonModule[]) {
    let some = found;
    for (let i = 0; i <= HANDED_ON && some.length > 0; i++) {
      for (const one of some) this.nameIn(one, isIt);
      const receivers = some.flatMap((one) => this.passedTo(one, isIt, modules));
      some = receivers.flatMap(({ module, fn }) => inModule(module).filter(({ within }) => within === fn));
    }
  }

  /** Returns true if an expression is an attribute to which the program assigned the container. */
  isAttribute(expression: Expression): boolean {
    return expression.kind === 'attribute' && this.attributes.has(expression.name);
  }

  /** The names of the container, or of its items, in a statement's function. */
  in({ within }: Found, isIt: IsIt): IsIt {
    const names = within === null ? undefined : this.names.get(within);
    return (expression) =>
      isInside(
        expression,
        (part) => isIt(part) || (part.kind === 'name' && !!names?.has(part.name)) || this.isAttribute(part),
      );
  }

  /** True if a function was given the container under another name. */
  has({ within }: Found): boolean {
    return within !== null && this.names.has(within);
  }

  /** Returns true if a statement contains an attribute to which the program assigned the container. */
  hasAttribute({ statement }: Found): boolean {
    return this.attributes.size > 0 && someExpression(statement, (part) => this.isAttribute(part));
  }

  /** `rows = self.rows[key]`, `for name, rows in self.rows.items():`, `self.rows = rows` */
  private nameIn(one: Found, isIt: IsIt): void {
    const { statement, within } = one;
    if (within === null) return;
    const isOurs = this.in(one, isIt);
    for (const [target, value] of boundBy(statement, isOurs)) {
      if (target.kind === 'name') this.add(within, target.name);
      // An attribute is a further name of the container only, not of its items.
      else if (target.kind === 'attribute' && !isIt(target) && value.kind !== 'subscript' && value.kind !== 'call')
        this.attributes.add(target.name);
    }
  }

  /** `trim(self.rows, limit)`: the function's parameter. */
  private passedTo(
    one: Found,
    isIt: IsIt,
    modules: readonly PythonModule[],
  ): { readonly module: PythonModule; readonly fn: FunctionDef }[] {
    const isOurs = this.in(one, isIt);
    const receivers: { module: PythonModule; fn: FunctionDef }[] = [];
    for (const part of allExpressions(one.statement)) {
      if (part.kind !== 'call' || !part.args.some(({ value }) => isOurs(value))) continue;
      for (const { module, fn } of [...functionsCalled(part, modules), ...constructorsCalled(part, modules)]) {
        for (const name of receivingParameters(part, fn, isOurs))
          if (this.add(fn, name)) receivers.push({ module, fn });
      }
    }
    return receivers;
  }

  private add(fn: FunctionDef, name: string): boolean {
    const names = this.names.get(fn) ?? new Set();
    this.names.set(fn, names);
    if (names.has(name)) return false;
    names.add(name);
    return true;
  }
}

/** The functions of the workspace that a call may be of, by their name alone. */
export function functionsCalled(
  call: Call,
  modules: readonly PythonModule[],
): { readonly module: PythonModule; readonly fn: FunctionDef }[] {
  const name = calledName(call);
  if (name === '') return [];
  return statementsBeside(name, modules).flatMap(({ statement, module }) =>
    statement.kind === 'function' && statement.name === name ? [{ module, fn: statement }] : [],
  );
}

/** Constructors of the workspace's classes that have the name of the call. */
function constructorsCalled(
  call: Call,
  modules: readonly PythonModule[],
): { readonly module: PythonModule; readonly fn: FunctionDef }[] {
  const name = calledName(call);
  if (name === '') return [];
  return statementsBeside(name, modules).flatMap(({ statement, module, outer }) => {
    const around = outer.at(-1);
    if (statement.kind !== 'function' || statement.name !== '__init__') return [];
    return around?.kind === 'class' && around.name === name ? [{ module, fn: statement }] : [];
  });
}

/** True for the container, for its items at any depth, and for a list or dictionary of it and others. */
function isInside(expression: Expression, isIt: IsIt): boolean {
  if (isIt(expression)) return true;
  if (expression.kind === 'display') return expression.items.some((item) => isInside(item, isIt));
  if (expression.kind === 'dict') return expression.entries.some(({ value }) => isInside(value, isIt));
  if (expression.kind === 'subscript') return expression.slice === null && isInside(expression.value, isIt);
  if (expression.kind !== 'call' || expression.callee.kind !== 'attribute') return false;
  return READS.has(expression.callee.name) && isInside(expression.callee.value, isIt);
}

/** A statement's targets to which it gives the container or its items, each with its value. */
function boundBy(statement: Statement, isOurs: IsIt): (readonly [Expression, Expression])[] {
  if (statement.kind === 'assign')
    return statement.targets.flatMap((target) => pairsOf(target, statement.value)).filter(([, value]) => isOurs(value));
  if (statement.kind !== 'for') return [];
  const { target, iterable } = statement;
  const last = target.kind === 'display' ? target.items.at(-1) : target;
  return isOurs(iterable) && last?.kind === 'name' ? [[last, iterable]] : [];
}

/** Each target with its value: `self.model, self.rows = model, rows`. */
function pairsOf(target: Expression, value: Expression): (readonly [Expression, Expression])[] {
  if (target.kind !== 'display' || value.kind !== 'display' || target.items.length !== value.items.length)
    return [[target, value]];
  return target.items.map((item, i) => [item, value.items[i]]);
}

function receivingParameters({ callee, args }: Call, { name: called, params }: FunctionDef, isOurs: IsIt): string[] {
  const isConstructor = called === '__init__';
  const plain = params.filter(({ star }) => star === '');
  const isMethod = (callee.kind === 'attribute' || isConstructor) && /^(?:self|cls)$/.test(plain.at(0)?.name ?? '');
  const places = isMethod ? plain.slice(1) : plain;
  return args.flatMap(({ name, star, value }, i) => {
    if (star !== '' || !isOurs(value)) return [];
    const param = name === null ? places.at(i) : plain.find((one) => one.name === name);
    return param === undefined ? [] : [param.name];
  });
}
