import type { Call, Expression, Span } from '../../python/ast.js';
import { calledName, someExpression } from '../../python/walk.js';
import { statementAt } from '../names/names.js';
import { FIELD, RUNS_MODULE, functionEffect, methodEffect } from '../operations.js';
import {
  type ClassObject,
  type FunctionObject,
  type ArgumentValue,
  type PyObject,
  type Value,
  classAttribute,
  eitherOf,
  isForeign,
  MAX_BASES,
  mayCallBack,
  isModule,
  newInstance,
  plainValue,
  valueOfInstance,
} from '../values/objects.js';
import { Attributes } from './attributes.js';
import { callEffect, operate, unknownCall } from './effects.js';
import { type Called, type Follower, Part } from './follower.js';
import { callLibrary } from './libraryCalls.js';
import type { Activation } from './machine.js';
import { callInPlace, callKnownMethod, updateMetric } from './methods.js';

/** Interprets calls of the workspace's functions and of unknown values. Library calls are interpreted elsewhere. */
export class Calls extends Part {
  private readonly attributes = new Attributes(this.follower);

  /** Calls a method by its name. */
  method(called: Called): Value {
    const { name, base, args, call, act } = called;
    const member = base.objects.some((object) => object.kind !== 'container' && object.kind !== 'hook')
      ? this.attributes.member(base, name, act)
      : null;
    if (member !== null) return this.callValue(member, args, call, act, call.callee);
    if (name === 'apply') {
      const forward = base.objects.map((object) =>
        object.kind === 'class' ? classAttribute(object, 'forward') : undefined,
      )[0];
      if (forward !== undefined) {
        const context = newInstance(null, 'ctx', this.machine.madeIn).value;
        return this.callValue(
          forward,
          [{ name: null, star: '', value: context, span: call }, ...args],
          call,
          act,
          call.callee,
        );
      }
    }
    const special = callKnownMethod(called, this.follower);
    if (special !== null) return special;
    const effect = methodEffect(name);
    const values = [base, ...args.map(({ value }) => value)];
    const lead = (): Value | null => this.indirect(args, call, act, base, base.objects.some(isForeign));
    // `train` of a trainer is not that of a module.
    if (effect !== null) {
      const led = base.objects.some(mayCallBack) ? lead() : null;
      return led ?? callEffect(this.follower, effect, values, call, act, '');
    }
    if (name.endsWith('_') && !name.startsWith('_')) return callInPlace(called, this.follower);
    const led = lead();
    if (led !== null) return led;
    // An attribute of the program's own object, called: most likely a module that its constructor made.
    const runs =
      base.objects.some((object) => object.kind === 'instance' && (object.cls !== null || isModule(object.library))) ||
      (RUNS_MODULE.has(name) && base.objects.length === 0);
    return unknownCall(this.machine, base, args, call, act, runs);
  }

  /** Calls a value. */
  callValue(value: Value, args: readonly ArgumentValue[], call: Call, act: Activation, callee: Expression): Value {
    const results: Value[] = [];
    for (const object of value.objects) {
      const result = this.callObject(object, value, args, call, act);
      if (result !== null) results.push(result);
    }
    if (results.length > 0) return results.reduce((all, result) => eitherOf(all, result));
    const led = this.indirect(args, call, act, value);
    if (led !== null) return led;
    if (callee.kind === 'name' && /^[A-Z]\w*[a-z]/.test(callee.name)) {
      const values = args.map((one) => one.value);
      return callEffect(this.follower, 'object', values, call, act, callee.name);
    }
    return unknownCall(this.machine, value, args, call, act, callee.kind !== 'call' && value.objects.length === 0);
  }

  private callObject(
    object: PyObject,
    value: Value,
    args: readonly ArgumentValue[],
    call: Call,
    act: Activation,
  ): Value | null {
    switch (object.kind) {
      case 'function': {
        const next = this.follower.nextFrame(act, call);
        return this.follower.invoke(object, args, act, next?.fn.def === object.def ? next.index : null);
      }
      case 'class':
        return this.construct(object, args, call, act);
      case 'library': {
        const { name } = object;
        const led = functionEffect(name) === null ? this.indirect(args, call, act, plainValue(), true) : null;
        return led ?? callLibrary({ name, base: plainValue(), args, call, act, receiver: call.callee }, this.follower);
      }
      case 'instance': {
        const run =
          object.cls === null
            ? undefined
            : (classAttribute(object.cls, 'forward') ?? classAttribute(object.cls, '__call__'));
        const [fn] = (run?.objects ?? []) as (PyObject | undefined)[];
        if (fn?.kind === 'function') {
          const next = this.follower.nextFrame(act, call);
          const method: FunctionObject = { ...fn, self: valueOfInstance(object) };
          return this.follower.invoke(method, args, act, next?.fn.def === fn.def ? next.index : null);
        }
        const led = this.indirect(args, call, act, value);
        // A module computes with its arguments: its result has a graph.
        const operands = [value, ...args.map((one) => one.value)];
        return led ?? operate(this.machine, operands, act, call, 3, false);
      }
      case 'container':
        // Calling a metric updates it as well.
        if (object.type === 'metric') updateMetric(this.machine, [object], args, act, call, call.callee);
        return null;
      case 'module':
      case 'hook':
        return null;
    }
  }

  /** A call through a library, or of something unknown, that leads to the next frame of the stack. */
  private indirect(
    args: readonly ArgumentValue[],
    call: Call,
    act: Activation,
    callee: Value,
    foreign = false,
  ): Value | null {
    const next = this.follower.nextFrame(act, call);
    if (next === null || this.machine.entered.has(next.index)) return null;
    const { fn, index } = next;
    if (isCalledBeside(call, fn, act)) return null;
    if (foreign) this.machine.foreign.add(index);
    const passed = foreign || this.machine.path[index].throughLibrary ? [] : args;
    if (fn.self !== null || fn.owner === null || fn.def.params.length === 0)
      return this.follower.invoke(fn, passed, act, index);
    // The object of the method: the called one, or the one that a library receives.
    const own = [callee, ...args.map(({ value }) => value)].find(({ objects }) =>
      objects.some((object) => object.kind === 'instance' && object.cls !== null && isOf(object.cls, fn.owner)),
    );
    return this.follower.invoke({ ...fn, self: own ?? newInstance(fn.owner, '', []).value }, passed, act, index);
  }

  /** The result of a factory: a list, a dictionary, an object. */
  private make(factory: Value, call: Call, act: Activation): Value {
    return this.callValue(factory, [], { ...call, args: [] }, { ...act, frame: null }, call.callee);
  }

  private construct(cls: ClassObject, args: readonly ArgumentValue[], call: Call, act: Activation): Value {
    const { value, instance } = newInstance(cls, '', this.machine.madeIn);
    this.machine.note(instance.node);
    const init = classAttribute(cls, '__init__');
    const [fn] = (init?.objects ?? []) as (PyObject | undefined)[];
    const next = this.follower.nextFrame(act, call);
    if (fn?.kind === 'function') {
      this.follower.invoke({ ...fn, self: value }, args, act, next?.fn.def === fn.def ? next.index : null);
    } else {
      const fields = fieldsOf(cls);
      args.forEach((one, i) => {
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

/** True if another call of the statement has the function's name: `meter.update(net(x))` calls `update`, and not `net`. */
function isCalledBeside(call: Call, { def }: FunctionObject, { scope: { module } }: Activation): boolean {
  if (def.kind === 'lambda') return false;
  const found = statementAt({ module, span: call });
  return (
    found !== undefined &&
    someExpression(found.statement, (part) => part.kind === 'call' && part !== call && calledName(part) === def.name)
  );
}

/** True for a class and those that it is derived from. */
function isOf(cls: ClassObject, owner: ClassObject | null, depth = 0): boolean {
  if (cls.def === owner?.def) return true;
  return depth < MAX_BASES && cls.bases.some((base) => base.kind === 'class' && isOf(base, owner, depth + 1));
}

/** The parameters of a dataclass, its bases' first. */
function fieldsOf(cls: ClassObject, depth = 0): string[] {
  const inherited = cls.bases.flatMap((base) =>
    base.kind === 'class' && depth < MAX_BASES ? fieldsOf(base, depth + 1) : [],
  );
  return [...new Set([...inherited, ...cls.def.fields])];
}

/** The factory of `field(default_factory=list)`. */
function defaultFactory(value: Value | undefined): Value | undefined {
  const [object] = (value?.objects ?? []) as (PyObject | undefined)[];
  return object?.kind === 'instance' && object.library === FIELD ? object.attrs.get('default_factory') : undefined;
}

/** Calls an implicit method such as `__enter__` or `__setitem__` of a program's object. @returns null if it has none */
export function callSpecial(
  follower: Follower,
  base: Value,
  name: string,
  values: readonly Value[],
  span: Span,
  act: Activation,
): Value | null {
  for (const object of base.objects) {
    if (object.kind !== 'instance' || object.cls === null) continue;
    const [method] = (classAttribute(object.cls, name)?.objects ?? []) as (PyObject | undefined)[];
    if (method?.kind !== 'function') continue;
    const next = follower.nextFrame(act, span);
    const args = values.map((value) => ({ name: null, star: '' as const, value, span }));
    const self = valueOfInstance(object);
    return follower.invoke({ ...method, self }, args, act, next?.fn.def === method.def ? next.index : null);
  }
  return null;
}
