/** Live memory by call at the selected instant, while its graph or its table shows. */
import { currentCurve, type Asks } from '../model/question.js';

export const FLAME: Asks<'flame'> = {
  method: 'flame',
  query: (state) => {
    const { pane, tabled, range, pin, flamePixels: pixels } = state;
    const curve = currentCurve(state);
    if (curve === null) return null;
    const isShown = pane === 'flame' || (pane === 'table' && tabled === 'calls');
    if (!isShown || pixels === 0) return undefined;
    const { path, device, axis, events } = curve;
    const { folded, focus, measure } = state.flame;
    const over = measure === 'live' ? null : { axis, window: range };
    return { path, device, event: pin?.event ?? events - 1, over, folded, focus, pixels };
  },
};
