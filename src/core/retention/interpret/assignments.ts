import type { Assignment, Expression, Span } from '../../python/ast.js';
import { somePart } from '../../python/walk.js';
import { type FlowNode, larger } from '../values/flowNode.js';
import { containersOf, type Value, elementOf } from '../values/objects.js';
import { isPartOf } from '../values/reachability.js';
import { Attributes } from './attributes.js';
import { operate } from './effects.js';
import { Part } from './follower.js';
import { putIn } from './retain.js';
import type { Activation } from './machine.js';
import { sourceText } from './sourceText.js';

/** Interprets assignments: the new value of a variable, and whether it depends on the old one. */
export class Assignments extends Part {
  private readonly attributes = new Attributes(this.follower);

  assignment(statement: Assignment, act: Activation): void {
    const { value: source } = statement;
    for (const target of statement.targets) {
      if (this.isGrown(target, source, act, statement)) return;
    }
    const value = this.follower.evaluate(source, act);
    for (const target of statement.targets) {
      const added = /^(?:binary|call|conditional)$/.test(source.kind) ? source : null;
      const previous = this.present(target, act);
      this.follower.assign(target, value, act, statement);
      // `model = model.train()` gives the variable no new value.
      if (!isSame(previous, value))
        this.noteAssigned(target, value, previous?.node ?? null, null, added, act, statement);
    }
  }

  /** `held = older + [x]` and `held = [*held, x]` put x into held. */
  private isGrown(target: Expression, source: Expression, act: Activation, statement: Span): boolean {
    if (target.kind !== 'name' && target.kind !== 'attribute') return false;
    const { module } = act.scope;
    const text = sourceText(module, target);
    let added: readonly Expression[];
    if (source.kind === 'binary' && source.operator === '+' && sourceText(module, source.left) === text) {
      if (source.right.kind !== 'display') return false;
      added = source.right.items;
    } else if (source.kind === 'display' && source.items.length > 1) {
      const [first, ...rest] = source.items;
      if (first.kind !== 'star' || first.value === null || sourceText(module, first.value) !== text) return false;
      added = rest;
    } else return false;
    const holder = this.follower.evaluate(target, act);
    const containers = containersOf(holder);
    for (const item of added) {
      const value = this.follower.evaluate(item, act);
      putIn(this.machine, containers, act, { value, receiver: target, span: item, statement });
    }
    return true;
  }

  update(target: Expression, operator: string, source: Expression, act: Activation, statement: Span): void {
    const old = this.follower.evaluate(target, act);
    const value = this.follower.evaluate(source, act);
    const containers = containersOf(old);
    if (operator === '+=' && containers.length > 0) {
      const items = source.kind === 'display' ? source.items : [source];
      for (const item of items) {
        const held = source.kind === 'display' ? this.follower.evaluate(item, act) : elementOf(value);
        putIn(this.machine, containers, act, { value: held, receiver: target, span: item, statement });
      }
      return;
    }
    const grad = larger(old.node.grad, value.node.grad);
    const sum = operate(this.machine, [old, value], act, statement, grad, value.node.isTensor && old.node.isTensor);
    this.follower.assign(target, sum, act, statement);
    this.noteAssigned(target, sum, old.node, value, source, act, statement);
  }

  private noteAssigned(
    target: Expression,
    value: Value,
    previous: FlowNode | null,
    added: Value | null,
    source: Expression | null,
    act: Activation,
    statement: Span,
  ): void {
    const { machine } = this;
    if (machine.loops.length === 0) return;
    if (target.kind === 'display') {
      target.items.forEach((item, i) => {
        const part = value.items?.[i];
        this.noteAssigned(
          item,
          part ?? { ...value, node: this.present(item, act)?.node ?? value.node },
          null,
          null,
          source,
          act,
          statement,
        );
      });
      return;
    }
    machine.assigned.push({
      place: { module: act.scope.module, span: statement },
      target: sourceText(act.scope.module, target),
      scope: target.kind === 'name' ? act.scope.scopeOf(target.name) : null,
      node: value.node,
      previous,
      readsItself: added !== null || (source !== null && this.mentions(source, target, act)),
      concatenates: this.concatenates(value.node, previous, source),
      added,
      addedSpan: source,
      addedText: source === null ? '' : sourceText(act.scope.module, source),
      loops: machine.loops,
    });
  }

  /** The current value of a name or an attribute. */
  private present(target: Expression, act: Activation): Value | null {
    if (target.kind === 'name') return act.scope.lookup(target.name) ?? null;
    if (target.kind !== 'attribute') return null;
    return this.attributes.known(this.follower.evaluate(target.value, act), target.name, act);
  }

  private mentions(source: Expression, target: Expression, act: Activation): boolean {
    const name = sourceText(act.scope.module, target);
    return somePart(source, (part) => part.kind === target.kind && sourceText(act.scope.module, part) === name);
  }

  /** `buffer = torch.cat([buffer, x])`, or `longer = …`, and then `buffer = longer`. */
  private concatenates(node: FlowNode, previous: FlowNode | null, source: Expression | null): boolean {
    const { machine } = this;
    const alternatives = source?.kind === 'conditional' ? node.same : [node];
    return alternatives.some((one) => {
      const parts = machine.joined.get(one);
      return parts !== undefined && previous !== null && isPartOf(previous, parts, machine);
    });
  }
}

/** True if both are one object. */
function isSame(before: Value | null, after: Value): boolean {
  return before !== null && after.objects.length > 0 && after.objects.every((one) => before.objects.includes(one));
}
