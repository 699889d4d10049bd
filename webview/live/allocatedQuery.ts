/** The allocations in view that are still live, while the list shows them. */
import { CURVE_PACE_MS, currentCurve, type Asks } from '../model/question.js';
import { listedBy } from '../model/viewState.js';

export const ALLOCATED: Asks<'allocatedIn'> = {
  method: 'allocatedIn',
  query: (state) => {
    const curve = currentCurve(state);
    if (curve === null) return null;
    if (state.listing !== 'allocated') return undefined;
    const { path, device, axis } = curve;
    return { path, device, axis, window: state.range, by: listedBy(state) };
  },
  paceMs: CURVE_PACE_MS,
};
