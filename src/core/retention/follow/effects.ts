import type { Call } from '../../python/ast.js';
import { FlowNode, larger, type Sureness } from '../values/flowNode.js';
import { elementOf, gradInside, isModule, keepIn } from '../values/parts.js';
import { newContainer, newInstance, pairOf, plainValue, valueOf, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import { Part } from './follower.js';
import type { CallEffect } from './knownCalls.js';
import { operate, viewOf } from './operate.js';

/** Methods that give what an object has: the same each time. */
const LISTS_PARTS = /^(?:named_)?(?:parameters|modules|children|buffers)$|^(?:items|values|keys|state_dict)$/;

/** Follows what calls of PyTorch's and Python's own do with what they are given. */
export class Effects extends Part {
  of(effect: CallEffect, values: readonly Value[], call: Call, act: Activation, name: string): Value {
    const { machine } = this;
    const [base] = values as (Value | undefined)[];
    const grad = values.reduce<Sureness>(
      (most, { node, things }) => larger(most, larger(node.grad, gradInside(things))),
      0,
    );
    switch (effect) {
      case 'plain':
        return call.callee.kind === 'attribute' && LISTS_PARTS.test(call.callee.name) && base !== undefined
          ? { ...plainValue(), source: base.source ?? base.node }
          : plainValue();
      case 'make':
      case 'cut': {
        const asks = call.args.some(
          ({ name: key, value }) => key === 'requires_grad' && value.kind === 'literal' && value.text === 'True',
        );
        const node = machine.note(new FlowNode(asks ? 3 : 0, true));
        machine.watch(act, call, node);
        return valueOf(node);
      }
      case 'copy': {
        const node = machine.note(new FlowNode(0));
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
        const value = base === undefined ? plainValue() : viewOf(this.machine, base, true);
        if (call.callee.kind === 'attribute' && call.callee.name === 'detach_') {
          this.follower.assign(call.callee.value, value, act, call);
        }
        return value;
      }
      case 'graphOnly':
        return operate(
          this.machine,
          base === undefined ? [] : [base],
          act,
          { from: -1, to: -1 },
          base?.node.grad ?? 0,
          true,
        );
      case 'operation':
        return operate(
          this.machine,
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
        const { value, instance } = newInstance(null, name, machine.born);
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
      return operate(this.machine, [base], act, { from: -1, to: -1 }, base.node.grad, true);
    }
    if (/^(?:items|values|get|__getitem__)$/.test(method) && base.things.some((thing) => thing.kind === 'container')) {
      const element = elementOf(base);
      if (method === 'get') return element;
      const { value, container } = newContainer('list', this.machine.born);
      keepIn(container, element);
      const source = base.source ?? base.node;
      return method === 'items' ? { ...value, items: [pairOf(plainValue(), element)], source } : { ...value, source };
    }
    if (/^(?:named_)?parameters$/.test(method)) return this.parameters(base, method);
    const value = viewOf(this.machine, base, false);
    if (LISTS_PARTS.test(method)) return { ...value, source: base.source ?? base.node };
    // `.to(device)` may copy: what the line allocates may be this.
    if (/^(?:to|cuda|float|double|half|bfloat16|type|contiguous)$/.test(method))
      this.machine.watch(act, call, value.node);
    return value;
  }

  /** A module's parameters, which ask for gradients. */
  private parameters(base: Value, method: string): Value {
    const node = new FlowNode(2, true);
    node.storage.push(base.node);
    node.limit = 2;
    const parameter = valueOf(node);
    const { value, container } = newContainer('list', this.machine.born);
    keepIn(container, parameter);
    // Whoever is given them, an optimizer, keeps the module's memory.
    container.node.holds.push(base.node);
    const items = method === 'named_parameters' ? [pairOf(plainValue(), parameter)] : null;
    return { ...value, items, source: base.source ?? base.node };
  }

  private newWeight(node: FlowNode): void {
    const { machine } = this;
    for (const block of machine.autocasts) machine.autocastWeights.push({ block, loops: machine.loops, node });
  }
}
