import { namesIn } from '../python/walk.js';
import type { Call, Comprehension, Expression, Parameter, Span } from '../python/ast.js';
import { FlowNode, larger, type Sureness } from './flow.js';
import { BUILTINS } from './knownCalls.js';
import type { Activation } from './machine.js';
import {
  eitherOf,
  newContainer,
  plainValue,
  type Scope,
  valueOf,
  type ClassThing,
  type FunctionThing,
  type Value,
} from './things.js';
import { keyOf, type Given } from './valueMaker.js';
import { CallFollower } from './callFollower.js';

/** Follows expressions: what they are, what they keep, and what they put where. */
export abstract class Evaluator extends CallFollower {
  evaluate(expression: Expression, act: Activation): Value {
    this.machine.count();
    switch (expression.kind) {
      case 'name':
        return this.name(expression.name, act);
      case 'attribute':
        return this.attribute(this.evaluate(expression.value, act), expression.name, act);
      case 'subscript':
        return this.subscript(expression, act);
      case 'call':
        return this.call(expression, act);
      case 'display': {
        const items = expression.items.map((item) => this.evaluate(item, act));
        if (expression.type === 'tuple' || expression.type === 'list') {
          const { value, container } = newContainer('list', this.machine.loops);
          for (const item of items) this.keepIn(container, item);
          return { ...value, items: expression.items.some((item) => item.kind === 'star') ? null : items };
        }
        const { value, container } = newContainer('set', this.machine.loops);
        for (const item of items) this.keepIn(container, item);
        return value;
      }
      case 'dict': {
        const { value, container } = newContainer('dict', this.machine.loops);
        for (const entry of expression.entries) {
          const item = this.evaluate(entry.value, act);
          if (entry.key?.kind === 'literal') container.attrs.set(keyOf(entry.key), item);
          else {
            if (entry.key !== null) this.evaluate(entry.key, act);
            this.keepIn(container, item);
          }
        }
        return value;
      }
      case 'comprehension':
        return this.comprehension(expression, act);
      case 'binary':
        return this.binary(expression.operator, [expression.left, expression.right], act, expression);
      case 'unary': {
        const operand = this.evaluate(expression.operand, act);
        if (expression.operator === 'not') return plainValue();
        return this.operation([operand], act, expression, operand.node.grad, operand.node.isTensor);
      }
      case 'conditional':
        this.evaluate(expression.test, act);
        return eitherOf(this.evaluate(expression.then, act), this.evaluate(expression.otherwise, act));
      case 'lambda':
        return this.functionValue(expression, act, null);
      case 'await':
      case 'star':
        return expression.value === null ? plainValue() : this.evaluate(expression.value, act);
      case 'yield': {
        if (expression.value !== null) act.returned.push(this.evaluate(expression.value, act));
        return plainValue();
      }
      case 'walrus': {
        const value = this.evaluate(expression.value, act);
        if (expression.target.kind === 'name')
          act.scope.scopeOf(expression.target.name).names.set(expression.target.name, value);
        return value;
      }
      case 'literal':
      case 'format':
      case 'unknown':
        return plainValue();
    }
  }

  /** The value of a name; what is not known is remembered as one unknown thing. */
  protected name(name: string, act: Activation): Value {
    const known = act.scope.lookup(name);
    if (known !== undefined) return known;
    if (BUILTINS.has(name)) return valueOf(new FlowNode(0), [{ kind: 'library', name }]);
    const value = valueOf(new FlowNode(1));
    act.scope.top.names.set(name, value);
    return value;
  }

  protected functionValue(
    def: FunctionThing['def'],
    act: Activation,
    owner: ClassThing | null,
  ): Value & { things: readonly [FunctionThing] } {
    const defaults = new Map<string, Value>();
    for (const { name, value } of def.params) if (value !== null) defaults.set(name, this.evaluate(value, act));
    const node = new FlowNode(0);
    const { scope } = act;
    const fn: FunctionThing = { kind: 'function', node, def, module: scope.module, scope, defaults, owner, self: null };
    // A closure keeps the variables around it that it names; those of its module are there anyway.
    if (scope.outer !== null) {
      const used = namesUsed(fn);
      node.content = () =>
        [...used].flatMap((name) => (scope.names.has(name) || scope.outer !== null ? closureNode(scope, name) : []));
    }
    for (const value of defaults.values()) node.holds.push(value.node);
    return { node, things: [fn], items: null };
  }

  private subscript(expression: Expression & { kind: 'subscript' }, act: Activation): Value {
    const base = this.evaluate(expression.value, act);
    for (const index of expression.index) this.evaluate(index, act);
    const [index] = expression.index as (Expression | undefined)[];
    const container = base.things.find((thing) => thing.kind === 'container');
    if (expression.slice) {
      if (container === undefined) return this.view(base, false);
      const { value, container: copy } = newContainer(container.type, this.machine.loops, true);
      copy.node.holds.push(container.node);
      copy.elements.push(...container.elements);
      return value;
    }
    if (index?.kind === 'literal') {
      const item = base.items?.[Number(index.text)] ?? container?.attrs.get(keyOf(index));
      if (item !== undefined) return item;
      for (const thing of base.things) {
        const item = thing.kind === 'instance' ? thing.attrs.get(`[${keyOf(index)}]`) : undefined;
        if (item !== undefined) return item;
      }
    }
    return container === undefined ? this.part(base) : this.elementOf(base);
  }

  private comprehension(expression: Comprehension, act: Activation): Value {
    const { value, container } = newContainer(
      expression.type === 'generator' ? 'list' : expression.type,
      this.machine.loops,
    );
    const round = (at: number): void => {
      if (at === expression.clauses.length) {
        const values = expression.gives.map((gives) => this.evaluate(gives, act));
        // Of a dictionary's, the value: keys are texts and numbers.
        const kept = values[values.length - 1] as Value | undefined;
        if (kept !== undefined) this.keepIn(container, kept);
        return;
      }
      const { target, iterable } = expression.clauses[at];
      const items = this.evaluate(iterable, act);
      this.machine.inLoop(`${act.scope.module.file}:${target.from}`, () => {
        this.assign(target, this.elementOf(items), act, expression);
        round(at + 1);
      });
    };
    round(0);
    return value;
  }

  protected binary(operator: string, operands: readonly Expression[], act: Activation, span: Span): Value {
    const values = operands.map((operand) => this.evaluate(operand, act));
    if (operator === 'and' || operator === 'or') return eitherOf(values[0], values[1]);
    if (/^(?:in|not|is)\b/.test(operator)) return plainValue();
    if (/^(?:[<>]=?|[=!]=|<>)$/.test(operator)) {
      const node = this.machine.note(new FlowNode(0));
      this.machine.watch(act, span, node);
      return valueOf(node);
    }
    const containers = values.flatMap(({ things }) => things.filter((thing) => thing.kind === 'container'));
    if (containers.length > 0 && operator === '+') {
      const { value, container } = newContainer('list', this.machine.loops);
      for (const part of containers) {
        container.node.holds.push(part.node);
        container.elements.push(...part.elements);
      }
      return value;
    }
    const grad = values.reduce<Sureness>((most, { node }) => larger(most, node.grad), 0);
    const isTensor = values.some(({ node }) => node.isTensor);
    return this.operation(values, act, span, grad, isTensor);
  }

  private call(expression: Call, act: Activation): Value {
    const { callee } = expression;
    if (callee.kind === 'attribute') {
      const base = this.evaluate(callee.value, act);
      const given = this.given(expression, act);
      return this.method(base, callee.name, given, expression, act, callee.value);
    }
    const value = this.evaluate(callee, act);
    return this.callValue(value, this.given(expression, act), expression, act, callee);
  }

  private given(expression: Call, act: Activation): Given[] {
    const given = expression.args.map(({ name, star, value }) => ({
      name,
      star,
      value: this.evaluate(value, act),
      span: value,
    }));
    for (const { value } of given) this.machine.note(value.node);
    return given;
  }
}

function closureNode(scope: Scope, name: string): FlowNode[] {
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const value = at.names.get(name);
    if (value !== undefined) return at.outer === null ? [] : [value.node];
  }
  return [];
}

function namesUsed({ def }: FunctionThing): ReadonlySet<string> {
  const own = new Set(def.params.map(({ name }: Parameter) => name));
  return new Set([...namesIn(def)].filter((name) => !own.has(name)));
}
