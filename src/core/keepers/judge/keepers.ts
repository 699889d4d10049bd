import { forEachStatement } from '../../python/pythonModule.js';
import type { Keeper } from '../keeper.js';
import type { Sureness } from '../values/flowNode.js';
import { keptBy, type Kept } from '../values/reachability.js';
import { autocasts } from './autocasts.js';
import { chains } from './chains.js';
import { isClearedElsewhere } from './clearing.js';
import type { Candidate } from './finding.js';
import { hooks, selfHooks } from './hooks.js';
import { overwrites, replacesItems } from './overwriting.js';
import type { Trial } from './trial.js';

/** All that keeps for good. */
export function keepers(trial: Trial): Candidate[] {
  const candidates: Candidate[] = [];
  for (const keeper of trial.machine.keepers) {
    const candidate = candidateOf(keeper, trial);
    if (candidate !== null) candidates.push(candidate);
  }
  candidates.push(...hooks(trial), ...selfHooks(trial), ...chains(trial), ...autocasts(trial));
  return candidates;
}

function candidateOf(keeper: Keeper, trial: Trial): Candidate | null {
  const { container, loops, kind } = keeper;
  if (kind === 'doubleBackward') {
    if (dropsGradients(keeper)) return null;
  } else if (kind === 'context') {
    return trial.candidate(keeper, keptBy(keeper.value.node), 0);
  }
  if (keeper.most !== null) return null;
  if (keeper.guessed && trial.machine.emptied.has(keeper.holder)) return null;
  const outlived = trial.loops.outlived(loops, container?.born ?? []);
  if (outlived === null) return null;
  if (container?.kind === 'container') {
    if (container.bounded) return null;
    const round = new Set(trial.loops.names.slice(0, outlived + 1));
    for (const cleared of container.cleared) {
      const inside = cleared.loops.map(({ loop }) => loop);
      if (inside.some((loop) => round.has(loop) && loop === trial.loops.names[outlived])) return null;
      if (inside.length > 0) return null;
    }
  }
  if (overwrites(keeper, outlived, trial) || replacesItems(keeper, trial)) return null;
  if (keeper.attribute !== null && isClearedElsewhere(keeper, trial.machine.sources.read)) return null;
  const kept = keptBy(keeper.value.node);
  const inStep = outlived === trial.loops.names.length - 1;
  return trial.candidate(keeper, keeper.guessed ? atMost(kept, 2) : kept, inStep ? 1 : 0);
}

/** Gradients that are set to None in the same function keep nothing. */
function dropsGradients({ place }: Keeper): boolean {
  let drops = false;
  const { module, span } = place;
  forEachStatement(module.body, (statement) => {
    if (statement.kind !== 'function' || statement.from > span.from || statement.to < span.to) return;
    drops = /\bzero_grad\s*\(|\.grad\s*=\s*None\b/.test(module.text.slice(statement.from, statement.to));
  });
  return drops;
}

function atMost(kept: Kept, most: Sureness): Kept {
  return { data: kept.data < most ? kept.data : most, graph: kept.graph < most ? kept.graph : most };
}
