import type { Call } from '../../python/ast.js';
import { FlowNode } from '../values/flowNode.js';
import { oneMore, roomOf, type Room } from '../values/known.js';
import { elementOf, keepIn, spread } from '../values/parts.js';
import { newContainer, newInstance, pairOf, plainValue, valueOf, type Given, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import { followBackward } from './backward.js';
import type { Effects } from './effects.js';
import { Part, type Follower } from './follower.js';
import { putIn } from './keeping.js';
import { COMPILES, FIELD, functionEffect, RUNS_FUNCTION } from './knownCalls.js';
import { unknownCall, viewOf } from './operate.js';
import { sourceText } from './sourceText.js';

/** Follows calls of Python's and PyTorch's functions, by their dotted names. */
export class LibraryCalls extends Part {
  constructor(
    follower: Follower,
    private readonly effects: Effects,
  ) {
    super(follower);
  }

  call(name: string, given: readonly Given[], call: Call, act: Activation): Value {
    const values = given.map(({ value }) => value);
    const [first] = values as (Value | undefined)[];
    if (name === 'torch.autograd.backward' && first !== undefined) {
      followBackward(this.machine, [first], call, act, call.args[0].value);
      return plainValue();
    }
    if (name === 'leakline_recorder.mark_step') {
      this.machine.step('marked');
      return plainValue();
    }
    if (name === 'gc.collect' || name === 'gc.disable') return plainValue();
    if (RUNS_FUNCTION.test(name) && first !== undefined) {
      const inner = given.slice(1).filter(({ name: key }) => key === null);
      return this.follower.callValue(first, inner, call, act, call.args[0].value);
    }
    if (name === FIELD) {
      const { value, instance } = newInstance(null, FIELD, []);
      for (const one of given) if (one.name !== null) instance.attrs.set(one.name, one.value);
      return value;
    }
    if (COMPILES.test(name) && first !== undefined) return first;
    const container = this.boundedContainer(name, given, act);
    if (container !== null) return container;
    if (name === 'functools.partial' && first !== undefined) {
      const made = this.partial(first, given.slice(1));
      if (made !== null) return made;
    }
    if (name.startsWith('heapq.heap') && first !== undefined) return this.heap(name, given, call, act);
    if (/^(?:list|dict|set|collections\.(?:defaultdict|OrderedDict|Counter)|defaultdict)$/.test(name)) {
      const { value, container } = newContainer(name === 'list' ? 'list' : 'dict', this.machine.born);
      const [factory] = given as (Given | undefined)[];
      const isDefault = name.endsWith('defaultdict');
      if (isDefault && factory !== undefined) keepIn(container, this.defaultOf(factory.value, call, act));
      for (const one of isDefault ? [] : given) {
        if (one.name !== null) container.attrs.set(`'${one.name}'`, one.value);
        else keepIn(container, spread(one.value));
      }
      return value;
    }
    if (name === 'enumerate' && first !== undefined) {
      const element = elementOf(first);
      // Its numbers are the same whatever it counts.
      const items = [pairOf({ ...plainValue(), source: call }, element)];
      return { ...viewOf(this.machine, first, false), items, source: sourceOf(first) };
    }
    if (name === 'zip' && values.length === 2) {
      return { ...plainValue(), items: [pairOf(itemOf(values[0]), itemOf(values[1]))] };
    }
    if (name === 'range' && values.length === 1) return { ...plainValue(), source: call };
    const below = BELOW[name] as number | undefined;
    if (below !== undefined && below < call.args.length) {
      const { value: bound } = call.args[below];
      return plainValue({ kind: 'below', room: roomOf(values[below], sourceText(act.scope.module, bound)) });
    }
    if (name === 'min' && values.length === 2) {
      const at = values.findIndex(({ known }) => known?.kind === 'constant' && known.value !== null);
      // A place that is no further than a number: one more than that of places.
      const room = at < 0 ? null : oneMore(roomOf(values[at], sourceText(act.scope.module, call.args[at].value)));
      const value = this.effects.of('view', values, call, act, name);
      return room === null ? value : { ...value, known: { kind: 'below', room } };
    }
    if (SAME_ELEMENTS.test(name) && first !== undefined) {
      return { ...this.effects.of('view', values, call, act, name), source: sourceOf(first) };
    }
    const effect = functionEffect(name);
    if (effect !== null) return this.effects.of(effect, values, call, act, name);
    return unknownCall(this.machine, plainValue(), given, call, act, false);
  }

  /** Containers that hold no more than they are told, and those that let go by themselves; null for others. */
  private boundedContainer(name: string, given: readonly Given[], act: Activation): Value | null {
    const { born } = this.machine;
    const last = name.slice(name.lastIndexOf('.') + 1);
    const argument = (key: string, at: number): Given | undefined =>
      given.find((one, i) => one.name === key || (one.name === null && i === at));
    if (/^(?:collections\.)?deque$/.test(name)) {
      const most = roomGiven(argument('maxlen', 1), act);
      const { value, container } = newContainer('list', born, most !== null);
      container.most = most;
      for (const { name: key, value: items } of given.slice(0, 1)) if (key === null) keepIn(container, spread(items));
      return value;
    }
    if (/^(?:Queue|SimpleQueue|LifoQueue|PriorityQueue|JoinableQueue)$/.test(last) && name.includes('.')) {
      const most = last === 'SimpleQueue' ? null : roomGiven(argument('maxsize', 0), act);
      const { value, container } = newContainer('queue', born, most !== null);
      container.most = most;
      return value;
    }
    if (/^Weak(?:Set|ValueDictionary|KeyDictionary)$/.test(last)) return newContainer('dict', born, true).value;
    return null;
  }

  /** A function some of whose arguments are given in advance. */
  private partial(fn: Value, given: readonly Given[]): Value | null {
    const things = fn.things.filter((thing) => thing.kind === 'function');
    if (things.length === 0) return null;
    const node = new FlowNode(0);
    node.holds.push(fn.node, ...given.map(({ value }) => value.node));
    return valueOf(
      node,
      things.map((thing) => ({ ...thing, node, partial: [...thing.partial, ...given] })),
    );
  }

  /** Pushing puts one more on a heap; what pushes and pops does not. */
  private heap(name: string, given: readonly Given[], call: Call, act: Activation): Value {
    const [heap, item] = given as [Given, Given | undefined];
    const containers = heap.value.things.filter((thing) => thing.kind === 'container');
    const receiver = call.args[0].value;
    if (item === undefined || !name.includes('push')) {
      const { module } = act.scope;
      this.machine.takeOut(containers, sourceText(module, receiver), 'take', { module, span: call });
      return elementOf(heap.value);
    }
    if (name === 'heapq.heappush') {
      const guessed = containers.length === 0;
      putIn(this.machine, containers, act, { value: item.value, receiver, span: item.span, statement: call, guessed });
      return plainValue();
    }
    for (const container of containers) keepIn(container, item.value);
    return elementOf(heap.value);
  }

  /** What a `defaultdict` makes for a key that it has not. */
  private defaultOf(factory: Value, call: Call, act: Activation): Value {
    const made = this.follower.callValue(factory, [], call, act, call.callee);
    return made.things.length > 0 ? made : newContainer('list', this.machine.born).value;
  }
}

/** Functions that give a whole number from zero up to, but not, one of their arguments: which. */
const BELOW: Readonly<Record<string, number>> = {
  'random.randrange': 0,
  'random.randint': 1,
  'numpy.random.randint': 0,
};
/** What they give has the elements of what they are given, in one order or another. */
const SAME_ELEMENTS = /^(?:list|tuple|sorted|reversed|iter|tqdm(?:\.\w+)*)$/;

/** What has the same elements in the same order. */
function sourceOf({ source, node }: Value): object {
  return source ?? node;
}

/** One of the elements of a value, that knows of which. */
function itemOf(value: Value): Value {
  return { ...elementOf(value), source: sourceOf(value) };
}

/** How much a container is told to hold; null for as much as comes. */
function roomGiven(given: Given | undefined, { scope }: Activation): Room | null {
  if (given === undefined) return null;
  const { known } = given.value;
  if (known?.kind === 'constant' && (known.value === null || known.value <= 0)) return null;
  return roomOf(given.value, sourceText(scope.module, given.span));
}
