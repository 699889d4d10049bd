import type { Call } from '../../python/ast.js';
import { elementOf, keepIn, spread } from '../values/parts.js';
import { newContainer, pairOf, plainValue, type Value } from '../values/things.js';
import type { Activation, Given } from './activation.js';
import { followBackward } from './backward.js';
import type { Effects } from './effects.js';
import { Part, type Follower } from './follower.js';
import { functionEffect } from './knownCalls.js';
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
    if (name === 'gc.collect' || name === 'gc.disable') return plainValue();
    if (/^(?:collections\.)?deque$/.test(name)) {
      const most = call.args.find(
        ({ name: key, value }, i) =>
          (key === 'maxlen' || (key === null && i === 1)) && !(value.kind === 'literal' && value.type === 'none'),
      );
      const { value, container } = newContainer('list', this.machine.loops, most !== undefined);
      container.most = most === undefined ? null : sourceText(act.scope.module, most.value);
      for (const item of values) container.node.holds.push(item.node);
      return value;
    }
    if (/(?:^|\.)(?:Queue|SimpleQueue|LifoQueue)$/.test(name))
      return newContainer('list', this.machine.loops, call.args.length > 0).value;
    if (/(?:^|\.)Weak(?:Set|ValueDictionary|KeyDictionary)$/.test(name))
      return newContainer('dict', this.machine.loops, true).value;
    if (/^(?:list|dict|set|collections\.(?:defaultdict|OrderedDict|Counter)|defaultdict)$/.test(name)) {
      const { value, container } = newContainer(name === 'list' ? 'list' : 'dict', this.machine.loops);
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
      return { ...viewOf(this.machine, first, false), items: [pairOf(plainValue(), element)] };
    }
    if (name === 'zip' && values.length === 2) {
      return { ...plainValue(), items: [pairOf(elementOf(values[0]), elementOf(values[1]))] };
    }
    const effect = functionEffect(name);
    if (effect !== null) return this.effects.of(effect, values, call, act, name);
    return unknownCall(this.machine, plainValue(), given, call, act, false);
  }

  /** What a `defaultdict` makes for a key that it has not. */
  private defaultOf(factory: Value, call: Call, act: Activation): Value {
    const made = this.follower.callValue(factory, [], call, act, call.callee);
    return made.things.length > 0 ? made : newContainer('list', this.machine.loops).value;
  }
}
