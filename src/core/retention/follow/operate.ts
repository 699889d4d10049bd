import type { Call, Span } from '../../python/ast.js';
import { FlowNode, larger, smaller, type Sureness } from '../values/flowNode.js';
import { gradInside } from '../values/parts.js';
import { valueOf, type Given, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import type { Machine } from './machine.js';

/** What an operation gives: new memory, and a graph that keeps the operands where one of them has a graph. */
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

/** The same memory, with or without its graph. */
export function viewOf(machine: Machine, base: Value, detached: boolean): Value {
  const node = machine.note(
    new FlowNode(detached || machine.withoutGraph > 0 ? 0 : base.node.grad, base.node.isTensor),
  );
  node.made = base.node.made;
  (detached ? node.storage : node.holds).push(base.node);
  return valueOf(node, detached ? [] : base.things, detached ? null : base.items);
}

/** A call of which nothing is known: its result may be what it was given, and may have a graph. */
export function unknownCall(
  machine: Machine,
  callee: Value,
  given: readonly Given[],
  call: Call,
  act: Activation,
  runs: boolean,
): Value {
  const values = given.map(({ value }) => value);
  for (const { node } of values) machine.given.add(node);
  const most = values.reduce<Sureness>(
    (all, { node, things }) => larger(all, larger(node.grad, gradInside(things))),
    callee.node.grad,
  );
  const grad: Sureness = runs ? 2 : smaller(most, 2);
  const result = operate(machine, [callee, ...values], act, call, grad, false);
  // What does not run a module may give what was there before.
  if (!runs) result.node.made = null;
  const perhaps = new FlowNode(0);
  for (const { node } of values) perhaps.holds.push(node);
  perhaps.limit = 1;
  result.node.holds.push(perhaps);
  return result;
}
