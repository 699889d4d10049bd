/** Requests the memory map while it is shown. */
import type { MapQuery, MemoryMapAnswer } from '../../src/protocol/mapData.js';
import type { Host } from '../host.js';
import { currentCurve, isShown, Question } from '../question.js';
import type { Store } from '../store.js';
import type { ViewState } from '../viewState.js';

export class MapSession extends Question<MapQuery, MemoryMapAnswer> {
  private size = { pixels: 0, rows: 1 };

  constructor(
    private readonly page: Store<ViewState>,
    host: Pick<Host, 'call'>,
  ) {
    super(
      (query, signal) => host.call('memoryMap', query, signal),
      (map) => isShown(map, page.get()),
    );
    page.watch((state, before) => {
      const { selection, choices, pane, pin } = state;
      if (selection !== before.selection) {
        // A zoom from before a reload belongs to the first shown snapshot.
        if (before.selection !== null) page.update({ mapOnly: null });
        this.forget();
      }
      // Choices are sent again after each file.
      const isNew = selection !== before.selection || choices !== before.choices || pane !== before.pane;
      const events = ({ curve }: ViewState): number => curve?.events ?? -1;
      const moved = pin?.event !== before.pin?.event || events(state) !== events(before);
      const isChanged = state.change !== before.change;
      if (isNew || moved || isChanged || state.tabled !== before.tabled || state.mapOnly !== before.mapOnly) this.ask();
    });
  }

  /** Sets the width and number of rows; there is no request before that. */
  setSize(width: number, rows: number): void {
    const pixels = Math.round(width);
    if (pixels <= 0 || (pixels === this.size.pixels && rows === this.size.rows)) return;
    this.size = { pixels, rows };
    this.ask();
  }

  /** Requests it again, also after a failure. */
  ask(): void {
    const state = this.page.get();
    const { pin, pane, mapOnly, change } = state;
    const curve = currentCurve(state);
    if (!asksMap(state) || curve === null || this.size.pixels === 0) return;
    const { path, device, capacityBytes: capacity } = curve;
    const event = pin?.event ?? curve.events - 1;
    const changed = pane === 'map' && change !== null ? { change, capacity } : null;
    this.send({ path, device, event, ...this.size, only: pane === 'map' ? mapOnly : null, changed });
  }
}

/** True while segments are shown, as a picture or as a table. */
function asksMap({ pane, tabled }: ViewState): boolean {
  return pane === 'map' || (pane === 'table' && tabled === 'segments');
}
