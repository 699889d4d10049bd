import type { Expression } from '../../python/ast.js';
import { FIELD, functionEffect, madeBy, PUTS_IN_FIRST, SWAPS_IN_FIRST, TAKES_FROM_FIRST } from '../operations.js';
import { FlowNode, itemLimit, type ItemLimit } from '../values/flowNode.js';
import {
  addTo,
  containersOf,
  elementOf,
  newContainer,
  newInstance,
  pairOf,
  plainValue,
  sourceOf,
  spread,
  valueOf,
  type ArgumentValue,
  type Value,
} from '../values/objects.js';
import { callEffect, followBackward, unknownCall, viewOf } from './effects.js';
import type { Called, Follower } from './follower.js';
import { handlersByName } from './handlers.js';
import { putIn } from './retain.js';
import type { Activation } from './machine.js';
import { sourceText } from './sourceText.js';

/** Functions that return an integer from zero to below one of their arguments, and its index. */
const BELOW = new Map([
  ['random.randrange', 0],
  ['random.randint', 1],
  ['numpy.random.randint', 0],
]);

/** Functions whose results never repeat. */
const UNIQUE = ['uuid.uuid1', 'uuid.uuid4', 'time.time', 'time.time_ns', 'time.perf_counter', 'time.perf_counter_ns'];
const COUNTER = 'itertools.count';

/** Functions of Python and PyTorch that need more than their listed effect, by dotted name. */
const FUNCTIONS = handlersByName([
  [['torch.autograd.backward'], autogradBackward],
  [['leakline_recorder.mark_step'], markStep],
  [['torch.utils.checkpoint.checkpoint'], checkpoint],
  [
    ['torch.compile', 'torch.jit.script', 'torch.jit.optimize_for_inference'],
    (called) => valuesOf(called).at(0) ?? null,
  ],
  [[FIELD], dataclassField],
  [['functools.partial'], partial],
  [['id'], (called) => numberOf('identity', called)],
  [['len'], (called) => numberOf('length', called)],
  [['enumerate'], enumerate],
  [['zip'], zip],
  [['range'], ({ args, call }) => (args.length === 1 ? { ...plainValue(), source: call } : null)],
  [BELOW.keys(), numberBelow],
  [UNIQUE, () => plainValue({ kind: 'unique' })],
  [[COUNTER], (_, { machine }) => newInstance(null, COUNTER, machine.madeIn).value],
  [['next'], nextNumber],
  [['str'], (called) => plainValue(valuesOf(called).at(0)?.known)],
]);
/** Functions that work on their first argument, by the last part of their names. */
const ON_FIRST = handlersByName([
  [SWAPS_IN_FIRST, swapInFirst],
  [PUTS_IN_FIRST, putInFirst],
  [TAKES_FROM_FIRST, takeFromFirst],
]);
/** Functions whose result has the elements of the argument, in any order. */
const SAME_ELEMENTS = /^(?:list|tuple|sorted|reversed|iter|tqdm(?:\.\w+)*)$/;

/** Follows a call of one of Python's or PyTorch's functions. */
export function callLibrary(called: Called, follower: Follower): Value {
  const { name, args, call, act } = called;
  const last = name.slice(name.lastIndexOf('.') + 1);
  const onFirst = /^(?:heapq|bisect)\./.test(name) ? ON_FIRST.get(last) : undefined;
  for (const handler of [...(FUNCTIONS.get(name) ?? []), ...(onFirst ?? []), makeContainer]) {
    const value = handler(called, follower);
    if (value !== null) return value;
  }
  const values = valuesOf(called);
  const effect = functionEffect(name);
  if (effect === null) return unknownCall(follower.machine, plainValue(), args, call, act, false);
  const value = callEffect(follower, effect, values, call, act, name);
  return SAME_ELEMENTS.test(name) && values.length > 0 ? { ...value, source: sourceOf(values[0]) } : value;
}

function valuesOf({ args }: Called): Value[] {
  return args.map(({ value }) => value);
}

function autogradBackward({ args, call, act }: Called, { machine }: Follower): Value | null {
  if (args.length === 0) return null;
  followBackward(machine, [args[0].value], call, act, call.args[0].value);
  return plainValue();
}

function markStep(_: Called, { machine }: Follower): Value {
  machine.step('marked');
  return plainValue();
}

function numberOf(kind: 'identity' | 'length', called: Called): Value | null {
  const of = valuesOf(called).at(0);
  return of === undefined ? null : plainValue({ kind, of: of.node });
}

/** Runs a function on the arguments behind it. */
function checkpoint({ args, call, act }: Called, follower: Follower): Value | null {
  if (args.length === 0) return null;
  const inner = args.slice(1).filter(({ name }) => name === null);
  return follower.callValue(args[0].value, inner, call, act, call.args[0].value);
}

function dataclassField({ args }: Called): Value {
  const { value, instance } = newInstance(null, FIELD, []);
  for (const one of args) if (one.name !== null) instance.attrs.set(one.name, one.value);
  return value;
}

/** A function with bound arguments. */
function partial({ args: [fn, ...args] }: Called): Value | null {
  const functions =
    (fn as ArgumentValue | undefined)?.value.objects.filter((object) => object.kind === 'function') ?? [];
  if (functions.length === 0) return null;
  const node = new FlowNode(0);
  node.holds.push(fn.value.node, ...args.map(({ value }) => value.node));
  return valueOf(
    node,
    functions.map((object) => ({ ...object, node, partial: [...object.partial, ...args] })),
  );
}

/** Containers, also those with a bound and those that release automatically. */
function makeContainer({ name, args, call, act }: Called, follower: Follower): Value | null {
  const { madeIn } = follower.machine;
  const made = madeBy(name);
  if (made === null || made.type === 'module') return null;
  const { type, bound } = made;
  if (type === 'weak') return newContainer('dict', madeIn, true).value;
  const limited =
    bound == null ? undefined : args.find((one, i) => one.name === bound[0] || (one.name === null && i === bound[1]));
  const max = name.endsWith('SimpleQueue') ? null : limitArgument(limited, act);
  const { value, container } = newContainer(
    type === 'queue' || type === 'metric' ? type : type === 'list' || type === 'deque' ? 'list' : 'dict',
    madeIn,
    max !== null,
  );
  container.max = max;
  if (type === 'queue' || type === 'metric') return value;
  const [first] = args as readonly (ArgumentValue | undefined)[];
  if (name.endsWith('defaultdict')) {
    if (first !== undefined) addTo(container, defaultOf(first.value));
    return value;
  }
  for (const one of type === 'deque' ? args.slice(0, 1) : args) {
    if (one.name === null) addTo(container, spread(one.value));
    else if (type !== 'deque') container.attrs.set(`'${one.name}'`, one.value);
  }
  return value;

  /** The value that a `defaultdict` makes for a missing key. */
  function defaultOf(factory: Value): Value {
    const item = follower.callValue(factory, [], call, act, call.callee);
    return item.objects.length > 0 ? item : newContainer('list', madeIn).value;
  }
}

function enumerate({ args, call }: Called, { machine }: Follower): Value | null {
  if (args.length === 0) return null;
  const [{ value: first }] = args;
  // Its numbers do not depend on the counted items.
  const items = [pairOf({ ...plainValue(), source: call }, elementOf(first))];
  return { ...viewOf(machine, first, false), items, source: sourceOf(first) };
}

function zip(called: Called): Value | null {
  const values = valuesOf(called);
  return values.length === 2 ? { ...plainValue(), items: [pairOf(itemOf(values[0]), itemOf(values[1]))] } : null;
}

/** The next number of a counter that is made once: another one in each step. */
function nextNumber(called: Called): Value | null {
  const isCounter = valuesOf(called)
    .at(0)
    ?.objects.some((one) => one.kind === 'instance' && one.library === COUNTER && one.madeIn.length === 0);
  return isCounter === true ? plainValue({ kind: 'unique' }) : null;
}

function numberBelow({ name, args, call, act }: Called): Value | null {
  const at = BELOW.get(name) ?? 0;
  if (at >= call.args.length) return null;
  const text = sourceText(act.scope.module, call.args[at].value);
  return plainValue({ kind: 'below', limit: itemLimit(args[at].value, text) });
}

function putInFirst({ args: [to, item], call, act }: Called, { machine }: Follower): Value | null {
  if ((item as ArgumentValue | undefined) === undefined) return null;
  const containers = containersOf(to.value);
  const one = { value: item.value, receiver: call.args[0].value, span: item.span, statement: call };
  putIn(machine, containers, act, { ...one, guessed: containers.length === 0 });
  return plainValue();
}

/** Puts one in and takes one out: as many as before. */
function swapInFirst({ args: [to, item] }: Called): Value | null {
  if ((item as ArgumentValue | undefined) === undefined) return null;
  for (const container of containersOf(to.value)) addTo(container, item.value);
  return elementOf(to.value);
}

function takeFromFirst({ args: [from], call, act }: Called, { machine }: Follower): Value | null {
  if ((from as ArgumentValue | undefined) === undefined) return null;
  const { module } = act.scope;
  const holder = sourceText(module, call.args[0].value);
  machine.takeOut(containersOf(from.value), holder, 'take', { module, span: call });
  return elementOf(from.value);
}

/** One of the elements of a value, that knows of which. */
function itemOf(value: Value): Value {
  return { ...elementOf(value), source: sourceOf(value) };
}

/** The maximum number of items of a container; null for no bound. */
function limitArgument(args: ArgumentValue | undefined, { scope }: Activation): ItemLimit | null {
  if (args === undefined) return null;
  const { known } = args.value;
  if (known?.kind === 'constant' && (known.value === null || known.value <= 0)) return null;
  return itemLimit(args.value, sourceText(scope.module, args.span));
}

/** The dotted library name of an expression; empty for none. */
export function libraryName(follower: Follower, expression: Expression, act: Activation): string {
  if (expression.kind !== 'name' && expression.kind !== 'attribute') return '';
  const object = follower.evaluate(expression, act).objects.find(({ kind }) => kind === 'library');
  return object?.kind === 'library' ? object.name : '';
}
