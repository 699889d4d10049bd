/** What other settings and changes would reserve, while that is shown, and the curve of the chosen one. */
import { CURVE_PACE_MS, currentCurve, type Asks } from '../model/question.js';

export const WHAT_IF: Asks<'whatIf'> = {
  method: 'whatIf',
  query: (state) => {
    const curve = currentCurve(state);
    if (curve === null) return null;
    const { path, device, capacityBytes: capacity } = curve;
    // The replays of a long trace take a while: leaving the tab ends them.
    return state.pane === 'whatIf' ? { path, device, capacity } : undefined;
  },
};

/** The curve of the chosen change is requested as long as the table of changes or the memory map shows. */
export const RESERVED_WITH: Asks<'reservedWith'> = {
  method: 'reservedWith',
  query: (state) => {
    const { pane, change, plotWidth: pixels } = state;
    const curve = currentCurve(state);
    if ((pane !== 'whatIf' && pane !== 'map') || change === null || curve === null) return null;
    if (pixels === 0) return undefined;
    const { path, device, axis, window, capacityBytes: capacity } = curve;
    return { path, device, axis, window, capacity, change, pixels };
  },
  subject: ({ path, device, change }) => [path, device, change],
  paceMs: CURVE_PACE_MS,
};
