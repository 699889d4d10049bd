import type { Argument, Expression, Span } from '../python/ast.js';
import { FlowNode, larger, type Sureness } from './flow.js';
import type { Keeper, KeeperKind } from './keeper.js';
import { sourceText, type Activation, type Machine } from './machine.js';
import {
  eitherOf,
  plainValue,
  valueOf,
  type ClassThing,
  type Container,
  type FunctionThing,
  type Thing,
  type Value,
} from './things.js';

/** What a call is given. */
export interface Given {
  readonly name: string | null;
  readonly star: Argument['star'];
  readonly value: Value;
  readonly span: Span;
}

/** Attributes of tensors that keep nothing. */
const PLAIN_ATTRIBUTES = new Set(
  'shape dtype device ndim is_cuda requires_grad is_leaf layout __name__ __doc__ __class__ training'.split(' '),
);
const VIEW_ATTRIBUTES = new Set('T mT H mH real imag'.split(' '));

/** Makes values of others: parts, views, results of operations, and what is put where. */
export abstract class ValueMaker {
  constructor(protected readonly machine: Machine) {}

  /** Follows a call of a function of the workspace. */
  protected abstract invoke(fn: FunctionThing, given: readonly Given[], act: Activation, frame: number | null): Value;

  /** The first frame of the stack inside this activation if this call can lead there, else null. */
  protected abstract nextFrame(
    act: Activation,
    span: Span,
  ): { index: number; fn: FunctionThing; direct: boolean } | null;

  protected keepIn(container: Container, item: Value): void {
    container.node.holds.push(item.node);
    for (const thing of item.things) {
      if (container.elements.length < 12 && !container.elements.includes(thing)) container.elements.push(thing);
    }
  }

  /** What a loop over it, or an index into it, gives. */
  protected elementOf(value: Value): Value {
    if (value.items !== null && value.items.length > 0) {
      return value.items.reduce((all, item) => eitherOf(all, item));
    }
    const containers = value.things.filter((thing) => thing.kind === 'container');
    if (containers.length === 0) return this.part(value);
    const node = new FlowNode(gradInside(containers) > 0 ? 2 : 0);
    const things: Thing[] = [];
    for (const container of containers) {
      node.same.push(...container.node.holds.slice(-8));
      things.push(...container.elements);
      for (const item of container.attrs.values()) {
        node.same.push(item.node);
        things.push(...item.things);
      }
    }
    return valueOf(node, [...new Set(things)].slice(0, 6));
  }

  /** A part of a value of which nothing is known: likely the same memory, and behind it the same graph. */
  protected part(value: Value): Value {
    const node = new FlowNode(value.node.grad);
    node.parents.push(value.node);
    node.storage.push(value.node);
    node.limit = 2;
    return valueOf(node);
  }

  protected attribute(base: Value, name: string, act: Activation): Value {
    let found: Value | undefined;
    let unknown = base.things.length === 0;
    for (const thing of base.things) {
      const value = this.attributeOf(thing, base, name, act);
      if (value === null) unknown = true;
      else found = found === undefined ? value : eitherOf(found, value);
    }
    if (found !== undefined) return found;
    if (PLAIN_ATTRIBUTES.has(name)) return plainValue();
    if (name === 'grad') return valueOf(new FlowNode(0, true));
    if (name === 'data') return this.view(base, true);
    if (VIEW_ATTRIBUTES.has(name)) return this.view(base, false);
    if (!unknown || base.items !== null) return this.part(base);
    // An object of which nothing is known: its attributes are remembered, so that what is put into one is found again.
    const part = this.part(base);
    const instance = base.things.find((thing) => thing.kind === 'instance');
    if (instance !== undefined) {
      const attr = valueOf(new FlowNode(2));
      instance.attrs.set(name, attr);
      return attr;
    }
    const known = this.partsOfUnknown.get(base.node) ?? new Map<string, Value>();
    this.partsOfUnknown.set(base.node, known);
    const same = known.get(name) ?? part;
    known.set(name, same);
    return same;
  }

  private readonly partsOfUnknown = new WeakMap<FlowNode, Map<string, Value>>();

  protected attributeOf(thing: Thing, base: Value, name: string, act: Activation): Value | null {
    switch (thing.kind) {
      case 'library':
        return valueOf(new FlowNode(0), [{ kind: 'library', name: `${thing.name}.${name}` }]);
      case 'module':
        return thing.scope.names.get(name) ?? null;
      case 'instance': {
        const own = thing.attrs.get(name);
        if (own !== undefined) return own;
        const inherited = thing.cls === null ? undefined : classAttribute(thing.cls, name);
        return inherited === undefined ? null : this.bound(inherited, base, act);
      }
      case 'class':
        return classAttribute(thing, name) ?? null;
      case 'container':
      case 'function':
      case 'hook':
        return null;
    }
  }

  private bound(value: Value, self: Value, act: Activation): Value {
    const [fn] = value.things;
    if (value.things.length !== 1 || fn.kind !== 'function' || fn.def.kind === 'lambda') return value;
    const decorators = fn.def.decorators.map((decorator) => sourceText(fn.module, decorator));
    if (decorators.includes('staticmethod')) return value;
    const node = new FlowNode(0);
    node.holds.push(self.node);
    const method: FunctionThing = { ...fn, node, self };
    if (decorators.some((text) => text === 'property' || text.endsWith('cached_property'))) {
      return this.invoke(method, [], act, null);
    }
    return valueOf(node, [method]);
  }

  /** Gives a value to a name, an attribute, an item or several of them. */
  protected abstract assign(target: Expression, value: Value, act: Activation, statement: Span): void;

  protected operation(
    operands: readonly Value[],
    act: Activation,
    span: Span,
    grad: Sureness,
    isTensor: boolean,
  ): Value {
    const node = this.machine.operation(
      operands.map((operand) => operand.node),
      grad,
      isTensor,
    );
    this.machine.watch(act, span, node);
    return valueOf(node);
  }

  protected view(base: Value, detached: boolean): Value {
    const node = this.machine.note(
      new FlowNode(detached || this.machine.withoutGraph > 0 ? 0 : base.node.grad, base.node.isTensor),
    );
    (detached ? node.storage : node.holds).push(base.node);
    return valueOf(node, detached ? [] : base.things, detached ? null : base.items);
  }

  /** What is in a container that is emptied into another. */
  protected spread(value: Value): Value {
    return value.things.some((thing) => thing.kind === 'container') ? this.elementOf(value) : this.part(value);
  }

  /** Notes that a value is put somewhere. */
  protected put(
    containers: readonly Container[],
    value: Value,
    receiver: Expression,
    span: Span | null,
    statement: Span,
    act: Activation,
    guessed: boolean,
  ): void {
    for (const container of containers) this.keepIn(container, value);
    const isError = value.things.some((thing) => thing.kind === 'instance' && thing.library === ERROR);
    const targets: (Container | null)[] = containers.length === 0 ? [null] : [...containers];
    for (const container of targets) {
      this.note(isError ? 'error' : 'put', act, statement, {
        holder: sourceText(act.scope.module, receiver),
        kept: span === null ? '' : sourceText(act.scope.module, span),
        keptSpan: span,
        value,
        container,
        attribute: attributeName(receiver),
        most: container?.most ?? this.roomIn(sourceText(act.scope.module, receiver)),
        guessed,
      });
      if (container !== null) {
        for (const to of value.things) {
          this.machine.references.push({
            from: container,
            to,
            place: { module: act.scope.module, span: statement },
            text: sourceText(act.scope.module, receiver),
          });
        }
      }
    }
  }

  /** How much a container takes, by the tests around. */
  private roomIn(holder: string): string | null {
    return this.machine.measured.find(({ container, room }) => container === holder && room !== null)?.room ?? null;
  }

  protected note(
    kind: KeeperKind,
    act: Activation,
    span: Span,
    facts: Pick<Keeper, 'holder' | 'kept' | 'keptSpan' | 'value' | 'container' | 'attribute' | 'most' | 'guessed'>,
  ): Keeper {
    const keeper: Keeper = {
      kind,
      place: { module: act.scope.module, span },
      loops: this.machine.loops,
      every: this.machine.everyRound,
      ...facts,
    };
    this.machine.keepers.push(keeper);
    return keeper;
  }
}

/** The name of the library class that stands for caught exceptions. */
export const ERROR = 'exception';

export function classAttribute(cls: ClassThing, name: string, depth = 0): Value | undefined {
  const own = cls.attrs.get(name);
  if (own !== undefined || depth > 8) return own;
  for (const base of cls.bases) {
    const found = base.kind === 'class' ? classAttribute(base, name, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A literal key as one text, however it is quoted. */
export function keyOf(key: Expression & { kind: 'literal' }): string {
  return key.type === 'string'
    ? `'${key.text.replace(/^[a-zA-Z]*(?:'''|"""|['"])|(?:'''|"""|['"])$/g, '')}'`
    : key.text;
}

/** The attribute that an expression ends in: `rows` of `self.rows`. */
export function attributeName(expression: Expression): string | null {
  if (expression.kind === 'attribute') return expression.name;
  return expression.kind === 'subscript' ? attributeName(expression.value) : null;
}

export function gradInside(things: readonly Thing[]): Sureness {
  let most: Sureness = 0;
  for (const thing of things) {
    if (thing.kind !== 'container') continue;
    for (const { grad } of thing.node.holds.slice(-8)) most = larger(most, grad);
    for (const { node } of thing.attrs.values()) most = larger(most, node.grad);
  }
  return most;
}
