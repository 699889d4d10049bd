/** The memory map at the selected instant, while it or the table of segments shows. */
import { currentCurve, type Asks } from '../model/question.js';

export const MAP: Asks<'memoryMap'> = {
  method: 'memoryMap',
  query: (state) => {
    const { pin, pane, tabled, mapOnly, change, mapPixels: pixels, mapRows } = state;
    const curve = currentCurve(state);
    if (curve === null) return null;
    const isPicture = pane === 'map';
    if ((!isPicture && (pane !== 'table' || tabled !== 'segments')) || pixels === 0) return undefined;
    const { path, device, events, capacityBytes: capacity } = curve;
    return {
      ...{ path, device, event: pin?.event ?? events - 1, pixels },
      rows: isPicture ? mapRows : 1,
      only: isPicture ? mapOnly : null,
      changed: isPicture && change !== null ? { change, capacity } : null,
    };
  },
};
