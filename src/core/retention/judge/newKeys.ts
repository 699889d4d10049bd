import { standings } from '../../python/standings.js';
import type { Finding } from './finding.js';
import { loopPlace } from './loopPlace.js';
import type { Trial } from './trial.js';

/**
 * True if what a finding names is put under numbers that the outermost of the training's loops counts: each is another
 * one than all before.
 */
export function hasNewKeys({ module, span }: Finding, trial: Trial): boolean {
  const outermost = trial.loops.names.at(0);
  return trial
    .keepersAt({ module, span })
    .some(({ key }) => key?.known?.kind === 'drawn' && key.known.loop === outermost && counts(outermost, trial));
}

/** `for step in range(…)` */
function counts(loop: string, { machine }: Trial): boolean {
  const place = loopPlace(loop, machine.sources);
  return standings(place?.module.body ?? []).some(({ statement }) => {
    if (statement.from !== place?.span.from || statement.kind !== 'for') return false;
    const { iterable } = statement;
    return iterable.kind === 'call' && iterable.callee.kind === 'name' && iterable.callee.name === 'range';
  });
}
