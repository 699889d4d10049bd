import type { Assigned } from '../keeper.js';
import { dataKept, graphKept, graphLeadsTo, isPartOf } from '../values/reachability.js';
import { placeKey, valueOf } from '../values/things.js';
import type { Candidate } from './finding.js';
import { NAMELESS, type Trial } from './trial.js';

/** Variables whose new values hang on their old ones: through their graphs, or by being made longer. */
export function chains(trial: Trial): Candidate[] {
  const groups = new Map<string, Assigned[]>();
  for (const assigned of trial.machine.assigned) {
    const key = `${placeKey(assigned.place)}:${assigned.target}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [assigned]);
    else group.push(assigned);
  }
  const candidates: Candidate[] = [];
  for (const group of groups.values()) {
    const last = group[group.length - 1];
    const earlier = group.filter((early) => trial.loops.isLater(early.loops, last.loops));
    const { previous } = last;
    if (last.concatenates && previous !== null && earlier.some((early) => isPartOf(early.node, previous))) {
      const grown = trial.candidate(
        {
          ...NAMELESS,
          kind: 'grown',
          place: last.place,
          holder: last.target,
          value: valueOf(last.node),
          every: last.every,
        },
        { data: dataKept(last.node), graph: 0 },
        1,
      );
      if (grown !== null) candidates.push(grown);
    }
    if (!earlier.some((early) => graphLeadsTo(last.node, early.node))) continue;
    const candidate = trial.candidate(
      {
        kind: 'chain',
        place: last.place,
        holder: last.target,
        kept: last.addedText,
        keptSpan: last.added === null ? null : last.addedSpan,
        container: null,
        attribute: null,
        value: last.added ?? valueOf(last.node),
        every: last.every,
      },
      { data: 0, graph: graphKept(last.node) },
      last.readsItself ? 2 : 1,
    );
    if (candidate !== null) candidates.push({ ...candidate, mayDetach: candidate.mayDetach && last.added !== null });
  }
  return candidates;
}
