import type { Call, Expression } from '../python/ast.js';
import { behind, FlowNode, larger, smaller, type Sureness } from './flow.js';
import type { Keeper } from './keeper.js';
import {
  ADDS_PARAMETERS,
  functionEffect,
  HOOK,
  methodEffect,
  PUTS_IN,
  RUNS_MODULE,
  TAKES_OUT,
  type CallEffect,
} from './knownCalls.js';
import { sourceText, type Activation } from './machine.js';
import {
  eitherOf,
  newContainer,
  newInstance,
  plainValue,
  valueOf,
  type ClassThing,
  type FunctionThing,
  type Hook,
  type Thing,
  type Value,
} from './things.js';
import { ValueMaker, classAttribute, gradInside, type Given } from './valueMaker.js';

/** Follows calls: of the workspace's functions, of PyTorch's and Python's own, and of what is not known. */
export abstract class CallFollower extends ValueMaker {
  abstract evaluate(expression: Expression, act: Activation): Value;

  /** Calls a method by its name. */
  protected method(
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
      const holder = sourceText(act.scope.module, receiver);
      const isThorough = name === 'clear' || machine.measured.some(({ container }) => container === holder);
      for (const container of containers) container.cleared.push({ loops: machine.loops, isThorough });
      if (containers.length === 0) machine.emptied.add(holder);
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
        most: null,
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
        most: null,
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
      const most = call.args.find(
        ({ name: key, value }, i) =>
          (key === 'maxlen' || (key === null && i === 1)) && !(value.kind === 'literal' && value.type === 'none'),
      );
      const { value, container } = newContainer('list', this.machine.loops, most !== undefined);
      container.most = most === undefined ? null : sourceText(act.scope.module, most.value);
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

function pairOf(first: Value, second: Value): Value {
  const node = new FlowNode(larger(first.node.grad, second.node.grad));
  node.holds.push(first.node, second.node);
  return valueOf(node, [], [first, second]);
}
