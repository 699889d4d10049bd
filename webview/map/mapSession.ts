/** Asks where the memory lies, while that is what is shown. */
import type { MapQuery, MemoryMapAnswer } from '../../src/protocol/mapData.js';
import type { Host } from '../host.js';
import { Latest } from '../latest.js';
import { Store } from '../store.js';
import type { ViewState } from '../viewState.js';

export interface MapState {
  map: MemoryMapAnswer | null;
  loading: boolean;
  /** Why there is no answer, in a sentence. */
  error: string | null;
}

export class MapSession {
  readonly store = new Store<MapState>({
    map: null,
    loading: false,
    error: null,
  });
  private pixels = 0;
  private readonly latest: Latest<MapQuery, MemoryMapAnswer>;

  constructor(
    private readonly page: Store<ViewState>,
    host: Pick<Host, 'call'>,
  ) {
    this.latest = new Latest((query, signal) => host.call('memoryMap', query, signal), {
      answer: (map) => {
        const { selection } = page.get();
        if (map.path === selection?.path && map.device === selection.device) this.store.update({ map, error: null });
      },
      failure: (error) => {
        this.store.update({
          map: null,
          error: error instanceof Error ? error.message : String(error),
        });
      },
      settled: () => {
        this.store.update({ loading: false });
      },
    });
    page.watch((state, before) => {
      const { selection, choices, curve, pin } = state;
      if (selection !== before.selection) this.store.update({ map: null, error: null });
      // Choices are told anew whenever a file was read.
      const isNew = asksMap(state) !== asksMap(before) || selection !== before.selection || choices !== before.choices;
      const events = (of: ViewState['curve']): number => of?.events ?? -1;
      const moved = pin?.event !== before.pin?.event || events(curve) !== events(before.curve);
      if (isNew || moved) this.ask();
    });
  }

  /** Tells how wide a segment is drawn; nothing is asked before that is known. */
  setPixels(pixels: number): void {
    const rounded = Math.round(pixels);
    if (rounded === this.pixels || rounded <= 0) return;
    this.pixels = rounded;
    this.ask();
  }

  /** Asks anew, after a failure too. */
  ask(): void {
    const { selection, curve, pin } = this.page.get();
    if (!asksMap(this.page.get()) || selection === null || curve === null || this.pixels === 0) return;
    if (curve.path !== selection.path || curve.device !== selection.device) return;
    const event = pin?.event ?? curve.events - 1;
    this.store.update({ loading: true, error: null });
    this.latest.request({ ...selection, event, pixels: this.pixels });
  }
}

/** True while segments are shown, as a picture or as a table. */
function asksMap({ pane, tabled }: ViewState): boolean {
  return pane === 'map' || (pane === 'table' && tabled === 'segments');
}
