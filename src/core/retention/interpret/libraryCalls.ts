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
  spread,
  valueOf,
  type Given,
  type Value,
} from '../values/objects.js';
import { callEffect, followBackward, unknownCall, viewOf } from './effects.js';
import type { Called, Follower } from './follower.js';
import { handlersByName } from './handlers.js';
import { putIn } from './retain.js';
import type { Activation } from './machine.js';
import { sourceText } from './sourceText.js';

/** Functions that give a whole number from zero up to, but not, one of their arguments: which. */
const BELOW = new Map([
  ['random.randrange', 0],
  ['random.randint', 1],
  ['numpy.random.randint', 0],
]);

/** Functions of Python's and PyTorch's own that do more than their effect says, by their dotted names. */
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
  [['range'], ({ given, call }) => (given.length === 1 ? { ...plainValue(), source: call } : null)],
  [BELOW.keys(), numberBelow],
]);
/** Functions that work on their first argument, by the last part of their names. */
const ON_FIRST = handlersByName([
  [SWAPS_IN_FIRST, swapInFirst],
  [PUTS_IN_FIRST, putInFirst],
  [TAKES_FROM_FIRST, takeFromFirst],
]);
/** What they give has the elements of what they are given, in one order or another. */
const SAME_ELEMENTS = /^(?:list|tuple|sorted|reversed|iter|tqdm(?:\.\w+)*)$/;

/** Follows a call of one of Python's or PyTorch's functions. */
export function callLibrary(called: Called, follower: Follower): Value {
  const { name, given, call, act } = called;
  const last = name.slice(name.lastIndexOf('.') + 1);
  const onFirst = /^(?:heapq|bisect)\./.test(name) ? ON_FIRST.get(last) : undefined;
  for (const handler of [...(FUNCTIONS.get(name) ?? []), ...(onFirst ?? []), makeContainer]) {
    const value = handler(called, follower);
    if (value !== null) return value;
  }
  const values = valuesOf(called);
  const effect = functionEffect(name);
  if (effect === null) return unknownCall(follower.machine, plainValue(), given, call, act, false);
  const value = callEffect(follower, effect, values, call, act, name);
  return SAME_ELEMENTS.test(name) && values.length > 0 ? { ...value, source: sourceOf(values[0]) } : value;
}

function valuesOf({ given }: Called): Value[] {
  return given.map(({ value }) => value);
}

function autogradBackward({ given, call, act }: Called, { machine }: Follower): Value | null {
  if (given.length === 0) return null;
  followBackward(machine, [given[0].value], call, act, call.args[0].value);
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
function checkpoint({ given, call, act }: Called, follower: Follower): Value | null {
  if (given.length === 0) return null;
  const inner = given.slice(1).filter(({ name }) => name === null);
  return follower.callValue(given[0].value, inner, call, act, call.args[0].value);
}

function dataclassField({ given }: Called): Value {
  const { value, instance } = newInstance(null, FIELD, []);
  for (const one of given) if (one.name !== null) instance.attrs.set(one.name, one.value);
  return value;
}

/** A function some of whose arguments are given in advance. */
function partial({ given: [fn, ...given] }: Called): Value | null {
  const functions = (fn as Given | undefined)?.value.objects.filter((object) => object.kind === 'function') ?? [];
  if (functions.length === 0) return null;
  const node = new FlowNode(0);
  node.holds.push(fn.value.node, ...given.map(({ value }) => value.node));
  return valueOf(
    node,
    functions.map((object) => ({ ...object, node, partial: [...object.partial, ...given] })),
  );
}

/** Containers, those that hold no more than they are told, and those that release by themselves. */
function makeContainer({ name, given, call, act }: Called, follower: Follower): Value | null {
  const { madeIn } = follower.machine;
  const made = madeBy(name);
  if (made === null || made.type === 'module') return null;
  const { type, bound } = made;
  if (type === 'weak') return newContainer('dict', madeIn, true).value;
  const limited =
    bound == null ? undefined : given.find((one, i) => one.name === bound[0] || (one.name === null && i === bound[1]));
  const most = name.endsWith('SimpleQueue') ? null : limitGiven(limited, act);
  const { value, container } = newContainer(
    type === 'queue' ? type : type === 'list' || type === 'deque' ? 'list' : 'dict',
    madeIn,
    most !== null,
  );
  container.most = most;
  if (type === 'queue') return value;
  const [first] = given as readonly (Given | undefined)[];
  if (name.endsWith('defaultdict')) {
    if (first !== undefined) addTo(container, defaultOf(first.value));
    return value;
  }
  for (const one of type === 'deque' ? given.slice(0, 1) : given) {
    if (one.name === null) addTo(container, spread(one.value));
    else if (type !== 'deque') container.attrs.set(`'${one.name}'`, one.value);
  }
  return value;

  /** What a `defaultdict` makes for a key that it has not. */
  function defaultOf(factory: Value): Value {
    const item = follower.callValue(factory, [], call, act, call.callee);
    return item.objects.length > 0 ? item : newContainer('list', madeIn).value;
  }
}

function enumerate({ given, call }: Called, { machine }: Follower): Value | null {
  if (given.length === 0) return null;
  const [{ value: first }] = given;
  // Its numbers are the same whatever it counts.
  const items = [pairOf({ ...plainValue(), source: call }, elementOf(first))];
  return { ...viewOf(machine, first, false), items, source: sourceOf(first) };
}

function zip(called: Called): Value | null {
  const values = valuesOf(called);
  return values.length === 2 ? { ...plainValue(), items: [pairOf(itemOf(values[0]), itemOf(values[1]))] } : null;
}

function numberBelow({ name, given, call, act }: Called): Value | null {
  const at = BELOW.get(name) ?? 0;
  if (at >= call.args.length) return null;
  const text = sourceText(act.scope.module, call.args[at].value);
  return plainValue({ kind: 'below', limit: itemLimit(given[at].value, text) });
}

function putInFirst({ given: [to, item], call, act }: Called, { machine }: Follower): Value | null {
  if ((item as Given | undefined) === undefined) return null;
  const containers = containersOf(to.value);
  const one = { value: item.value, receiver: call.args[0].value, span: item.span, statement: call };
  putIn(machine, containers, act, { ...one, guessed: containers.length === 0 });
  return plainValue();
}

/** Puts one in and takes one out: as many as before. */
function swapInFirst({ given: [to, item] }: Called): Value | null {
  if ((item as Given | undefined) === undefined) return null;
  for (const container of containersOf(to.value)) addTo(container, item.value);
  return elementOf(to.value);
}

function takeFromFirst({ given: [from], call, act }: Called, { machine }: Follower): Value | null {
  if ((from as Given | undefined) === undefined) return null;
  const { module } = act.scope;
  const holder = sourceText(module, call.args[0].value);
  machine.takeOut(containersOf(from.value), holder, 'take', { module, span: call });
  return elementOf(from.value);
}

/** What has the same elements in the same order. */
function sourceOf({ source, node }: Value): object {
  return source ?? node;
}

/** One of the elements of a value, that knows of which. */
function itemOf(value: Value): Value {
  return { ...elementOf(value), source: sourceOf(value) };
}

/** How much a container is told to hold; null for as much as comes. */
function limitGiven(given: Given | undefined, { scope }: Activation): ItemLimit | null {
  if (given === undefined) return null;
  const { known } = given.value;
  if (known?.kind === 'constant' && (known.value === null || known.value <= 0)) return null;
  return itemLimit(given.value, sourceText(scope.module, given.span));
}

/** The dotted name of what an expression names of a library; empty where it names none. */
export function libraryName(follower: Follower, expression: Expression, act: Activation): string {
  if (expression.kind !== 'name' && expression.kind !== 'attribute') return '';
  const object = follower.evaluate(expression, act).objects.find(({ kind }) => kind === 'library');
  return object?.kind === 'library' ? object.name : '';
}
