import type { Assignment, Expression, Span } from '../../python/ast.js';
import type { Holding } from '../records.js';
import { type ItemLimit, itemLimit } from '../values/flowNode.js';
import {
  containersOf,
  type Container,
  type Place,
  type ReleaseKind,
  type Value,
  adopt,
  eitherOf,
  elementOf,
  addTo,
  holdsNothing,
  knownOfParts,
  releaseItems,
  plainValue,
} from '../values/objects.js';
import { Attributes } from './attributes.js';
import { callSpecial } from './calls.js';
import { Part } from './follower.js';
import { holdingAt, putIn } from './retain.js';
import type { Activation } from './machine.js';
import { attributeName, homeOf, isMade, keyOf, sourceText } from './sourceText.js';

/** Assigns values to names, attributes and items, and releases the former ones. */
export class Targets extends Part {
  private readonly attributes = new Attributes(this.follower);

  assign(target: Expression, value: Value, act: Activation, statement: Span): void {
    const { machine } = this;
    switch (target.kind) {
      case 'name': {
        const { names } = act.scope.scopeOf(target.name);
        this.replaced(names.get(target.name), value, { module: act.scope.module, span: statement });
        names.set(target.name, value);
        return;
      }
      case 'attribute': {
        const base = this.follower.evaluate(target.value, act);
        if (target.name === 'grad') return;
        if (act.context !== null && target.value.kind === 'name' && target.value.name === act.context.name) {
          this.storeOnContext(act.context.stored, target, value, act, statement);
        }
        for (const object of base.objects) {
          if (object.kind !== 'instance' && object.kind !== 'class') continue;
          const old = object.attrs.get(target.name);
          this.replaced(old, value, { module: act.scope.module, span: statement });
          object.attrs.set(target.name, machine.branches > 0 && old !== undefined ? eitherOf(old, value) : value);
          for (const to of value.objects) {
            // A list that a variable names as well is used by either name.
            if (to.kind === 'container' && isMade(sourceOf(statement))) to.home ??= homeOf(act.scope.module, target);
            machine.references.push({
              from: object,
              to,
              place: { module: act.scope.module, span: statement },
              text: sourceText(act.scope.module, target),
            });
          }
        }
        if (base.objects.length === 0) this.attributes.storeInUnknown(base, target.name, value);
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
    const keys = target.index.map((index) => this.follower.evaluate(index, act));
    const containers = containersOf(base);
    const place = { module: act.scope.module, span: statement };
    if (target.slice !== null) {
      for (const container of containers) this.empty(container, 'cut', maxIn(value), place);
      return;
    }
    if (callSpecial(this.follower, base, '__setitem__', [keys[0], value], statement, act) !== null) return;
    const [index] = target.index as (Expression | undefined)[];
    if (index?.kind === 'literal') {
      for (const container of containers) container.attrs.set(keyOf(index), value);
      return;
    }
    if (containers.length === 0 && (base.node.isTensor || base.objects.length > 0)) return;
    const span = sourceOf(statement);
    if (containers.length > 0 && isMade(span) && holdsNothing(value, this.machine)) {
      // A list for each key, to be filled by others.
      adopt(value, containers[0].madeIn, homeOf(act.scope.module, target.value));
      for (const container of containers) addTo(container, value);
      return;
    }
    const parts = keys.length === 1 ? keys[0].items : keys;
    const key = parts === null ? keys[0] : plainValue(knownOfParts(parts, this.machine.loops));
    const guessed = containers.length === 0;
    putIn(this.machine, containers, act, { value, receiver: target.value, span, statement, key, guessed });
  }

  private storeOnContext(stored: Holding[], target: Expression, value: Value, act: Activation, statement: Span): void {
    const holder = sourceText(act.scope.module, target);
    const held = attributeName(target) ?? '';
    const facts = { holder, held, heldSpan: sourceOf(statement), value };
    stored.push(holdingAt(this.machine, 'context', act, statement, facts));
  }

  /** A container that a name or an attribute no longer names releases its items. */
  private replaced(old: Value | undefined, value: Value, place: Place): void {
    if (old === undefined) return;
    const max = maxIn(value);
    for (const object of old.objects) {
      if (object.kind === 'container' && !value.objects.includes(object))
        this.empty(object, max === null ? 'replace' : 'cut', max, place);
    }
  }

  private empty(container: Container, kind: ReleaseKind, max: ItemLimit | null, place: Place): void {
    releaseItems(container, this.machine.clearing(kind, place, true, max));
  }

  drop(target: Expression, act: Activation): void {
    const place = { module: act.scope.module, span: target };
    if (target.kind === 'name') {
      const { names } = act.scope.scopeOf(target.name);
      this.replaced(names.get(target.name), plainValue(), place);
      names.delete(target.name);
    } else if (target.kind === 'subscript') {
      const { objects } = this.follower.evaluate(target.value, act);
      const containers = objects.filter((object) => object.kind === 'container');
      const { slice } = target;
      const end = slice?.start === null ? slice.end : null;
      if (end?.kind === 'unary' && end.operator === '-') {
        // `del rows[:-9]`
        const limit = itemLimit(this.follower.evaluate(end.operand, act), sourceText(act.scope.module, end.operand));
        for (const container of containers) this.empty(container, 'cut', limit, place);
      } else {
        const holder = sourceText(act.scope.module, target.value);
        this.machine.takeOut(containers, holder, slice === null ? 'delete' : 'cut', place);
      }
    } else if (target.kind === 'attribute') {
      for (const object of this.follower.evaluate(target.value, act).objects) {
        if (object.kind === 'instance') {
          this.replaced(object.attrs.get(target.name), plainValue(), place);
          object.attrs.delete(target.name);
        }
      }
    }
  }
}

/** The right side of an assignment. */
function sourceOf(statement: Span): Span | null {
  return 'value' in statement ? (statement as Assignment).value : null;
}

/** Maximum number of items of a container that replaces another; null without a limit. */
function maxIn({ objects }: Value): ItemLimit | null {
  return objects.find((object) => object.kind === 'container')?.max ?? null;
}
