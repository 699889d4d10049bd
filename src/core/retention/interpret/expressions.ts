import type { Call, Comprehension, Expression, Span } from '../../python/ast.js';
import { constantOf } from '../../python/constant.js';
import { BUILTINS } from '../operations.js';
import { FlowNode, type Known, type ItemLimit, type Sureness, larger, itemLimit } from '../values/flowNode.js';
import {
  type Container,
  type ArgumentValue,
  type Value,
  drawnFrom,
  eitherOf,
  elementOf,
  addTo,
  knownOfParts,
  newContainer,
  partOf,
  plainValue,
  valueOf,
} from '../values/objects.js';
import { Attributes } from './attributes.js';
import { Calls, callSpecial } from './calls.js';
import { Definitions } from './definitions.js';
import { operate, viewOf } from './effects.js';
import { Part } from './follower.js';
import { type Activation, ROUNDS } from './machine.js';
import { putIn } from './retain.js';
import { keyOf, sourceText } from './sourceText.js';

/** Interprets expressions: their values, and the memory that these hold. */
export class Expressions extends Part {
  private readonly attributes = new Attributes(this.follower);
  private readonly calls = new Calls(this.follower);
  private readonly definitions = new Definitions(this.follower);

  evaluate(expression: Expression, act: Activation): Value {
    this.machine.count();
    switch (expression.kind) {
      case 'name':
        return this.name(expression.name, act);
      case 'attribute':
        return this.attributes.of(this.evaluate(expression.value, act), expression.name, act);
      case 'subscript':
        return this.subscript(expression, act);
      case 'call':
        return this.call(expression, act);
      case 'display': {
        const items = expression.items.map((item) => this.evaluate(item, act));
        const isSet = expression.type === 'set';
        const { value, container } = newContainer(isSet ? 'set' : 'list', this.machine.madeIn);
        for (const item of items) addTo(container, item);
        if (isSet) return value;
        return {
          ...value,
          items: expression.items.some((item) => item.kind === 'star') ? null : items,
          // A list of constants has equal items in each iteration.
          source: expression.items.every((item) => item.kind === 'literal') ? expression : null,
        };
      }
      case 'dict': {
        const { value, container } = newContainer('dict', this.machine.madeIn);
        for (const entry of expression.entries) {
          const item = this.evaluate(entry.value, act);
          if (entry.key?.kind === 'literal') container.attrs.set(keyOf(entry.key), item);
          else {
            if (entry.key !== null) this.evaluate(entry.key, act);
            addTo(container, item);
          }
        }
        return value;
      }
      case 'comprehension':
        return this.comprehension(expression, act);
      case 'binary': {
        const constant = constantKnown(expression);
        if (constant !== null) return plainValue(constant);
        return this.binary(expression.operator, [expression.left, expression.right], act, expression);
      }
      case 'unary': {
        const operand = this.evaluate(expression.operand, act);
        if (expression.operator === 'not') return plainValue();
        const constant = constantKnown(expression);
        if (constant !== null) return plainValue(constant);
        return operate(this.machine, [operand], act, expression, operand.node.grad, operand.node.isTensor);
      }
      case 'conditional':
        this.evaluate(expression.test, act);
        return eitherOf(this.evaluate(expression.then, act), this.evaluate(expression.otherwise, act));
      case 'lambda':
        return this.definitions.functionValue(expression, act, null);
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
        return plainValue(constantKnown(expression));
      case 'format': {
        const parts = expression.parts.map((part) => this.evaluate(part, act));
        return plainValue(knownOfParts(parts, this.machine.loops));
      }
      case 'unknown':
        return plainValue();
    }
  }

  /** The value of a name; an unknown name is one unknown object. */
  private name(name: string, act: Activation): Value {
    const known = act.scope.lookup(name);
    if (known !== undefined) return known;
    if (BUILTINS.has(name)) return valueOf(new FlowNode(0), [{ kind: 'library', name }]);
    const value = valueOf(new FlowNode(1));
    act.scope.top.names.set(name, value);
    return value;
  }

  private subscript(expression: Expression & { kind: 'subscript' }, act: Activation): Value {
    const base = this.evaluate(expression.value, act);
    const keys = expression.index.map((index) => this.evaluate(index, act));
    const item = callSpecial(this.follower, base, '__getitem__', keys, expression, act);
    if (item !== null) return item;
    const [index] = expression.index as (Expression | undefined)[];
    const container = base.objects.find((object) => object.kind === 'container');
    const isMasked = keys.some(({ node }) => node.isTensor);
    if (expression.slice !== null && container !== undefined) {
      const { value, container: copy } = this.copyOf([container], container.type, true);
      copy.max = this.lastOf(expression.slice, act);
      return value;
    }
    if (expression.slice !== null && !isMasked) return viewOf(this.machine, base, false);
    if (index?.kind === 'literal') {
      const item = base.items?.[Number(index.text)] ?? container?.attrs.get(keyOf(index));
      if (item !== undefined) return item;
      for (const object of base.objects) {
        const item = object.kind === 'instance' ? object.attrs.get(`[${keyOf(index)}]`) : undefined;
        if (item !== undefined) return item;
      }
    }
    if (container !== undefined) return elementOf(base);
    const part = partOf(base);
    if (!isMasked && (index === undefined || index.kind === 'literal')) return part;
    // `x[mask]` and `x[:, mask]` copy, `x[i]` does not.
    const node = this.machine.note(new FlowNode(part.node.grad, isMasked || part.node.isTensor));
    node.made = isMasked ? this.machine.loops : part.node.made;
    node.holds.push(part.node);
    this.machine.watch(act, expression, node, isMasked ? 2 : 1);
    return { ...part, node };
  }

  /** The number of items that `[-9:]` leaves; null without a limit. */
  private lastOf({ start, end }: Slice, act: Activation): ItemLimit | null {
    if (end !== null || start?.kind !== 'unary' || start.operator !== '-') return null;
    return itemLimit(this.evaluate(start.operand, act), sourceText(act.scope.module, start.operand));
  }

  private comprehension(expression: Comprehension, act: Activation): Value {
    const { value, container } = newContainer(
      expression.type === 'generator' ? 'list' : expression.type,
      this.machine.madeIn,
    );
    const onPath = this.machine.isOnPath(act, expression);
    const round = (at: number): void => {
      if (at === expression.clauses.length) {
        const values = expression.elements.map((element) => this.evaluate(element, act));
        // The value of an item of a dictionary: keys are texts and numbers.
        const held = values[values.length - 1] as Value | undefined;
        const span = expression.elements.at(-1);
        if (held === undefined || span === undefined) return;
        if (onPath && expression.type !== 'generator') {
          putIn(this.machine, [container], act, { value: held, receiver: expression, span, statement: expression });
        } else addTo(container, held);
        return;
      }
      const { target, iterable } = expression.clauses[at];
      const items = this.evaluate(iterable, act);
      const loop = `${act.scope.module.file}:${target.from}`;
      // The second iteration, on the stack's path, sees the results of the first.
      for (let again = 0; again < (onPath ? ROUNDS : 1); again++) {
        this.machine.inLoop(loop, () => {
          this.follower.assign(target, drawnFrom(items, loop), act, expression);
          round(at + 1);
        });
      }
    };
    round(0);
    return value;
  }

  private binary(operator: string, operands: readonly Expression[], act: Activation, span: Span): Value {
    const values = operands.map((operand) => this.evaluate(operand, act));
    if (operator === 'and' || operator === 'or') return eitherOf(values[0], values[1]);
    if (/^(?:in|not|is)\b/.test(operator)) return plainValue();
    const isTensor = values.some(({ node }) => node.isTensor);
    if (/^(?:[<>]=?|[=!]=|<>)$/.test(operator)) {
      const node = this.machine.note(new FlowNode(0, isTensor));
      this.machine.watch(act, span, node);
      return valueOf(node);
    }
    if (operator === '%' && operands[0].kind !== 'literal') {
      const limit = itemLimit(values[1], sourceText(act.scope.module, operands[1]));
      return { ...operate(this.machine, values, act, span, gradOf(values), false), known: { kind: 'below', limit } };
    }
    const containers = values.flatMap(({ objects }) => objects.filter((object) => object.kind === 'container'));
    if (containers.length > 0 && operator === '+') return this.copyOf(containers, 'list').value;
    // `[None] * 64`
    const [repeated] = containers as (Container | undefined)[];
    if (repeated !== undefined && operator === '*' && values.some(({ objects }) => objects.length === 0))
      return this.copyOf([repeated], repeated.type).value;
    const result = operate(this.machine, values, act, span, gradOf(values), isTensor);
    return /^[-+*]$/.test(operator) ? { ...result, known: knownBeside(values) } : result;
  }

  /** A new container with the items of others. */
  private copyOf(
    parts: readonly Container[],
    type: Container['type'],
    bounded = false,
  ): ReturnType<typeof newContainer> {
    const made = newContainer(type, this.machine.madeIn, bounded);
    for (const { node, elements } of parts) {
      made.container.node.holds.push(node);
      made.container.elements.push(...elements);
    }
    return made;
  }

  private call(expression: Call, act: Activation): Value {
    const { callee } = expression;
    if (callee.kind === 'attribute') {
      const { name, value: receiver } = callee;
      const base = this.evaluate(receiver, act);
      return this.calls.method({ name, base, args: this.args(expression, act), call: expression, act, receiver });
    }
    const value = this.evaluate(callee, act);
    return this.calls.callValue(value, this.args(expression, act), expression, act, callee);
  }

  private args(expression: Call, act: Activation): ArgumentValue[] {
    const args = expression.args.map(({ name, star, value }) => ({
      name,
      star,
      value: this.evaluate(value, act),
      span: value,
    }));
    for (const { value } of args) this.machine.note(value.node);
    return args;
  }
}

type Slice = NonNullable<(Expression & { kind: 'subscript' })['slice']>;

/** The value of a constant expression; null for any other. */
function constantKnown(expression: Expression): Known | null {
  if (expression.kind === 'literal' && expression.type === 'none') return { kind: 'constant', value: null };
  const value = constantOf(expression);
  return value === null ? null : { kind: 'constant', value };
}

/** `200 + 4 * step` differs in each step, as `step` does. */
function knownBeside(values: readonly Value[]): Known | null {
  const others = values.filter(({ known }) => known?.kind !== 'constant');
  const known = others.length === 1 && others.length < values.length ? others[0].known : null;
  return known?.kind === 'drawn' || known?.kind === 'unique' ? known : null;
}

function gradOf(values: readonly Value[]): Sureness {
  return values.reduce<Sureness>((most, { node }) => larger(most, node.grad), 0);
}
