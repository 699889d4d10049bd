/** The memory map at the selected instant, while it is shown. */
import type { MapQuery, MemoryMapAnswer } from '../../src/protocol/mapData.js';
import type { Host } from '../model/host.js';
import { currentCurve, Question } from '../model/question.js';
import type { Store } from '../model/store.js';
import type { ViewState } from '../model/viewState.js';

export class MapSession extends Question<MapQuery, MemoryMapAnswer> {
  constructor(page: Store<ViewState>, host: Pick<Host, 'call'>) {
    super(page, { query: mapQuery, ask: (query, signal) => host.call('memoryMap', query, signal) });
  }
}

function mapQuery(state: ViewState): MapQuery | null | undefined {
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
}
