import type { Call, Expression, Span } from '../../python/ast.js';
import { type CallEffect, JOINS, MODULE_PARTS, madeBy } from '../operations.js';
import { FlowNode, type Sureness, larger, smaller } from '../values/flowNode.js';
import {
  type ArgumentValue,
  type Value,
  elementOf,
  gradInside,
  isModule,
  addModules,
  addTo,
  containersOf,
  newContainer,
  newInstance,
  pairOf,
  plainValue,
  sourceOf,
  spread,
  valueOf,
} from '../values/objects.js';
import { behind } from '../values/reachability.js';
import type { Follower } from './follower.js';
import type { Activation, Machine } from './machine.js';
import { noteHolding } from './retain.js';
import { sourceText } from './sourceText.js';

/** The result of an operation: new memory, and a graph that holds the operands if one of them has a graph. */
export function operate(
  machine: Machine,
  operands: readonly Value[],
  act: Activation,
  span: Span,
  grad: Sureness,
  isTensor: boolean,
): Value {
  const node = machine.operation(
    operands.map((operand) => operand.node),
    grad,
    isTensor,
  );
  machine.watch(act, span, node);
  return valueOf(node);
}

/** A value with the memory of another one, with or without its graph. */
export function viewOf(machine: Machine, base: Value, detached: boolean): Value {
  const node = machine.note(
    new FlowNode(detached || machine.withoutGraph > 0 ? 0 : base.node.grad, base.node.isTensor),
  );
  node.made = base.node.made;
  (detached ? node.storage : node.holds).push(base.node);
  return valueOf(node, detached ? [] : base.objects, detached ? null : base.items);
}

/** An unknown call: its result may be an argument, and may have a graph. */
export function unknownCall(
  machine: Machine,
  callee: Value,
  args: readonly ArgumentValue[],
  call: Call,
  act: Activation,
  runs: boolean,
): Value {
  const values = args.map(({ value }) => value);
  for (const { node } of values) machine.passed.add(node);
  const grad: Sureness = runs ? 2 : smaller(larger(callee.node.grad, gradOf(values)), 2);
  const result = operate(machine, [callee, ...values], act, call, grad, false);
  // A call that runs no module may return an existing object.
  if (!runs) result.node.made = null;
  const perhaps = new FlowNode(0);
  for (const { node } of values) perhaps.holds.push(node);
  perhaps.limit = 1;
  result.node.holds.push(perhaps);
  return result;
}

/** A call whose effect is known. */
interface Effected {
  readonly values: readonly Value[];
  readonly call: Call;
  readonly act: Activation;
  /** The function's dotted name; empty for a method. */
  readonly name: string;
  /** The method's name; empty for a function. */
  readonly method: string;
}

/** A span without source: results that are not on the device. */
const NOWHERE: Span = { from: -1, to: -1 };
/** Methods that return a part of an object: the same each time. */
const LISTS_PARTS = new RegExp(`${MODULE_PARTS.source}|^(?:items|values|keys|state_dict)$`);

const EFFECTS: Record<CallEffect, (effected: Effected, follower: Follower) => Value> = {
  plain: ({ values: [base], call: { callee } }) =>
    callee.kind === 'attribute' && LISTS_PARTS.test(callee.name)
      ? { ...plainValue(), source: sourceOf(base) }
      : plainValue(),
  make: makeTensor,
  cut: makeTensor,
  copy: ({ act, call }, { machine }) => watched(machine, act, call, new FlowNode(0)),
  view: (effected, follower) => {
    const { name, method, values } = effected;
    if (values.length === 0) return plainValue();
    const value = (VIEWS.get(method) ?? plainView)(effected, follower);
    for (const other of name === '' ? [] : values.slice(1)) value.node.holds.push(other.node);
    return value;
  },
  detach: ({ values, call, act, method }, follower) => {
    const value = values.length === 0 ? plainValue() : viewOf(follower.machine, values[0], true);
    if (method === 'detach_' && call.callee.kind === 'attribute') follower.assign(call.callee.value, value, act, call);
    return value;
  },
  graphOnly: ({ values, act }, { machine }) =>
    operate(machine, values.slice(0, 1), act, NOWHERE, values.at(0)?.node.grad ?? 0, true),
  operation: ({ values, name, call, act }, { machine }) => {
    const grad = gradOf(values);
    const isTensor = values.some(({ node }) => node.isTensor) || name.startsWith('torch.') || (name === '' && grad > 1);
    const result = operate(machine, values, act, call, grad, isTensor);
    if (values.length > 0 && JOINS.has(name.slice(name.lastIndexOf('.') + 1)))
      machine.joined.set(result.node, values[0].node);
    return result;
  },
  object: ({ values, name, call, act }, { machine }) => {
    if (/(?:^|\.)(?:Parameter|Variable)$/.test(name) && values.length > 0)
      return { ...newWeight(machine, values[0], call, act, true), objects: [] };
    const isContainer = madeBy(name)?.type === 'module';
    const type = name.endsWith('Dict') ? 'dict' : 'list';
    const { value, instance } = newInstance(null, name, machine.madeIn, isContainer ? type : null);
    for (const one of values) {
      if (instance.items === null) instance.node.holds.push(one.node);
      else addModules(instance.items, spread(one));
    }
    watched(machine, act, call, instance.node);
    if (isModule(name)) noteWeight(machine, instance.node);
    return value;
  },
};

/** Interprets a call of PyTorch or Python. @param name empty for a method */
export function callEffect(
  follower: Follower,
  effect: CallEffect,
  values: readonly Value[],
  call: Call,
  act: Activation,
  name: string,
): Value {
  const method = name === '' && call.callee.kind === 'attribute' ? call.callee.name : '';
  return EFFECTS[effect]({ values, call, act, name, method }, follower);
}

/** How certainly any of these, or of their contents, has a graph. */
function gradOf(values: readonly Value[]): Sureness {
  return values.reduce<Sureness>((most, { node, objects }) => larger(most, larger(node.grad, gradInside(objects))), 0);
}

/** A new value, which the watched line may allocate. */
function watched(machine: Machine, act: Activation, call: Call, node: FlowNode): Value {
  machine.watch(act, call, machine.note(node));
  return valueOf(node);
}

function makeTensor({ call, act }: Effected, { machine }: Follower): Value {
  const asks = call.args.some(
    ({ name, value }) => name === 'requires_grad' && value.kind === 'literal' && value.text === 'True',
  );
  const node = new FlowNode(asks ? 3 : 0, true);
  node.made = machine.loops;
  return watched(machine, act, call, node);
}

type View = (effected: Effected, follower: Follower) => Value;

/** Methods that give the same memory in a way of their own. */
const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  [
    'requires_grad_',
    ({ values: [base], call, act }, { machine }) => newWeight(machine, base, call, act, base.node.isTensor),
  ],
  ['to', moved],
  ...['items', 'values', 'get', '__getitem__'].map((name): [string, View] => [name, itemsOf]),
  ...['parameters', 'named_parameters'].map((name): [string, View] => [name, parametersOf]),
]);
/** Methods that may copy: their result may be the watched line's memory. */
const MAY_COPY = /^(?:to|cuda|float|double|half|bfloat16|type|contiguous)$/;

function plainView({ values: [base], method, call, act }: Effected, { machine }: Follower): Value {
  const value = viewOf(machine, base, false);
  if (LISTS_PARTS.test(method)) return { ...value, source: sourceOf(base) };
  if (MAY_COPY.test(method)) machine.watch(act, call, value.node);
  return value;
}

/** `.to('cpu')` holds the graph, not the memory. */
function moved(effected: Effected, follower: Follower): Value {
  const { values, call, act } = effected;
  const [base] = values;
  const toHost = call.args.some(({ value }) => value.kind === 'literal' && value.text.includes('cpu'));
  return toHost && base.objects.length === 0
    ? operate(follower.machine, [base], act, NOWHERE, base.node.grad, true)
    : plainView(effected, follower);
}

function itemsOf(effected: Effected, follower: Follower): Value {
  const { values, method } = effected;
  const [base] = values;
  if (containersOf(base).length === 0) return plainView(effected, follower);
  const element = elementOf(base);
  if (method === 'get') return element;
  const { value, container } = newContainer('list', follower.machine.madeIn);
  addTo(container, element);
  return { ...value, items: method === 'items' ? [pairOf(plainValue(), element)] : null, source: sourceOf(base) };
}

/** A module's parameters, which require gradients. */
function parametersOf({ values: [base], method }: Effected, { machine }: Follower): Value {
  const node = new FlowNode(2, true);
  node.storage.push(base.node);
  node.limit = 2;
  const parameter = valueOf(node);
  const { value, container } = newContainer('list', machine.madeIn);
  addTo(container, parameter);
  // An optimizer that receives them holds the module's memory.
  container.node.holds.push(base.node);
  const items = method === 'named_parameters' ? [pairOf(plainValue(), parameter)] : null;
  return { ...value, items, source: sourceOf(base) };
}

/** A value that requires gradients, with the memory of another one. */
function newWeight(machine: Machine, base: Value, call: Call, act: Activation, isTensor: boolean): Value {
  const node = new FlowNode(3, isTensor);
  node.made = machine.loops;
  node.storage.push(base.node);
  noteWeight(machine, node);
  return { ...watched(machine, act, call, node), objects: base.objects };
}

function noteWeight(machine: Machine, node: FlowNode): void {
  for (const block of machine.autocasts) machine.autocastWeights.push({ block, loops: machine.loops, node });
}

/** A backward pass: it frees its graphs unless `retain_graph` is set, and may create new ones. */
export function followBackward(
  machine: Machine,
  roots: readonly Value[],
  call: Call,
  act: Activation,
  receiver: Expression,
): void {
  machine.step('backward');
  const isTrue = (key: string): boolean =>
    call.args.some(
      ({ name, value }) => name === key && !(value.kind === 'literal' && /^(?:False|None)$/.test(value.text)),
    );
  const create = isTrue('create_graph');
  const nodes = roots.flatMap(({ node }) => behind(node, machine));
  for (const node of nodes) {
    machine.differentiated.add(node);
    // The gradients stay with the parameters, and these with the object that owns them.
    if (node.isObject) machine.watch(act, call, node);
    if (!create && !isTrue('retain_graph') && node.content === null) node.freed = true;
  }
  const { everyRound } = machine;
  if (everyRound !== null && nodes.some((node) => node.freed && node.allocated > 1)) {
    const root = sourceText(act.scope.module, receiver);
    machine.releases.push({
      place: { module: act.scope.module, span: call },
      root,
      loops: machine.loops,
      every: everyRound,
    });
  }
  if (create) {
    for (const { node } of roots) machine.watch(act, call, node);
    noteHolding(machine, 'doubleBackward', act, call, {
      holder: 'gradients',
      held: sourceText(act.scope.module, receiver),
      value: roots[0],
    });
  }
}
