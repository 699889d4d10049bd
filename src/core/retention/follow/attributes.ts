import { FlowNode } from '../values/flowNode.js';
import { classAttribute, partOf } from '../values/parts.js';
import { eitherOf, plainValue, valueOf, type FunctionThing, type Thing, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import { Part } from './follower.js';
import { viewOf } from './operate.js';
import { sourceText } from './sourceText.js';

/** Attributes of tensors that keep nothing. */
const PLAIN_ATTRIBUTES = new Set(
  'shape dtype device ndim is_cuda requires_grad is_leaf layout __name__ __doc__ __class__ training'.split(' '),
);

const VIEW_ATTRIBUTES = new Set('T mT H mH real imag'.split(' '));

/** Follows attributes: of the program's objects, of tensors, and of what is not known. */
export class Attributes extends Part {
  of(base: Value, name: string, act: Activation): Value {
    let found: Value | undefined;
    let unknown = base.things.length === 0;
    for (const thing of base.things) {
      const value = this.ofThing(thing, base, name, act);
      if (value === null) unknown = true;
      else found = found === undefined ? value : eitherOf(found, value);
    }
    if (found !== undefined) return found;
    if (PLAIN_ATTRIBUTES.has(name)) return plainValue();
    if (name === 'grad') return valueOf(new FlowNode(0, true));
    if (name === 'data') return viewOf(this.machine, base, true);
    if (VIEW_ATTRIBUTES.has(name)) return viewOf(this.machine, base, false);
    if (!unknown || base.items !== null) return partOf(base);
    // An object of which nothing is known: its attributes are remembered, so that what is put into one is found again.
    const part = partOf(base);
    const instance = base.things.find((thing) => thing.kind === 'instance');
    if (instance !== undefined) {
      const attr = valueOf(new FlowNode(2));
      instance.attrs.set(name, attr);
      return attr;
    }
    const known = this.partsOfUnknown.get(base.node) ?? new Map<string, Value>();
    this.partsOfUnknown.set(base.node, known);
    const same = known.get(name) ?? part;
    known.set(name, same);
    return same;
  }

  private readonly partsOfUnknown = new WeakMap<FlowNode, Map<string, Value>>();

  ofThing(thing: Thing, base: Value, name: string, act: Activation): Value | null {
    switch (thing.kind) {
      case 'library':
        return valueOf(new FlowNode(0), [{ kind: 'library', name: `${thing.name}.${name}` }]);
      case 'module':
        return thing.scope.names.get(name) ?? null;
      case 'instance': {
        const own = thing.attrs.get(name);
        if (own !== undefined) return own;
        const inherited = thing.cls === null ? undefined : classAttribute(thing.cls, name);
        return inherited === undefined ? null : this.bound(inherited, base, act);
      }
      case 'class':
        return classAttribute(thing, name) ?? null;
      case 'container':
      case 'function':
      case 'hook':
        return null;
    }
  }

  private bound(value: Value, self: Value, act: Activation): Value {
    const [fn] = value.things;
    if (value.things.length !== 1 || fn.kind !== 'function' || fn.def.kind === 'lambda') return value;
    const decorators = fn.def.decorators.map((decorator) => sourceText(fn.module, decorator));
    if (decorators.includes('staticmethod')) return value;
    const node = new FlowNode(0);
    node.holds.push(self.node);
    const method: FunctionThing = { ...fn, node, self };
    if (decorators.some((text) => text === 'property' || text.endsWith('cached_property'))) {
      return this.follower.invoke(method, [], act, null);
    }
    return valueOf(node, [method]);
  }
}
