import type { Argument, Call, Comprehension, Expression, Parameter, Span } from '../python/ast.js';
import { namesIn } from '../python/walk.js';
import { behind, FlowNode, larger, smaller, type Sureness } from './flow.js';
import type { Keeper, KeeperKind } from './keeper.js';
import {
  ADDS_PARAMETERS,
  BUILTINS,
  functionEffect,
  HOOK,
  methodEffect,
  PUTS_IN,
  RUNS_MODULE,
  TAKES_OUT,
  type CallEffect,
} from './knownCalls.js';
import { sourceText, type Activation, type Machine } from './machine.js';
import {
  eitherOf,
  newContainer,
  newInstance,
  plainValue,
  type Scope,
  valueOf,
  type ClassThing,
  type Container,
  type FunctionThing,
  type Hook,
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

/** Follows expressions: what they are, what they keep, and what they put where. */
export abstract class Evaluator {
  constructor(protected readonly machine: Machine) {}

  /** Follows a call of a function of the workspace. */
  protected abstract invoke(fn: FunctionThing, given: readonly Given[], act: Activation, frame: number | null): Value;

  /** The first frame of the stack inside this activation if this call can lead there, else null. */
  protected abstract nextFrame(
    act: Activation,
    span: Span,
  ): { index: number; fn: FunctionThing; direct: boolean } | null;

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

  private attributeOf(thing: Thing, base: Value, name: string, act: Activation): Value | null {
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

  /** Gives a value to a name, an attribute, an item or several of them. */
  protected abstract assign(target: Expression, value: Value, act: Activation, statement: Span): void;

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

  /** Calls a method by its name. */
  private method(
    base: Value,
    name: string,
    given: readonly Given[],
    call: Call,
    act: Activation,
    receiver: Expression,
  ): Value {
    const member = base.things.some((thing) => thing.kind !== 'container' && thing.kind !== 'hook')
      ? this.member(base, name, act)
      : null;
    if (member !== null) return this.callValue(member, given, call, act, call.callee);
    if (name === 'apply') {
      const forward = base.things.map((thing) =>
        thing.kind === 'class' ? classAttribute(thing, 'forward') : undefined,
      )[0];
      if (forward !== undefined) {
        const context = newInstance(null, 'ctx', this.machine.loops).value;
        return this.callValue(
          forward,
          [{ name: null, star: '', value: context, span: call }, ...given],
          call,
          act,
          call.callee,
        );
      }
    }
    const special = this.specialMethod(base, name, given, call, act, receiver);
    if (special !== null) return special;
    const effect = methodEffect(name);
    if (effect !== null) return this.effect(effect, [base, ...given.map(({ value }) => value)], call, act, '');
    if (name.endsWith('_') && !name.startsWith('_')) return this.inPlace(base, given, act, call, receiver);
    const led = this.indirect(given, call, act, plainValue(), base.things.some(isForeign));
    if (led !== null) return led;
    // An attribute of the program's own object, called: most likely a module that its constructor made.
    const runs = base.things.some(
      (thing) => thing.kind === 'instance' && (thing.cls !== null || isModule(thing.library)),
    );
    return this.unknownCall(base, given, call, act, runs || (RUNS_MODULE.has(name) && base.things.length === 0));
  }

  /** A method or attribute that is known; null where it is not. */
  private member(base: Value, name: string, act: Activation): Value | null {
    let found: Value | null = null;
    for (const thing of base.things) {
      const value = this.attributeOf(thing, base, name, act);
      if (value !== null) found = found === null ? value : eitherOf(found, value);
    }
    return found;
  }

  private specialMethod(
    base: Value,
    name: string,
    given: readonly Given[],
    call: Call,
    act: Activation,
    receiver: Expression,
  ): Value | null {
    const { machine } = this;
    if (name === 'backward') {
      // `accelerator.backward(loss)` as well as `loss.backward()`.
      const roots =
        base.node.grad > 1 || given.length === 0
          ? [base]
          : given.filter(({ name: key }) => key === null).map(({ value }) => value);
      this.backward(roots, call, act, receiver);
      return plainValue();
    }
    if (name === 'step') {
      const text = sourceText(act.scope.module, receiver);
      const isOptimizer =
        /opt|scaler|engine|solver/i.test(text) ||
        base.things.some((thing) => thing.kind === 'instance' && thing.library.startsWith('torch.optim.'));
      if (isOptimizer) {
        machine.steps.push({ kind: 'optimizer', loops: machine.loops });
        machine.watch(act, call, base.node);
        return plainValue();
      }
    }
    const hooks = base.things.filter((thing) => thing.kind === 'hook');
    if (name === 'remove' && hooks.length > 0) {
      for (const hook of hooks) hook.removed = true;
      return plainValue();
    }
    if (HOOK.test(name)) return this.register(given, call, act, receiver);
    const containers = base.things.filter((thing) => thing.kind === 'container');
    if (TAKES_OUT.has(name)) {
      for (const container of containers) container.cleared.push(machine.loops);
      if (containers.length === 0)
        this.guessedClears.push({ holder: sourceText(act.scope.module, receiver), loops: machine.loops });
      return containers.length > 0 ? this.elementOf(base) : this.part(base);
    }
    if (PUTS_IN.has(name) && given.length > 0) {
      const isHost = base.node.isTensor || (base.items !== null && containers.length === 0);
      if (isHost) return null;
      if (containers.length === 0 && base.things.some((thing) => thing.kind === 'library')) return null;
      const last = given[given.length - 1];
      const kept = name === 'update' || name === 'extend' ? given : [last];
      for (const { value, span } of kept) {
        const spread = name === 'extend' || name === 'update' ? this.spread(value) : value;
        this.put(containers, spread, receiver, span, call, act, containers.length === 0);
      }
      return name === 'setdefault' && containers.length > 0 ? last.value : plainValue();
    }
    if (ADDS_PARAMETERS.has(name) && given.length > 0) {
      const { value, span } = given[given.length - 1];
      if (call.args.some((arg) => arg.value.kind === 'literal')) return plainValue();
      this.put([], value, receiver, span, call, act, false);
      return plainValue();
    }
    return null;
  }

  readonly guessedClears: { holder: string; loops: Machine['loops'] }[] = [];

  /** What is in a container that is emptied into another. */
  private spread(value: Value): Value {
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

  protected note(
    kind: KeeperKind,
    act: Activation,
    span: Span,
    facts: Pick<Keeper, 'holder' | 'kept' | 'keptSpan' | 'value' | 'container' | 'attribute' | 'guessed'>,
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

  private backward(roots: readonly Value[], call: Call, act: Activation, receiver: Expression): void {
    const { machine } = this;
    machine.steps.push({ kind: 'backward', loops: machine.loops });
    const isTrue = (key: string): boolean =>
      call.args.some(
        ({ name, value }) => name === key && !(value.kind === 'literal' && /^(?:False|None)$/.test(value.text)),
      );
    const create = isTrue('create_graph');
    const nodes = roots.flatMap(({ node }) => behind(node));
    for (const node of nodes) {
      // The gradients stay with the parameters, and these with the object that owns them.
      if (node.isObject) machine.watch(act, call, node);
      if (!create && !isTrue('retain_graph') && node.content === null) node.freed = true;
    }
    if (create) {
      for (const { node } of roots) machine.watch(act, call, node);
      this.note('doubleBackward', act, call, {
        holder: 'gradients',
        kept: sourceText(act.scope.module, receiver),
        keptSpan: null,
        value: roots[0],
        container: null,
        attribute: null,
        guessed: false,
      });
    }
  }

  private register(given: readonly Given[], call: Call, act: Activation, receiver: Expression): Value {
    const { machine } = this;
    const hook: Hook = { kind: 'hook', removed: false };
    const fn = given.find(({ name }) => name === null || name === 'hook');
    if (fn !== undefined) {
      const keeper: Keeper = {
        kind: 'hook',
        place: { module: act.scope.module, span: call },
        holder: sourceText(act.scope.module, receiver),
        kept: sourceText(act.scope.module, fn.span, 40),
        keptSpan: fn.span,
        value: fn.value,
        container: null,
        attribute: null,
        loops: machine.loops,
        every: machine.everyRound,
        guessed: false,
      };
      machine.hooks.push({
        hook,
        functions: fn.value.things.filter((thing) => thing.kind === 'function'),
        keeper,
      });
    }
    return valueOf(new FlowNode(0), [hook]);
  }

  private inPlace(base: Value, given: readonly Given[], act: Activation, call: Call, receiver: Expression): Value {
    const grad = given.reduce<Sureness>((most, { value }) => larger(most, value.node.grad), base.node.grad);
    const value = this.operation([base, ...given.map((one) => one.value)], act, call, grad, true);
    const result = valueOf(value.node, base.things);
    if (given.length > 0 && (receiver.kind === 'name' || receiver.kind === 'attribute') && base.things.length === 0) {
      this.assign(receiver, result, act, call);
    }
    return result;
  }

  /** Calls whatever a value is. */
  protected callValue(value: Value, given: readonly Given[], call: Call, act: Activation, callee: Expression): Value {
    const results: Value[] = [];
    for (const thing of value.things) {
      const result = this.callThing(thing, value, given, call, act);
      if (result !== null) results.push(result);
    }
    if (results.length > 0) return results.reduce((all, result) => eitherOf(all, result));
    const led = this.indirect(given, call, act, value);
    if (led !== null) return led;
    if (callee.kind === 'name' && /^[A-Z]\w*[a-z]/.test(callee.name)) {
      return this.effect(
        'object',
        given.map((one) => one.value),
        call,
        act,
        callee.name,
      );
    }
    return this.unknownCall(value, given, call, act, callee.kind !== 'call' && value.things.length === 0);
  }

  private callThing(thing: Thing, value: Value, given: readonly Given[], call: Call, act: Activation): Value | null {
    switch (thing.kind) {
      case 'function': {
        const next = this.nextFrame(act, call);
        return this.invoke(thing, given, act, next?.fn.def === thing.def ? next.index : null);
      }
      case 'class':
        return this.construct(thing, given, call, act);
      case 'library': {
        const led = this.indirectLibrary(thing.name, given, call, act);
        if (led !== null) return led;
        return this.libraryCall(thing.name, given, call, act);
      }
      case 'instance': {
        const run =
          thing.cls === null
            ? undefined
            : (classAttribute(thing.cls, 'forward') ?? classAttribute(thing.cls, '__call__'));
        const [fn] = (run?.things ?? []) as (Thing | undefined)[];
        if (fn?.kind === 'function') {
          const next = this.nextFrame(act, call);
          const method: FunctionThing = { ...fn, self: valueOf(thing.node, [thing]) };
          return this.invoke(method, given, act, next?.fn.def === fn.def ? next.index : null);
        }
        const led = this.indirect(given, call, act, value);
        if (led !== null) return led;
        return this.run(value, given, call, act, 3);
      }
      case 'module':
      case 'container':
      case 'hook':
        return null;
    }
  }

  /** A module runs on what it is given: its result has a graph. */
  private run(callee: Value, given: readonly Given[], call: Call, act: Activation, grad: Sureness): Value {
    return this.operation([callee, ...given.map(({ value }) => value)], act, call, grad, false);
  }

  /** A call through a library, or of something unknown, that leads to the next frame of the stack. */
  private indirect(given: readonly Given[], call: Call, act: Activation, callee: Value, foreign = false): Value | null {
    const next = this.nextFrame(act, call);
    if (next === null || next.direct || this.machine.entered.has(next.index)) return null;
    const { fn, index } = next;
    if (foreign) this.machine.foreign.add(index);
    const passed = foreign || this.machine.path[index].throughLibrary ? [] : given;
    if (fn.owner === null || fn.def.params.length === 0) return this.invoke(fn, passed, act, index);
    // The object whose method it is: what is called, or what a library is handed to call it.
    const own = [callee, ...given.map(({ value }) => value)].find(({ things }) =>
      things.some((thing) => thing.kind === 'instance' && thing.cls?.def === fn.owner?.def),
    );
    return this.invoke({ ...fn, self: own ?? newInstance(fn.owner, '', []).value }, passed, act, index);
  }

  private indirectLibrary(name: string, given: readonly Given[], call: Call, act: Activation): Value | null {
    return functionEffect(name) === null ? this.indirect(given, call, act, plainValue(), true) : null;
  }

  private libraryCall(name: string, given: readonly Given[], call: Call, act: Activation): Value {
    const values = given.map(({ value }) => value);
    const [first] = values as (Value | undefined)[];
    if (name === 'torch.autograd.backward' && first !== undefined) {
      this.backward([first], call, act, call.args[0].value);
      return plainValue();
    }
    if (name === 'gc.collect' || name === 'gc.disable') return plainValue();
    if (/^(?:collections\.)?deque$/.test(name)) {
      const bounded = call.args.some(
        ({ name: key, value }, i) =>
          (key === 'maxlen' || (key === null && i === 1)) && !(value.kind === 'literal' && value.type === 'none'),
      );
      const { value, container } = newContainer('list', this.machine.loops, bounded);
      for (const item of values) container.node.holds.push(item.node);
      return value;
    }
    if (/(?:^|\.)(?:Queue|SimpleQueue|LifoQueue)$/.test(name))
      return newContainer('list', this.machine.loops, call.args.length > 0).value;
    if (/(?:^|\.)Weak(?:Set|ValueDictionary|KeyDictionary)$/.test(name))
      return newContainer('dict', this.machine.loops, true).value;
    if (/^(?:list|dict|set|collections\.(?:defaultdict|OrderedDict|Counter)|defaultdict)$/.test(name)) {
      const { value, container } = newContainer(name === 'list' ? 'list' : 'dict', this.machine.loops);
      const [factory] = given as (Given | undefined)[];
      const isDefault = name.endsWith('defaultdict');
      if (isDefault && factory !== undefined) this.keepIn(container, this.defaultOf(factory.value, call, act));
      for (const one of isDefault ? [] : given) {
        if (one.name !== null) container.attrs.set(`'${one.name}'`, one.value);
        else this.keepIn(container, this.spread(one.value));
      }
      return value;
    }
    if (name === 'enumerate' && first !== undefined) {
      const element = this.elementOf(first);
      return { ...this.view(first, false), items: [pairOf(plainValue(), element)] };
    }
    if (name === 'zip' && values.length === 2) {
      return { ...plainValue(), items: [pairOf(this.elementOf(values[0]), this.elementOf(values[1]))] };
    }
    const effect = functionEffect(name);
    if (effect !== null) return this.effect(effect, values, call, act, name);
    return this.unknownCall(plainValue(), given, call, act, false);
  }

  /** What a `defaultdict` makes for a key that it has not. */
  private defaultOf(factory: Value, call: Call, act: Activation): Value {
    const made = this.callValue(factory, [], call, act, call.callee);
    return made.things.length > 0 ? made : newContainer('list', this.machine.loops).value;
  }

  private effect(effect: CallEffect, values: readonly Value[], call: Call, act: Activation, name: string): Value {
    const { machine } = this;
    const [base] = values as (Value | undefined)[];
    const grad = values.reduce<Sureness>(
      (most, { node, things }) => larger(most, larger(node.grad, gradInside(things))),
      0,
    );
    switch (effect) {
      case 'plain':
        return plainValue();
      case 'make':
      case 'cut': {
        const asks = call.args.some(
          ({ name: key, value }) => key === 'requires_grad' && value.kind === 'literal' && value.text === 'True',
        );
        const node = machine.note(new FlowNode(asks ? 3 : 0, true));
        machine.watch(act, call, node);
        return valueOf(node);
      }
      case 'view': {
        if (base === undefined) return plainValue();
        const value = this.viewCall(
          base,
          call,
          name === '' && call.callee.kind === 'attribute' ? call.callee.name : '',
          act,
        );
        for (const other of name === '' ? [] : values.slice(1)) value.node.holds.push(other.node);
        return value;
      }
      case 'detach': {
        const value = base === undefined ? plainValue() : this.view(base, true);
        if (call.callee.kind === 'attribute' && call.callee.name === 'detach_') {
          this.assign(call.callee.value, value, act, call);
        }
        return value;
      }
      case 'graphOnly':
        return this.operation(base === undefined ? [] : [base], act, { from: -1, to: -1 }, base?.node.grad ?? 0, true);
      case 'operation':
        return this.operation(
          values,
          act,
          call,
          grad,
          values.some(({ node }) => node.isTensor) || name.startsWith('torch.') || (name === '' && grad > 1),
        );
      case 'object': {
        if (/(?:^|\.)(?:Parameter|Variable)$/.test(name) && base !== undefined) {
          const node = machine.note(new FlowNode(3, true));
          node.storage.push(base.node);
          machine.watch(act, call, node);
          this.newWeight(node);
          return valueOf(node);
        }
        const { value, instance } = newInstance(null, name, machine.loops);
        for (const one of values) instance.node.holds.push(one.node);
        machine.note(instance.node);
        machine.watch(act, call, instance.node);
        if (isModule(name)) this.newWeight(instance.node);
        return value;
      }
    }
  }

  private viewCall(base: Value, call: Call, method: string, act: Activation): Value {
    if (method === 'requires_grad_') {
      const node = this.machine.note(new FlowNode(3, base.node.isTensor));
      node.storage.push(base.node);
      this.machine.watch(act, call, node);
      this.newWeight(node);
      return valueOf(node, base.things);
    }
    const toHost =
      method === 'to' && call.args.some(({ value }) => value.kind === 'literal' && value.text.includes('cpu'));
    if (toHost && base.things.length === 0) {
      return this.operation([base], act, { from: -1, to: -1 }, base.node.grad, true);
    }
    if (/^(?:items|values|get|__getitem__)$/.test(method) && base.things.some((thing) => thing.kind === 'container')) {
      const element = this.elementOf(base);
      if (method === 'get') return element;
      const { value, container } = newContainer('list', this.machine.loops);
      this.keepIn(container, element);
      return method === 'items' ? { ...value, items: [pairOf(plainValue(), element)] } : value;
    }
    const value = this.view(base, false);
    // `.to(device)` may copy: what the line allocates may be this.
    if (/^(?:to|cuda|float|double|half|bfloat16|type|contiguous)$/.test(method))
      this.machine.watch(act, call, value.node);
    return value;
  }

  private newWeight(node: FlowNode): void {
    const { machine } = this;
    for (const block of machine.autocasts) machine.autocastWeights.push({ block, loops: machine.loops, node });
  }

  private construct(cls: ClassThing, given: readonly Given[], call: Call, act: Activation): Value {
    const { value, instance } = newInstance(cls, '', this.machine.loops);
    this.machine.note(instance.node);
    const init = classAttribute(cls, '__init__');
    const [fn] = (init?.things ?? []) as (Thing | undefined)[];
    const next = this.nextFrame(act, call);
    if (fn?.kind === 'function') {
      this.invoke({ ...fn, self: value }, given, act, next?.fn.def === fn.def ? next.index : null);
    } else {
      for (const one of given) {
        if (one.name === null) instance.node.holds.push(one.value.node);
        else instance.attrs.set(one.name, one.value);
      }
    }
    return value;
  }

  /** A call of which nothing is known: its result may be what it was given, and may have a graph. */
  private unknownCall(callee: Value, given: readonly Given[], call: Call, act: Activation, runs: boolean): Value {
    const values = given.map(({ value }) => value);
    for (const { node } of values) this.machine.given.add(node);
    const most = values.reduce<Sureness>(
      (all, { node, things }) => larger(all, larger(node.grad, gradInside(things))),
      callee.node.grad,
    );
    const grad: Sureness = runs ? 2 : smaller(most, 2);
    const result = this.operation([callee, ...values], act, call, grad, false);
    const perhaps = new FlowNode(0);
    for (const { node } of values) perhaps.holds.push(node);
    perhaps.limit = 1;
    result.node.holds.push(perhaps);
    return result;
  }
}

/** An object of a library that is no module: what it calls back, it may call again and again. */
function isForeign(thing: Thing): boolean {
  return thing.kind === 'instance' && thing.cls === null && thing.library !== '' && !isModule(thing.library);
}

function isModule(library: string): boolean {
  return library.startsWith('torch.nn.');
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

function pairOf(first: Value, second: Value): Value {
  const node = new FlowNode(larger(first.node.grad, second.node.grad));
  node.holds.push(first.node, second.node);
  return valueOf(node, [], [first, second]);
}

/** The attribute that an expression ends in: `rows` of `self.rows`. */
export function attributeName(expression: Expression): string | null {
  if (expression.kind === 'attribute') return expression.name;
  return expression.kind === 'subscript' ? attributeName(expression.value) : null;
}

function gradInside(things: readonly Thing[]): Sureness {
  let most: Sureness = 0;
  for (const thing of things) {
    if (thing.kind !== 'container') continue;
    for (const { grad } of thing.node.holds.slice(-8)) most = larger(most, grad);
    for (const { node } of thing.attrs.values()) most = larger(most, node.grad);
  }
  return most;
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
