import type { Call, Expression } from '../../python/ast.js';
import type { Sureness } from '../values/flowNode.js';
import { classAttribute, isModule } from '../values/parts.js';
import {
  eitherOf,
  newInstance,
  plainValue,
  valueOf,
  type ClassThing,
  type FunctionThing,
  type Given,
  type Thing,
  type Value,
} from '../values/things.js';
import type { Activation } from './activation.js';
import type { Attributes } from './attributes.js';
import type { Effects } from './effects.js';
import { Part, type Follower } from './follower.js';
import { FIELD, functionEffect, methodEffect, RUNS_MODULE } from './knownCalls.js';
import type { KnownMethods } from './knownMethods.js';
import type { LibraryCalls } from './libraryCalls.js';
import { operate, unknownCall } from './operate.js';

/** Follows calls: of the workspace's functions, and of what is not known; libraries' are left to others. */
export class Calls extends Part {
  constructor(
    follower: Follower,
    private readonly attributes: Attributes,
    private readonly effects: Effects,
    private readonly methods: KnownMethods,
    private readonly libraries: LibraryCalls,
  ) {
    super(follower);
  }

  /** Calls a method by its name. */
  method(base: Value, name: string, given: readonly Given[], call: Call, act: Activation, receiver: Expression): Value {
    const member = base.things.some((thing) => thing.kind !== 'container' && thing.kind !== 'hook')
      ? this.member(base, name, act)
      : null;
    if (member !== null) return this.callValue(member, given, call, act, call.callee);
    if (name === 'apply') {
      const forward = base.things.map((thing) =>
        thing.kind === 'class' ? classAttribute(thing, 'forward') : undefined,
      )[0];
      if (forward !== undefined) {
        const context = newInstance(null, 'ctx', this.machine.born).value;
        return this.callValue(
          forward,
          [{ name: null, star: '', value: context, span: call }, ...given],
          call,
          act,
          call.callee,
        );
      }
    }
    const special = this.methods.call(base, name, given, call, act, receiver);
    if (special !== null) return special;
    const effect = methodEffect(name);
    if (effect !== null) return this.effects.of(effect, [base, ...given.map(({ value }) => value)], call, act, '');
    if (name.endsWith('_') && !name.startsWith('_')) return this.methods.inPlace(base, given, act, call, receiver);
    const led = this.indirect(given, call, act, plainValue(), base.things.some(isForeign));
    if (led !== null) return led;
    // An attribute of the program's own object, called: most likely a module that its constructor made.
    const runs = base.things.some(
      (thing) => thing.kind === 'instance' && (thing.cls !== null || isModule(thing.library)),
    );
    return unknownCall(
      this.machine,
      base,
      given,
      call,
      act,
      runs || (RUNS_MODULE.has(name) && base.things.length === 0),
    );
  }

  /** A method or attribute that is known; null where it is not. */
  private member(base: Value, name: string, act: Activation): Value | null {
    let found: Value | null = null;
    for (const thing of base.things) {
      const value = this.attributes.ofThing(thing, base, name, act);
      if (value !== null) found = found === null ? value : eitherOf(found, value);
    }
    return found;
  }

  /** Calls whatever a value is. */
  callValue(value: Value, given: readonly Given[], call: Call, act: Activation, callee: Expression): Value {
    const results: Value[] = [];
    for (const thing of value.things) {
      const result = this.callThing(thing, value, given, call, act);
      if (result !== null) results.push(result);
    }
    if (results.length > 0) return results.reduce((all, result) => eitherOf(all, result));
    const led = this.indirect(given, call, act, value);
    if (led !== null) return led;
    if (callee.kind === 'name' && /^[A-Z]\w*[a-z]/.test(callee.name)) {
      return this.effects.of(
        'object',
        given.map((one) => one.value),
        call,
        act,
        callee.name,
      );
    }
    return unknownCall(this.machine, value, given, call, act, callee.kind !== 'call' && value.things.length === 0);
  }

  private callThing(thing: Thing, value: Value, given: readonly Given[], call: Call, act: Activation): Value | null {
    switch (thing.kind) {
      case 'function': {
        const next = this.follower.nextFrame(act, call);
        return this.follower.invoke(thing, given, act, next?.fn.def === thing.def ? next.index : null);
      }
      case 'class':
        return this.construct(thing, given, call, act);
      case 'library': {
        const led = this.indirectLibrary(thing.name, given, call, act);
        if (led !== null) return led;
        return this.libraries.call(thing.name, given, call, act);
      }
      case 'instance': {
        const run =
          thing.cls === null
            ? undefined
            : (classAttribute(thing.cls, 'forward') ?? classAttribute(thing.cls, '__call__'));
        const [fn] = (run?.things ?? []) as (Thing | undefined)[];
        if (fn?.kind === 'function') {
          const next = this.follower.nextFrame(act, call);
          const method: FunctionThing = { ...fn, self: valueOf(thing.node, [thing]) };
          return this.follower.invoke(method, given, act, next?.fn.def === fn.def ? next.index : null);
        }
        const led = this.indirect(given, call, act, value);
        if (led !== null) return led;
        return this.run(value, given, call, act, 3);
      }
      case 'module':
      case 'container':
      case 'hook':
        return null;
    }
  }

  /** A module runs on what it is given: its result has a graph. */
  private run(callee: Value, given: readonly Given[], call: Call, act: Activation, grad: Sureness): Value {
    return operate(this.machine, [callee, ...given.map(({ value }) => value)], act, call, grad, false);
  }

  /** A call through a library, or of something unknown, that leads to the next frame of the stack. */
  private indirect(given: readonly Given[], call: Call, act: Activation, callee: Value, foreign = false): Value | null {
    const next = this.follower.nextFrame(act, call);
    if (next === null || next.direct || this.machine.entered.has(next.index)) return null;
    const { fn, index } = next;
    if (foreign) this.machine.foreign.add(index);
    const passed = foreign || this.machine.path[index].throughLibrary ? [] : given;
    if (fn.owner === null || fn.def.params.length === 0) return this.follower.invoke(fn, passed, act, index);
    // The object whose method it is: what is called, or what a library is handed to call it.
    const own = [callee, ...given.map(({ value }) => value)].find(({ things }) =>
      things.some((thing) => thing.kind === 'instance' && thing.cls?.def === fn.owner?.def),
    );
    return this.follower.invoke({ ...fn, self: own ?? newInstance(fn.owner, '', []).value }, passed, act, index);
  }

  private indirectLibrary(name: string, given: readonly Given[], call: Call, act: Activation): Value | null {
    return functionEffect(name) === null ? this.indirect(given, call, act, plainValue(), true) : null;
  }

  /** What a factory gives: a list, a dictionary, an object. */
  private make(factory: Value, call: Call, act: Activation): Value {
    return this.callValue(factory, [], { ...call, args: [] }, { ...act, frame: null }, call.callee);
  }

  private construct(cls: ClassThing, given: readonly Given[], call: Call, act: Activation): Value {
    const { value, instance } = newInstance(cls, '', this.machine.born);
    this.machine.note(instance.node);
    const init = classAttribute(cls, '__init__');
    const [fn] = (init?.things ?? []) as (Thing | undefined)[];
    const next = this.follower.nextFrame(act, call);
    if (fn?.kind === 'function') {
      this.follower.invoke({ ...fn, self: value }, given, act, next?.fn.def === fn.def ? next.index : null);
    } else {
      const fields = fieldsOf(cls);
      given.forEach((one, i) => {
        const name = one.name ?? (one.star === '' ? fields[i] : undefined);
        if (name === undefined) instance.node.holds.push(one.value.node);
        else instance.attrs.set(name, one.value);
      });
      for (const name of fields) {
        const factory = instance.attrs.has(name) ? undefined : defaultFactory(classAttribute(cls, name));
        if (factory !== undefined) instance.attrs.set(name, this.make(factory, call, act));
      }
    }
    return value;
  }
}

/** An object of a library that is no module: what it calls back, it may call again and again. */
function isForeign(thing: Thing): boolean {
  return thing.kind === 'instance' && thing.cls === null && thing.library !== '' && !isModule(thing.library);
}

/** The parameters of a dataclass, its bases' first. */
function fieldsOf(cls: ClassThing, depth = 0): string[] {
  const inherited = cls.bases.flatMap((base) => (base.kind === 'class' && depth < 8 ? fieldsOf(base, depth + 1) : []));
  return [...new Set([...inherited, ...cls.def.fields])];
}

/** What makes the default of `field(default_factory=list)`. */
function defaultFactory(value: Value | undefined): Value | undefined {
  const [thing] = (value?.things ?? []) as (Thing | undefined)[];
  return thing?.kind === 'instance' && thing.library === FIELD ? thing.attrs.get('default_factory') : undefined;
}
