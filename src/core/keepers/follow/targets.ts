import type { Assignment, Expression, Span } from '../../python/ast.js';
import type { Keeper } from '../keeper.js';
import { elementOf } from '../values/parts.js';
import { eitherOf, plainValue, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import type { Attributes } from './attributes.js';
import { Part, type Follower } from './follower.js';
import { putIn } from './keeping.js';
import { attributeName, keyOf, sourceText } from './sourceText.js';

/** Gives values to names, attributes and items, and lets go of what they were. */
export class Targets extends Part {
  constructor(
    follower: Follower,
    private readonly attributes: Attributes,
  ) {
    super(follower);
  }

  assign(target: Expression, value: Value, act: Activation, statement: Span): void {
    const { machine } = this;
    switch (target.kind) {
      case 'name': {
        const { names } = act.scope.scopeOf(target.name);
        this.replaced(names.get(target.name), value);
        names.set(target.name, value);
        return;
      }
      case 'attribute': {
        const base = this.follower.evaluate(target.value, act);
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
        if (base.things.length === 0) this.attributes.of(base, target.name, act);
        return;
      }
      case 'subscript':
        this.assignItem(target, value, act, statement);
        return;
      case 'display':
        target.items.forEach((item, i) => {
          const inner = item.kind === 'star' && item.value !== null ? item.value : item;
          this.assign(inner, value.items?.[i] ?? elementOf(value), act, statement);
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
    const base = this.follower.evaluate(target.value, act);
    for (const index of target.index) this.follower.evaluate(index, act);
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
    putIn(this.machine, containers, value, target.value, sourceOf(statement), statement, act, containers.length === 0);
  }

  private storeOnContext(stored: Keeper[], target: Expression, value: Value, act: Activation, statement: Span): void {
    stored.push({
      kind: 'context',
      place: { module: act.scope.module, span: statement },
      holder: sourceText(act.scope.module, target),
      kept: attributeName(target) ?? '',
      keptSpan: sourceOf(statement),
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

  drop(target: Expression, act: Activation): void {
    if (target.kind === 'name') {
      const { names } = act.scope.scopeOf(target.name);
      this.replaced(names.get(target.name), plainValue());
      names.delete(target.name);
    } else if (target.kind === 'subscript') {
      const { loops, measured } = this.machine;
      const holder = sourceText(act.scope.module, target.value);
      const isThorough = target.slice || measured.some(({ container }) => container === holder);
      for (const thing of this.follower.evaluate(target.value, act).things) {
        if (thing.kind === 'container') thing.cleared.push({ loops, isThorough });
      }
    } else if (target.kind === 'attribute') {
      for (const thing of this.follower.evaluate(target.value, act).things) {
        if (thing.kind === 'instance') {
          this.replaced(thing.attrs.get(target.name), plainValue());
          thing.attrs.delete(target.name);
        }
      }
    }
  }
}

/** The right side of an assignment. */
function sourceOf(statement: Span): Span | null {
  return 'value' in statement ? (statement as Assignment).value : null;
}
