import type { Call, Expression } from '../../python/ast.js';
import { behind } from '../values/reachability.js';
import type { Value } from '../values/things.js';
import type { Activation } from './activation.js';
import { noteKeeper } from './keeping.js';
import type { Machine } from './machine.js';
import { sourceText } from './sourceText.js';

/** A backward pass: it frees the graphs behind it, unless it is told to keep them, and may make new ones. */
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
  const nodes = roots.flatMap(({ node }) => behind(node));
  for (const node of nodes) {
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
    noteKeeper(machine, 'doubleBackward', act, call, {
      holder: 'gradients',
      kept: sourceText(act.scope.module, receiver),
      keptSpan: null,
      value: roots[0],
      container: null,
      attribute: null,
      most: null,
      mostBy: null,
      guessed: false,
    });
  }
}
