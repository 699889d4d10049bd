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
  private size = { pixels: 0, rows: 1 };
  /** Address of the segment that fills the map; null while all show. */
  private only: string | null = null;
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
      const { selection, choices, pane, pin } = state;
      if (selection !== before.selection) {
        this.only = null;
        this.store.update({ map: null, error: null });
      }
      // Choices are told anew whenever a file was read.
      const isNew = selection !== before.selection || choices !== before.choices || pane !== before.pane;
      const events = ({ curve }: ViewState): number => curve?.events ?? -1;
      const moved = pin?.event !== before.pin?.event || events(state) !== events(before);
      if (isNew || moved || state.tabled !== before.tabled) this.ask();
    });
  }

  /** Tells how wide a row is, and how many there is room for; nothing is asked before that is known. */
  setSize(width: number, rows: number): void {
    const pixels = Math.round(width);
    if (pixels <= 0 || (pixels === this.size.pixels && rows === this.size.rows)) return;
    this.size = { pixels, rows };
    this.ask();
  }

  /** Shows one segment in all detail, or all of them. */
  zoom(address: string | null): void {
    this.only = address;
    this.ask();
  }

  /** Asks anew, after a failure too. */
  ask(): void {
    const { selection, curve, pin, pane } = this.page.get();
    if (!asksMap(this.page.get()) || selection === null || curve === null || this.size.pixels === 0) return;
    if (curve.path !== selection.path || curve.device !== selection.device) return;
    const event = pin?.event ?? curve.events - 1;
    this.store.update({ loading: true, error: null });
    const only = pane === 'map' ? this.only : null;
    this.latest.request({ ...selection, event, ...this.size, only });
  }
}

/** True while segments are shown, as a picture or as a table. */
function asksMap({ pane, tabled }: ViewState): boolean {
  return pane === 'map' || (pane === 'table' && tabled === 'segments');
}
