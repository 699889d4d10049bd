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
  const candidates = trial.machine.keepers.flatMap((keeper) => candidateOf(keeper, trial) ?? []);
  candidates.push(...hooks(trial), ...selfHooks(trial), ...chains(trial), ...autocasts(trial));
  return candidates;
}

/** What keeps until something lets go of it. */
export function endedKeepers(trial: Trial): Candidate[] {
  return trial.machine.keepers.flatMap((keeper) => {
    if (keeper.kind === 'doubleBackward' || keeper.kind === 'context') return [];
    const outlived = trial.loops.outlived(keeper.loops, keeper.container?.born ?? []);
    if (outlived === null || !isEnded(keeper, outlived, trial)) return [];
    return trial.candidate(keeper, keptBy(keeper.value.node), 0) ?? [];
  });
}

function candidateOf(keeper: Keeper, trial: Trial): Candidate | null {
  const { container, loops, kind } = keeper;
  if (kind === 'doubleBackward') {
    if (dropsGradients(keeper)) return null;
  } else if (kind === 'context') {
    return trial.candidate(keeper, keptBy(keeper.value.node), 0);
  }
  const outlived = trial.loops.outlived(loops, container?.born ?? []);
  if (outlived === null || isEnded(keeper, outlived, trial)) return null;
  if (overwrites(keeper, outlived, trial) || replacesItems(keeper, trial)) return null;
  const kept = keptBy(keeper.value.node);
  const inStep = outlived === trial.loops.names.length - 1;
  return trial.candidate(keeper, keeper.guessed ? atMost(kept, 2) : kept, inStep ? 1 : 0);
}

/** True if something is full some time, or lets go of what is put in. */
function isEnded(keeper: Keeper, outlived: number, trial: Trial): boolean {
  const { container } = keeper;
  if (keeper.most !== null) return true;
  if (keeper.guessed && trial.machine.emptied.has(keeper.holder)) return true;
  if (container?.kind === 'container') {
    if (container.bounded) return true;
    const round = new Set(trial.loops.names.slice(0, outlived + 1));
    for (const cleared of container.cleared) {
      const inside = cleared.loops.map(({ loop }) => loop);
      if (inside.some((loop) => round.has(loop) && loop === trial.loops.names[outlived])) return true;
      if (inside.length > 0) return true;
    }
  }
  return keeper.attribute !== null && isClearedElsewhere(keeper, trial.machine.sources.read);
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
