import type { Assignment, Expression, Span } from '../python/ast.js';
import { forEachExpression } from '../python/walk.js';
import { Evaluator } from './evaluator.js';
import { larger, type FlowNode } from './flow.js';
import type { Keeper } from './keeper.js';
import { sourceText, type Activation } from './machine.js';
import { attributeName, keyOf } from './valueMaker.js';
import { eitherOf, plainValue, type Value } from './things.js';

/** Follows assignments: what names, attributes and items are from now on, and what they let go of. */
export abstract class Assigner extends Evaluator {
  protected assignment(statement: Assignment, act: Activation): void {
    const { value: source } = statement;
    for (const target of statement.targets) {
      if (this.isGrown(target, source, act, statement)) return;
    }
    const value = this.evaluate(source, act);
    for (const target of statement.targets) {
      const added = source.kind === 'binary' || source.kind === 'call' ? source : null;
      const previous = this.present(target, act);
      this.assign(target, value, act, statement);
      this.noteAssigned(target, value, previous, null, added, act, statement);
    }
  }

  /** `kept = kept + [x]` and `kept = [*kept, x]` put x into kept. */
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
    const holder = this.evaluate(target, act);
    const containers = holder.things.filter((thing) => thing.kind === 'container');
    for (const item of added) this.put(containers, this.evaluate(item, act), target, item, statement, act, false);
    return true;
  }

  protected update(target: Expression, operator: string, source: Expression, act: Activation, statement: Span): void {
    const old = this.evaluate(target, act);
    const value = this.evaluate(source, act);
    const containers = old.things.filter((thing) => thing.kind === 'container');
    if (operator === '+=' && containers.length > 0) {
      const items = source.kind === 'display' ? source.items : [source];
      for (const item of items) {
        const kept = source.kind === 'display' ? this.evaluate(item, act) : this.elementOf(value);
        this.put(containers, kept, target, item, statement, act, false);
      }
      return;
    }
    const grad = larger(old.node.grad, value.node.grad);
    const sum = this.operation([old, value], act, statement, grad, value.node.isTensor && old.node.isTensor);
    this.assign(target, sum, act, statement);
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
          part ?? { ...value, node: this.present(item, act) ?? value.node },
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
      node: value.node,
      previous,
      readsItself: added !== null || (source !== null && this.mentions(source, target, act)),
      concatenates: this.concatenates(target, source, act),
      added,
      addedSpan: source,
      addedText: source === null ? '' : sourceText(act.scope.module, source),
      loops: machine.loops,
      every: machine.everyRound,
    });
  }

  /** What a name or an attribute is now. */
  private present(target: Expression, act: Activation): FlowNode | null {
    if (target.kind === 'name') return act.scope.lookup(target.name)?.node ?? null;
    return target.kind === 'attribute' ? this.evaluate(target, act).node : null;
  }

  private mentions(source: Expression, target: Expression, act: Activation): boolean {
    const name = sourceText(act.scope.module, target);
    let found = false;
    forEachExpression(source, (part) => {
      if (part.kind === target.kind && sourceText(act.scope.module, part) === name) found = true;
    });
    return found;
  }

  /** `buffer = torch.cat([buffer, x])`. */
  private concatenates(target: Expression, source: Expression | null, act: Activation): boolean {
    if (source?.kind !== 'call' || source.args.length === 0) return false;
    const called = sourceText(act.scope.module, source.callee);
    if (!/(?:^|\.)(?:cat|concat|concatenate|vstack|hstack|dstack|row_stack|column_stack)$/.test(called)) return false;
    const [{ value: list }] = source.args;
    const name = sourceText(act.scope.module, target);
    return list.kind === 'display' && list.items.some((item) => sourceText(act.scope.module, item) === name);
  }

  protected assign(target: Expression, value: Value, act: Activation, statement: Span): void {
    const { machine } = this;
    switch (target.kind) {
      case 'name': {
        const { names } = act.scope.scopeOf(target.name);
        this.replaced(names.get(target.name), value);
        names.set(target.name, value);
        return;
      }
      case 'attribute': {
        const base = this.evaluate(target.value, act);
        if (target.name === 'grad') return;
        if (act.context !== null && target.value.kind === 'name' && target.value.name === act.context.name) {
          this.storeOnContext(act.context.stored, target, value, act, statement);
        }
        for (const thing of base.things) {
          if (thing.kind !== 'instance' && thing.kind !== 'class') continue;
          const old = thing.attrs.get(target.name);
          this.replaced(old, value);
          thing.attrs.set(target.name, machine.branches > 0 && old !== undefined ? eitherOf(old, value) : value);
          for (const to of value.things) {
            machine.references.push({
              from: thing,
              to,
              place: { module: act.scope.module, span: statement },
              text: sourceText(act.scope.module, target),
            });
          }
        }
        if (base.things.length === 0) this.attribute(base, target.name, act);
        return;
      }
      case 'subscript':
        this.assignItem(target, value, act, statement);
        return;
      case 'display':
        target.items.forEach((item, i) => {
          const inner = item.kind === 'star' && item.value !== null ? item.value : item;
          this.assign(inner, value.items?.[i] ?? this.elementOf(value), act, statement);
        });
        return;
      case 'star':
        if (target.value !== null) this.assign(target.value, value, act, statement);
        return;
      default:
        return;
    }
  }

  private assignItem(target: Expression & { kind: 'subscript' }, value: Value, act: Activation, statement: Span): void {
    const base = this.evaluate(target.value, act);
    for (const index of target.index) this.evaluate(index, act);
    const containers = base.things.filter((thing) => thing.kind === 'container');
    if (target.slice) {
      for (const container of containers) container.cleared.push({ loops: this.machine.loops, isThorough: true });
      return;
    }
    const [index] = target.index as (Expression | undefined)[];
    if (index?.kind === 'literal') {
      for (const container of containers) container.attrs.set(keyOf(index), value);
      return;
    }
    const isRing = index?.kind === 'binary' && index.operator === '%';
    if (isRing || (containers.length === 0 && (base.node.isTensor || base.things.length > 0))) return;
    this.put(containers, value, target.value, this.sourceOf(statement), statement, act, containers.length === 0);
  }

  /** The right side of an assignment. */
  private sourceOf(statement: Span): Span | null {
    return 'value' in statement ? (statement as Assignment).value : null;
  }

  private storeOnContext(stored: Keeper[], target: Expression, value: Value, act: Activation, statement: Span): void {
    stored.push({
      kind: 'context',
      place: { module: act.scope.module, span: statement },
      holder: sourceText(act.scope.module, target),
      kept: attributeName(target) ?? '',
      keptSpan: this.sourceOf(statement),
      value,
      container: null,
      attribute: null,
      loops: this.machine.loops,
      every: null,
      most: null,
      guessed: false,
    });
  }

  /** A container that a name or an attribute no longer names lets go of its items. */
  private replaced(old: Value | undefined, value: Value): void {
    if (old === undefined) return;
    for (const thing of old.things) {
      if (thing.kind === 'container' && !value.things.includes(thing))
        thing.cleared.push({ loops: this.machine.loops, isThorough: true });
    }
  }

  protected drop(target: Expression, act: Activation): void {
    if (target.kind === 'name') {
      const { names } = act.scope.scopeOf(target.name);
      this.replaced(names.get(target.name), plainValue());
      names.delete(target.name);
    } else if (target.kind === 'subscript') {
      const { loops, measured } = this.machine;
      const holder = sourceText(act.scope.module, target.value);
      const isThorough = target.slice || measured.some(({ container }) => container === holder);
      for (const thing of this.evaluate(target.value, act).things) {
        if (thing.kind === 'container') thing.cleared.push({ loops, isThorough });
      }
    } else if (target.kind === 'attribute') {
      for (const thing of this.evaluate(target.value, act).things) {
        if (thing.kind === 'instance') {
          this.replaced(thing.attrs.get(target.name), plainValue());
          thing.attrs.delete(target.name);
        }
      }
    }
  }
}
