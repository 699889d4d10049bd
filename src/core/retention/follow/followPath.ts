import { newInstance, Scope } from '../values/things.js';
import type { Activation } from './activation.js';
import { runHooks } from './hookRuns.js';
import { OUTSIDE } from './machine.js';
import type { Program } from './program.js';

/** Follows a program along its stack, from the outermost frame to the watched line. */
export function followPath(program: Program): void {
  const { machine, frames } = program;
  const [first] = machine.path;
  machine.entered.add(0);
  if (first.name === '<module>') {
    const scope = new Scope(first.module, null);
    machine.scopes.set(first.module, scope);
    const act: Activation = { scope, def: null, frame: 0, returned: [], depth: 0, context: null };
    program.block(first.module.body, act);
  } else {
    const fn = frames.frameFunction(0);
    if (fn === null) return;
    const self = fn.owner === null ? null : newInstance(fn.owner, '', []).value;
    // Nobody knows from where it is called: again and again, or nothing would grow.
    machine.inLoop(OUTSIDE, () => {
      program.invokeAt({ ...fn, self }, [], 0, 0);
    });
    machine.inLoop(OUTSIDE, () => {
      program.invokeAt({ ...fn, self }, [], 0, 0);
    });
  }
  runHooks(program);
}
