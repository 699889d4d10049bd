/** The allocations in view that are still live, while the list shows them. */
import type { AllocatedIn, AllocatedInQuery } from '../../src/protocol/timelineData.js';
import type { Host } from '../model/host.js';
import { CURVE_PACE_MS, currentCurve, Question } from '../model/question.js';
import type { Store } from '../model/store.js';
import { listedBy, type ViewState } from '../model/viewState.js';

export class AllocatedSession extends Question<AllocatedInQuery, AllocatedIn> {
  constructor(page: Store<ViewState>, host: Pick<Host, 'call'>) {
    super(page, {
      query: (state) => {
        const curve = currentCurve(state);
        if (curve === null) return null;
        if (state.listing !== 'allocated') return undefined;
        const { path, device, axis } = curve;
        return { path, device, axis, window: state.range, by: listedBy(state) };
      },
      ask: (query, signal) => host.call('allocatedIn', query, signal),
      paceMs: CURVE_PACE_MS,
    });
  }
}
