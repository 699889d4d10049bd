import { FlowNode } from '../values/flowNode.js';
import { valueOf } from '../values/things.js';
import type { Given } from './activation.js';
import type { Follower } from './follower.js';
import { DEEPEST_OFF_PATH } from './invocations.js';

/** Follows what was registered as hooks, inside the loops of the watched line. */
export function runHooks(follower: Follower): void {
  const { machine } = follower;
  if (machine.watchedLoops === null) return;
  const outer = machine.loops;
  machine.loops = machine.watchedLoops;
  for (const { functions } of machine.hooks.slice(0, 20)) {
    for (const fn of functions) {
      const given = fn.def.params.map((_, i): Given => {
        const node = new FlowNode(2);
        // The module itself comes first, and is no new memory.
        if (i > 0 || fn.def.params.length === 1) node.allocated = 2;
        return { name: null, star: '', value: valueOf(node), span: fn.def };
      });
      follower.invokeAt(fn, fn.self === null ? given : given.slice(1), null, DEEPEST_OFF_PATH - 1);
    }
  }
  machine.loops = outer;
}
