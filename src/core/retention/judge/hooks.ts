import type { FlowNode } from '../values/flowNode.js';
import { keptBy } from '../values/reachability.js';
import type { Candidate } from './finding.js';
import type { Trial } from './trial.js';

/** Functions that are registered again and again on what stays. */
export function hooks(trial: Trial): Candidate[] {
  return trial.machine.hooks.flatMap(({ hook, keeper, born }) => {
    if (hook.removed || trial.loops.outlived(keeper.loops, born) === null) return [];
    return trial.candidate(keeper, keptBy(keeper.value.node), 0) ?? [];
  });
}

/** Functions that are registered on values of a step, and refer to these: through the graph, a reference cycle. */
export function selfHooks(trial: Trial): Candidate[] {
  return trial.machine.hooks.flatMap(({ hook, keeper, born, on }) => {
    const { loops } = trial;
    if (hook.removed || loops.outlived(keeper.loops, []) === null) return [];
    if (loops.outlived(keeper.loops, born) !== null) return [];
    if (!refersTo(keeper.value.node, new Set([on, ...on.storage]))) return [];
    return trial.candidate({ ...keeper, kind: 'selfHook' }, keptBy(keeper.value.node), 1) ?? [];
  });
}

function refersTo(start: FlowNode, goals: ReadonlySet<FlowNode>): boolean {
  const seen = new Set([start]);
  for (const at of seen) {
    if (goals.has(at)) return true;
    for (const other of [...at.same, ...at.holds, ...(at.content?.() ?? [])]) seen.add(other);
  }
  return false;
}
