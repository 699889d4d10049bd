import { getOrAdd } from '../../maps.js';
import { PLAIN_ATTRIBUTES, VIEW_ATTRIBUTES } from '../operations.js';
import { FlowNode } from '../values/flowNode.js';
import {
  type FunctionObject,
  type PyObject,
  type Value,
  classAttribute,
  eitherOf,
  partOf,
  plainValue,
  valueOf,
} from '../values/objects.js';
import { viewOf } from './effects.js';
import { Part } from './follower.js';
import type { Activation } from './machine.js';
import { sourceText } from './sourceText.js';

/** Interprets attributes of the program's objects, of tensors and of unknown values. */
export class Attributes extends Part {
  of(base: Value, name: string, act: Activation): Value {
    const found = this.member(base, name, act);
    if (found !== null) return found;
    if (PLAIN_ATTRIBUTES.has(name)) return plainValue();
    if (name === 'grad') return valueOf(new FlowNode(0, true));
    if (name === 'data') return viewOf(this.machine, base, true);
    if (VIEW_ATTRIBUTES.has(name)) return viewOf(this.machine, base, false);
    if (base.items !== null) return partOf(base);
    // An unknown object: its attributes are remembered, so that stored values are found again.
    const part = partOf(base);
    const instance = base.objects.find((object) => object.kind === 'instance');
    if (instance !== undefined) {
      const attr = valueOf(new FlowNode(2));
      instance.attrs.set(name, attr);
      return attr;
    }
    const known = this.partsOf(base);
    return getOrAdd(known, name, () => part);
  }

  /** The attribute as far as it is known; null before it was read or stored. */
  known(base: Value, name: string, act: Activation): Value | null {
    return this.member(base, name, act) ?? this.partsOf(base).get(name) ?? null;
  }

  /** Stores an attribute of an unknown value, such as `ctx` of a function that autograd calls. */
  storeInUnknown(base: Value, name: string, value: Value): void {
    const known = this.partsOf(base);
    known.set(name, this.machine.branches > 0 ? eitherOf(known.get(name), value) : value);
  }

  private partsOf({ node }: Value): Map<string, Value> {
    return getOrAdd(this.machine.partsOfUnknown, node, () => new Map<string, Value>());
  }

  /** A known method or attribute, or null. */
  member(base: Value, name: string, act: Activation): Value | null {
    let found: Value | null = null;
    for (const object of base.objects) {
      const value = this.ofObject(object, base, name, act);
      if (value !== null) found = found === null ? value : eitherOf(found, value);
    }
    return found;
  }

  private ofObject(object: PyObject, base: Value, name: string, act: Activation): Value | null {
    switch (object.kind) {
      case 'library':
        return valueOf(new FlowNode(0), [{ kind: 'library', name: `${object.name}.${name}` }]);
      case 'module':
        return object.scope.names.get(name) ?? null;
      case 'instance': {
        const own = object.attrs.get(name);
        if (own !== undefined) return own;
        const inherited = object.cls === null ? undefined : classAttribute(object.cls, name);
        return inherited === undefined ? null : this.bound(inherited, base, act);
      }
      case 'class':
        return classAttribute(object, name) ?? null;
      case 'container':
      case 'function':
      case 'hook':
        return null;
    }
  }

  private bound(value: Value, self: Value, act: Activation): Value {
    const [fn] = value.objects;
    if (value.objects.length !== 1 || fn.kind !== 'function' || fn.def.kind === 'lambda') return value;
    const decorators = fn.def.decorators.map((decorator) => sourceText(fn.module, decorator));
    if (decorators.includes('staticmethod')) return value;
    const node = new FlowNode(0);
    node.holds.push(self.node);
    const method: FunctionObject = { ...fn, node, self };
    if (decorators.some((text) => text === 'property' || text.endsWith('cached_property'))) {
      return this.follower.invoke(method, [], act, null);
    }
    return valueOf(node, [method]);
  }
}
