import { FlowNode } from '../values/flowNode.js';
import { valueOf, type FunctionThing, type Given } from '../values/things.js';
import type { Follower } from './follower.js';
import { DEEPEST_OFF_PATH } from './invocations.js';
import { ROUNDS } from './machine.js';

/** Functions that are followed at most. */
const MOST_HOOKS = 30;

/** Follows what was registered as hooks, inside the loops of the watched line. */
export function runHooks(follower: Follower): void {
  const { machine } = follower;
  if (machine.watchedLoops === null) return;
  const { watchedLoops } = machine;
  const modules = new Map<FunctionThing, FlowNode>();
  const run = (fn: FunctionThing): void => {
    const count = fn.def.params.length - (fn.self === null ? 0 : 1) - fn.partial.length;
    const given = Array.from({ length: Math.max(0, count) }, (_, i): Given => {
      // The module itself comes first, and is no new memory.
      const isModule = i === 0 && count > 1;
      const node = (isModule ? modules.get(fn) : undefined) ?? new FlowNode(2);
      if (isModule) modules.set(fn, node);
      else node.allocated = 2;
      return { name: null, star: '', value: valueOf(node), span: fn.def };
    });
    follower.invokeAt(fn, given, null, DEEPEST_OFF_PATH - 1);
  };
  const hooks = [...machine.hooks.flatMap(({ functions }) => functions), ...machine.callbacks].slice(0, MOST_HOOKS);
  for (let round = 0; round < ROUNDS; round++) {
    machine.inRoundsOf(watchedLoops, () => {
      for (const fn of hooks) run(fn);
    });
  }
}
