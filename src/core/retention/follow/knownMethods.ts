import type { Call, Expression } from '../../python/ast.js';
import { forEachStatement, type PythonModule } from '../../python/pythonModule.js';
import type { Keeper } from '../keeper.js';
import { FlowNode, larger, type Sureness } from '../values/flowNode.js';
import { adopt, elementOf, keepIn, keepsNothing, partOf, spread } from '../values/parts.js';
import { plainValue, valueOf, type Container, type Given, type Hook, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import { followBackward } from './backward.js';
import { Part } from './follower.js';
import { putIn } from './keeping.js';
import { ADDS_PARAMETERS, HOOK, PUTS_IN, TAKES_OUT } from './knownCalls.js';
import { operate } from './operate.js';
import { isMade, sourceText } from './sourceText.js';

/** Follows methods whose names tell what they do, whatever they are called on. */
export class KnownMethods extends Part {
  call(
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
      followBackward(this.machine, roots, call, act, receiver);
      return plainValue();
    }
    if (name === 'step') {
      const text = sourceText(act.scope.module, receiver);
      const isOptimizer =
        /opt|scaler|engine|solver/i.test(text) ||
        base.things.some((thing) => thing.kind === 'instance' && thing.library.startsWith('torch.optim.'));
      if (isOptimizer) {
        machine.step('optimizer');
        machine.watch(act, call, base.node);
        return plainValue();
      }
    }
    const hooks = base.things.filter((thing) => thing.kind === 'hook');
    if (name === 'remove' && hooks.length > 0) {
      for (const hook of hooks) hook.removed = true;
      return plainValue();
    }
    if (HOOK.test(name)) return this.register(base, given, call, act, receiver);
    const containers = base.things.filter((thing) => thing.kind === 'container');
    if (TAKES_OUT.has(name) || (name === 'get' && containers.some(({ type }) => type === 'queue'))) {
      const holder = sourceText(act.scope.module, receiver);
      machine.takeOut(containers, holder, name === 'clear' ? 'clear' : 'take', {
        module: act.scope.module,
        span: call,
      });
      if (containers.length === 0) machine.emptied.add(holder);
      return containers.length > 0 ? elementOf(base) : partOf(base);
    }
    if (PUTS_IN.has(name) && given.length > 0) {
      return this.put(base, name, given, call, act, receiver);
    }
    if (ADDS_PARAMETERS.has(name) && given.length > 0) {
      const { value, span } = given[given.length - 1];
      if (call.args.some((arg) => arg.value.kind === 'literal')) return plainValue();
      putIn(this.machine, [], act, { value, receiver, span, statement: call });
      return plainValue();
    }
    return null;
  }

  /** Follows `kept.append(value)` and its like. */
  private put(
    base: Value,
    name: string,
    given: readonly Given[],
    call: Call,
    act: Activation,
    receiver: Expression,
  ): Value | null {
    const { machine } = this;
    const containers = base.things.filter((thing) => thing.kind === 'container');
    if (base.node.isTensor || (base.items !== null && containers.length === 0)) return null;
    if (containers.length === 0 && base.things.some((thing) => thing.kind === 'library')) return null;
    const guessed = containers.length === 0;
    // The program has a method of that name: it may be that one.
    if (guessed && machine.sources.read.some((module) => methodNames(module).has(name))) return null;
    if (name === 'update' || name === 'extend') {
      for (const { name: key, value, span } of given) {
        if (name === 'update' && replacesItems(containers, key, value)) continue;
        putIn(machine, containers, act, { value: spread(value), receiver, span, statement: call, guessed });
      }
      return plainValue();
    }
    const { value, span } = given[given.length - 1];
    if (containers.length > 0 && isMade(span) && keepsNothing(value)) {
      adopt(value, containers[0].born);
      for (const container of containers) keepIn(container, value);
    } else {
      const key = name === 'setdefault' ? given[0].value : null;
      putIn(machine, containers, act, { value, receiver, span, statement: call, key, guessed });
    }
    return name === 'setdefault' && containers.length > 0 ? value : plainValue();
  }

  inPlace(base: Value, given: readonly Given[], act: Activation, call: Call, receiver: Expression): Value {
    const grad = given.reduce<Sureness>((most, { value }) => larger(most, value.node.grad), base.node.grad);
    const value = operate(this.machine, [base, ...given.map((one) => one.value)], act, call, grad, true);
    const result = valueOf(value.node, base.things);
    if (given.length > 0 && (receiver.kind === 'name' || receiver.kind === 'attribute') && base.things.length === 0) {
      this.follower.assign(receiver, result, act, call);
    }
    return result;
  }

  private register(base: Value, given: readonly Given[], call: Call, act: Activation, receiver: Expression): Value {
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
        mostBy: null,
        key: null,
        guessed: false,
      };
      machine.hooks.push({
        hook,
        on: base.node,
        born: base.node.made ?? base.things.find((thing) => thing.kind === 'instance')?.born ?? [],
        functions: fn.value.things.filter((thing) => thing.kind === 'function'),
        keeper,
      });
    }
    return valueOf(new FlowNode(0), [hook]);
  }
}

/** `state.update(last=out)` puts new values under keys that are there already. */
function replacesItems(containers: readonly Container[], key: string | null, value: Value): boolean {
  if (containers.length === 0) return false;
  if (key !== null) {
    for (const { attrs } of containers) attrs.set(`'${key}'`, value);
    return true;
  }
  const given = value.things.filter((thing) => thing.kind === 'container');
  if (given.length === 0 || given.some(({ node }) => node.holds.length > 0)) return false;
  for (const { attrs } of containers)
    for (const one of given) for (const [name, item] of one.attrs) attrs.set(name, item);
  return true;
}

const namesOfMethods = new WeakMap<PythonModule, ReadonlySet<string>>();

/** The methods that the classes of a file define. */
function methodNames(module: PythonModule): ReadonlySet<string> {
  let names = namesOfMethods.get(module);
  if (names === undefined) {
    const found = new Set<string>();
    forEachStatement(module.body, (statement) => {
      if (statement.kind !== 'class') return;
      for (const inner of statement.body) if (inner.kind === 'function') found.add(inner.name);
    });
    namesOfMethods.set(module, found);
    names = found;
  }
  return names;
}
