import type { Span } from '../../python/ast.js';
import { functionAt } from '../../python/pythonModule.js';
import { lambdaAt } from '../../python/walk.js';
import { type FunctionObject, Scope, type PyObject, newInstance } from '../values/objects.js';
import { Definitions } from './definitions.js';
import { type NextFrame, Part } from './follower.js';
import { DEEPEST_OFF_PATH } from './invocations.js';
import { type Activation, ROUNDS } from './machine.js';

/** Finds the function of the next frame, and the call that leads to it. */
export class StackFrames extends Part {
  private readonly definitions = new Definitions(this.follower);

  /** The function of a frame, null if its line is no longer in one of that name. */
  frameFunction(index: number): FunctionObject | null {
    const { module, name, line } = this.machine.path[index];
    const def = name === '<lambda>' ? lambdaAt(module, line) : functionAt(module, name, line);
    if (def === null) return null;
    const hooked = this.machine.hooks.flatMap(({ functions }) => functions).findLast((fn) => fn.def === def);
    if (hooked !== undefined) return hooked;
    const scope = this.follower.moduleScope(module);
    const known = def.kind === 'lambda' ? undefined : this.machine.functions.get(def);
    if (known !== undefined) return known;
    const act: Activation = { scope, def: null, frame: null, returned: [], depth: DEEPEST_OFF_PATH, context: null };
    for (const value of scope.names.values()) {
      for (const object of value.objects) {
        if (object.kind !== 'class') continue;
        for (const attr of object.attrs.values()) {
          const [fn] = attr.objects as (PyObject | undefined)[];
          if (fn?.kind === 'function' && fn.def === def) return fn;
        }
      }
    }
    return this.definitions.functionValue(def, { ...act, scope: new Scope(module, scope) }, null).objects[0];
  }

  nextFrame(act: Activation, span: Span): NextFrame | null {
    const { machine } = this;
    if (act.frame === null || act.frame + 1 >= machine.path.length || !machine.isOnPath(act, span)) return null;
    const index = act.frame + 1;
    const fn = this.frameFunction(index);
    if (fn === null) return null;
    return { index, fn };
  }

  /** Interprets a statement with a frame of the stack. @returns its result */
  standOn(act: Activation, execute: () => boolean): boolean {
    const { machine } = this;
    const next = (act.frame ?? 0) + 1;
    for (let inner = next; inner < machine.path.length; inner++) machine.entered.delete(inner);
    const leaves = execute();
    // No call leads to the next frame: a library called back, with an unknown result.
    if (next < machine.path.length && !machine.entered.has(next)) this.callBack(next);
    return leaves;
  }

  /** Follows a frame that a library calls, repeatedly. */
  callBack(index: number): void {
    const fn = this.frameFunction(index);
    if (fn === null) return;
    const self = fn.self ?? (fn.owner === null ? null : newInstance(fn.owner, '', []).value);
    for (let round = 0; round < ROUNDS; round++) {
      this.machine.inLoop(`library:${index}`, () => {
        this.follower.invokeAt({ ...fn, self }, [], index, 0);
      });
    }
  }
}
