import { behind, dataKept } from '../values/reachability.js';
import { valueOf } from '../values/things.js';
import type { Candidate } from './finding.js';
import { NAMELESS, type Trial } from './trial.js';

/** Blocks of autocast that are not left between steps, and keep casts of weights that each step makes. */
export function autocasts(trial: Trial): Candidate[] {
  const candidates: Candidate[] = [];
  for (const { block, loops, node } of trial.machine.autocastWeights) {
    if (trial.loops.outlived(loops, block.loops) === null) continue;
    const uses = trial.machine.allocated.some((made) => behind(made).includes(node));
    const sureness = uses ? 2 : dataKept(node);
    const candidate = trial.candidate(
      {
        kind: 'autocast',
        place: { module: block.module, span: block.span },
        holder: "autocast's weight cache",
        ...NAMELESS,
        value: valueOf(node),
        every: null,
      },
      { data: sureness, graph: 0 },
      0,
    );
    if (candidate !== null) candidates.push(candidate);
  }
  return candidates;
}
