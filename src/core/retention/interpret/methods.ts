import { getOrAdd } from '../../maps.js';
import type { Call, Expression } from '../../python/ast.js';
import { allStatements, type PythonModule } from '../../python/pythonModule.js';
import { ADDS_PARAMETERS, CLEARS, HOOKS, PUTS_ALL, PUTS_IN, QUEUE_TAKES, TAKES_OUT } from '../operations.js';
import { FlowNode, larger, type Sureness } from '../values/flowNode.js';
import {
  addTo,
  adopt,
  containersOf,
  eitherOf,
  elementOf,
  holdsNothing,
  isForeign,
  partOf,
  plainValue,
  spread,
  valueOf,
  type ArgumentValue,
  type Container,
  type Hook,
  type Value,
} from '../values/objects.js';
import { followBackward, operate } from './effects.js';
import type { Activation, Machine } from './machine.js';
import type { Called, Follower } from './follower.js';
import { handlersByName } from './handlers.js';
import { holdingAt, putIn } from './retain.js';
import { homeOf, isMade, sourceText } from './sourceText.js';

/** Methods whose effect follows from their names, for any receiver. */
const METHODS = handlersByName([
  [['backward'], backward],
  [['step'], optimizerStep],
  [['remove'], removeHook],
  [HOOKS, register],
  [[...TAKES_OUT, ...QUEUE_TAKES], take],
  [PUTS_IN, put],
  [ADDS_PARAMETERS, addParameters],
]);

/** Calls a method that is known by its name. @returns null if it is none, or declines */
export function callKnownMethod(called: Called, follower: Follower): Value | null {
  for (const handler of METHODS.get(called.name) ?? []) {
    const value = handler(called, follower);
    if (value !== null) return value;
  }
  return null;
}

/** `loss.backward()`, and `accelerator.backward(loss)` as well. */
function backward({ base, args, call, act, receiver }: Called, { machine }: Follower): Value {
  const roots =
    base.node.grad > 1 || args.length === 0
      ? [base]
      : args.filter(({ name }) => name === null).map(({ value }) => value);
  followBackward(machine, roots, call, act, receiver);
  return plainValue();
}

function optimizerStep({ base, call, act, receiver }: Called, { machine }: Follower): Value | null {
  const isOptimizer =
    /opt|scaler|engine|solver/i.test(sourceText(act.scope.module, receiver)) ||
    base.objects.some((object) => object.kind === 'instance' && object.library.startsWith('torch.optim.'));
  if (!isOptimizer) return null;
  machine.step('optimizer');
  machine.watch(act, call, base.node);
  return plainValue();
}

function removeHook({ base }: Called): Value | null {
  const hooks = base.objects.filter((object) => object.kind === 'hook');
  for (const hook of hooks) hook.removed = true;
  return hooks.length > 0 ? plainValue() : null;
}

function register({ base, args, call, act, receiver }: Called, { machine }: Follower): Value {
  const hook: Hook = { kind: 'hook', removed: false };
  const fn = args.find(({ name }) => name === null || name === 'hook');
  if (fn !== undefined) {
    const { module } = act.scope;
    machine.hooks.push({
      hook,
      on: base.node,
      madeIn: base.node.made ?? base.objects.find((object) => object.kind === 'instance')?.madeIn ?? [],
      functions: fn.value.objects.filter((object) => object.kind === 'function'),
      holding: holdingAt(machine, 'hook', act, call, {
        holder: sourceText(module, receiver),
        held: sourceText(module, fn.span, 40),
        heldSpan: fn.span,
        value: fn.value,
      }),
    });
  }
  return valueOf(new FlowNode(0), [hook]);
}

function take({ name, base, args, call, act, receiver }: Called, { machine }: Follower): Value | null {
  const containers = containersOf(base);
  if (!TAKES_OUT.has(name) && !containers.some(({ type }) => type === 'queue')) return null;
  const { module } = act.scope;
  const holder = sourceText(module, receiver);
  // `pop(key, None)` may find nothing.
  const isSure = args.length < 2 && name !== 'discard';
  if (!isSure) machine.branches++;
  machine.takeOut(containers, holder, CLEARS.has(name) ? 'clear' : 'take', { module, span: call });
  if (!isSure) machine.branches--;
  if (containers.length > 0) return elementOf(base);
  machine.emptied.add(holder);
  return partOf(base);
}

/** Follows `held.append(value)` and similar calls. */
function put({ name, base, args, call, act, receiver }: Called, { machine }: Follower): Value | null {
  if (args.length === 0) return null;
  const containers = containersOf(base);
  const guessed = containers.length === 0;
  if (base.node.isTensor || (guessed && base.items !== null)) return null;
  // The effect of a library object on its arguments is unknown.
  if (guessed && base.objects.some((object) => object.kind === 'library' || isForeign(object))) return null;
  // The program has a method of that name: it may be that one.
  if (guessed && machine.sources.read.some((module) => methodNames(module).has(name))) return null;
  const one = { receiver, statement: call, guessed };
  if (containers.some(({ type }) => type === 'metric')) {
    updateMetric(machine, containers, args, act, call, receiver);
    return plainValue();
  }
  if (PUTS_ALL.has(name)) {
    for (const { name: key, value, span } of args) {
      if (name === 'update' && replacesItems(containers, key, value)) continue;
      putIn(machine, containers, act, { ...one, value: spread(value), span });
    }
    return plainValue();
  }
  const { value, span } = args[args.length - 1];
  // The default of the first iteration is what a later one finds.
  const found = name === 'setdefault' && !guessed ? elementOf(base) : null;
  if (!guessed && isMade(span) && holdsNothing(value, machine)) {
    adopt(value, containers[0].madeIn, homeOf(act.scope.module, receiver));
    for (const container of containers) addTo(container, value);
  } else {
    putIn(machine, containers, act, { ...one, value, span, key: name === 'setdefault' ? args[0].value : null });
  }
  if (name.startsWith('enter_')) return value;
  if (found === null) return plainValue();
  return found.objects.length === 0 ? value : eitherOf(found, value);
}

/** A metric keeps all arguments of each update, and what it computes of them. */
export function updateMetric(
  machine: Machine,
  metrics: readonly Container[],
  args: readonly ArgumentValue[],
  act: Activation,
  call: Call,
  receiver: Expression,
): void {
  const computed = machine.note(new FlowNode(0, true));
  machine.watch(act, call, computed, 2);
  const kept = [...args, { value: valueOf(computed), span: null }];
  for (const { value, span } of kept) putIn(machine, metrics, act, { value, span, receiver, statement: call });
}

function addParameters({ args, call, act, receiver }: Called, { machine }: Follower): Value | null {
  const last = args.at(-1);
  if (last === undefined) return null;
  // `register_buffer('mask', mask)`: the same name each time.
  if (!call.args.some((arg) => arg.value.kind === 'literal'))
    putIn(machine, [], act, { value: last.value, receiver, span: last.span, statement: call });
  return plainValue();
}

/** Calls a method that changes a tensor in place. */
export function callInPlace({ base, args, act, call, receiver }: Called, follower: Follower): Value {
  const grad = args.reduce<Sureness>((most, { value }) => larger(most, value.node.grad), base.node.grad);
  const value = operate(follower.machine, [base, ...args.map((one) => one.value)], act, call, grad, true);
  const result = valueOf(value.node, base.objects);
  if (args.length > 0 && (receiver.kind === 'name' || receiver.kind === 'attribute') && base.objects.length === 0) {
    follower.assign(receiver, result, act, call);
  }
  return result;
}

/** `state.update(last=out)` puts new values under keys that are there already. */
function replacesItems(containers: readonly Container[], key: string | null, value: Value): boolean {
  if (containers.length === 0) return false;
  if (key !== null) {
    for (const { attrs } of containers) attrs.set(`'${key}'`, value);
    return true;
  }
  const args = containersOf(value);
  if (args.length === 0 || args.some(({ node }) => node.holds.length > 0)) return false;
  for (const { attrs } of containers)
    for (const one of args) for (const [name, item] of one.attrs) attrs.set(name, item);
  return true;
}

const namesOfMethods = new WeakMap<PythonModule, ReadonlySet<string>>();

/** The methods that the classes of a file define. */
function methodNames(module: PythonModule): ReadonlySet<string> {
  return getOrAdd(namesOfMethods, module, () => {
    const classes = allStatements(module.body).filter((statement) => statement.kind === 'class');
    const methods = classes.flatMap(({ body }) => body.filter((inner) => inner.kind === 'function'));
    return new Set(methods.map(({ name }) => name));
  });
}
