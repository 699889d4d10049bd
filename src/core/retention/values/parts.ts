import { FlowNode, larger, type Sureness } from './flowNode.js';
import type { Known } from './known.js';
import type { LoopRound } from './loopRound.js';
import { dataKept, graphKept } from './reachability.js';
import { eitherOf, valueOf, type ClassThing, type Clearing, type Container, type Thing, type Value } from './things.js';

export function keepIn(container: Container, item: Value): void {
  container.node.holds.push(item.node);
  for (const thing of item.things) {
    if (container.elements.length < 12 && !container.elements.includes(thing)) container.elements.push(thing);
  }
}

/** Notes that a container lets go of its items, and of what is in those that are containers. */
export function letGo(container: Container, clearing: Clearing, depth = 0): void {
  container.cleared.push(clearing);
  if (!clearing.isThorough || clearing.most !== null || depth > 2) return;
  const inside = [...container.elements, ...[...container.attrs.values()].flatMap(({ things }) => things)];
  for (const thing of inside) if (thing.kind === 'container') letGo(thing, clearing, depth + 1);
}

/** What a loop over it, or an index into it, gives. */
export function elementOf(value: Value): Value {
  if (value.items !== null && value.items.length > 0) {
    return value.items.reduce((all, item) => eitherOf(all, item));
  }
  const containers = value.things.filter((thing) => thing.kind === 'container');
  if (containers.length === 0) return partOf(value);
  const node = new FlowNode(gradInside(containers) > 0 ? 2 : 0);
  const things: Thing[] = [];
  for (const container of containers) {
    node.same.push(...container.node.holds.slice(-8));
    things.push(...container.elements);
    for (const item of container.attrs.values()) {
      node.same.push(item.node);
      things.push(...item.things);
    }
  }
  return { ...valueOf(node, [...new Set(things)].slice(0, 6)), known: drawn(value) };
}

/** What a loop draws from something: each time that the loop begins, the same again. */
export function drawnFrom(items: Value, loop: string): Value {
  const mark = (value: Value): Value => ({
    ...value,
    items: value.items?.map(mark) ?? null,
    known: value.known?.kind === 'drawn' ? value.known : { kind: 'drawn', from: value.source ?? from, loop },
  });
  const from = items.source ?? items.node;
  return mark(elementOf(items));
}

/** True if a list, a dictionary or an object keeps nothing that the watched line allocated, yet. */
export function keepsNothing(value: Value): boolean {
  const isFillable = value.things.some((thing) => thing.kind === 'container' || thing.kind === 'instance');
  return isFillable && dataKept(value.node) === 0 && graphKept(value.node) === 0;
}

/** What is put somewhere where it is made lives as long as what it is put in. */
export function adopt(value: Value, born: readonly LoopRound[]): void {
  for (const thing of value.things) {
    if (thing.kind !== 'container' && thing.kind !== 'instance') continue;
    thing.born = born;
    for (const attr of thing.attrs.values()) {
      for (const inner of attr.things) if (inner.kind === 'container') inner.born = born;
    }
  }
}

/** A part of a value of which nothing is known: likely the same memory, and behind it the same graph. */
export function partOf(value: Value): Value {
  const node = new FlowNode(value.node.grad);
  node.parents.push(value.node);
  node.storage.push(value.node);
  node.limit = 2;
  node.made = value.node.made;
  return { ...valueOf(node), known: drawn(value) };
}

/** A part of what a loop draws is drawn with it. */
function drawn({ known }: Value): Known | null {
  return known?.kind === 'drawn' ? known : null;
}

/** What is in a container that is emptied into another. */
export function spread(value: Value): Value {
  return value.things.some((thing) => thing.kind === 'container') ? elementOf(value) : partOf(value);
}

export function gradInside(things: readonly Thing[]): Sureness {
  let most: Sureness = 0;
  for (const thing of things) {
    if (thing.kind !== 'container') continue;
    for (const { grad } of thing.node.holds.slice(-8)) most = larger(most, grad);
    for (const { node } of thing.attrs.values()) most = larger(most, node.grad);
  }
  return most;
}

export function classAttribute(cls: ClassThing, name: string, depth = 0): Value | undefined {
  const own = cls.attrs.get(name);
  if (own !== undefined || depth > 8) return own;
  for (const base of cls.bases) {
    const found = base.kind === 'class' ? classAttribute(base, name, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A module of PyTorch's own. */
export function isModule(library: string): boolean {
  return library.startsWith('torch.nn.');
}
