/** Requests bands when the view changes, and details of the band under the pointer. */
import type { BandDetail, BandDetailQuery, Bands, BandsQuery, BandSeries } from '../../src/protocol/bandData.js';
import type { Host } from '../host.js';
import { Latest } from '../latest.js';
import { sentenceOf } from '../question.js';
import type { Store } from '../store.js';
import type { BandRef, SourceLine, ViewState } from '../viewState.js';
import { stackBands } from './stackedBands.js';

export class BandSession {
  private size = { width: 0, height: 0 };
  /** The last requested bands of the whole history. */
  private wholeOf = '';
  /** The line whose bands are wanted however thin. */
  private line: SourceLine | null = null;

  private readonly window = this.latest((bands) => {
    const { range, heights } = this.store.get();
    const stacked = stackBands(bands);
    this.store.update({ stacked: range === null && heights === null ? null : stacked, bandsError: null });
  });
  private readonly whole = this.latest((bands) =>
    this.store.update({ wholeBands: stackBands(bands), bandsError: null }),
  );
  private readonly looked = this.detail((looked) => this.store.update({ looked }));
  private readonly selected = this.detail((selectedDetail) => this.store.update({ selectedDetail }));

  constructor(
    private readonly store: Store<ViewState>,
    private readonly host: Pick<Host, 'call'>,
  ) {
    store.watch((state, before) => {
      const { selection, layer, grouping, curve } = state;
      const other =
        selection !== before.selection || grouping !== before.grouping || curve?.axis !== before.curve?.axis;
      if (other && state !== before) this.forget(selection !== before.selection || grouping !== before.grouping);
      // The extension sends its state again when files or the workspace have changed.
      if (state.choices !== before.choices) this.wholeOf = '';
      const thin = this.follow(state.cursorLine ?? state.highlight, state);
      const higher = state.heights !== before.heights;
      if (curve !== before.curve || higher || grouping !== before.grouping || layer !== before.layer || thin)
        this.ask();
      if (state.selected !== before.selected || state.choices !== before.choices) this.askSelected(state);
    });
  }

  /** Sets the size of the plot, in pixels. */
  setSize(width: number, height: number): void {
    const size = { width: Math.round(width), height: Math.round(height) };
    if (size.width === this.size.width && size.height === this.size.height) return;
    this.size = size;
    this.wholeOf = '';
    this.ask();
  }

  setGrouping(grouping: ViewState['grouping']): void {
    this.store.update({ grouping });
  }

  /** Requests details of the band under the cursor. */
  look(band: BandRef | null): void {
    if (band === null) {
      this.looked.cancel();
      this.store.update({ looked: null });
      return;
    }
    const { looked } = this.store.get();
    if (looked?.series === band.series && looked.row === band.row && looked.event === band.event) {
      // The answer about a band that the pointer has left meanwhile would take the place of this one's.
      this.looked.cancel();
      return;
    }
    const query = this.queryOf(band);
    if (query !== null) this.looked.request(query);
  }

  /** Selects a band, or none. */
  pick(band: BandRef | null): void {
    this.store.update({ selected: band, selectedDetail: null });
  }

  /** Requests them again after a failure. */
  retry(): void {
    this.wholeOf = '';
    this.ask();
  }

  private forget(selected: boolean): void {
    this.wholeOf = '';
    this.looked.cancel();
    this.store.update({
      stacked: null,
      wholeBands: null,
      looked: null,
      ...(selected && { selected: null, selectedDetail: null }),
    });
  }

  /** @returns true if bands of the line may be hidden among the others: they are worth a question */
  private follow(line: SourceLine | null, { stacked, wholeBands }: ViewState): boolean {
    if (line === null || (line.file === this.line?.file && line.line === this.line.line)) return false;
    const bands = (stacked ?? wholeBands)?.bands;
    const isShown = ({ place }: BandSeries): boolean => place?.file === line.file && place.line === line.line;
    if (bands === undefined || bands.otherSeries === 0 || bands.allSeries.some(isShown)) return false;
    this.line = { file: line.file, line: line.line };
    return true;
  }

  private ask(): void {
    const { selection, curve, range, heights, layer, grouping } = this.store.get();
    if (
      selection === null ||
      curve === null ||
      !layer ||
      curve.events === 0 ||
      !curve.hasAllocations ||
      this.size.width <= 0
    )
      return;
    if (curve.path !== selection.path || curve.device !== selection.device) return;
    const query: BandsQuery = {
      ...selection,
      axis: curve.axis,
      window: null,
      pixels: this.size.width,
      rows: this.size.height,
      bytes: null,
      grouping,
      line: this.line,
    };
    const key = JSON.stringify([query, curve.events, curve.extent]);
    if (key !== this.wholeOf) {
      this.wholeOf = key;
      this.whole.request(query);
    }
    if (range === null && heights === null) {
      this.window.cancel();
      this.store.update({ stacked: null });
    } else this.window.request({ ...query, window: range, bytes: heights });
  }

  private askSelected({ selected }: ViewState): void {
    const query = selected === null ? null : this.queryOf(selected);
    if (query === null) this.selected.cancel();
    else this.selected.restart(query);
  }

  private queryOf({ series, row, event }: BandRef): BandDetailQuery | null {
    const { selection, grouping } = this.store.get();
    return selection === null ? null : { ...selection, grouping, series, row, event };
  }

  private latest(answer: (bands: Bands) => void): Latest<BandsQuery, Bands> {
    return new Latest((query, signal) => this.host.call('bands', query, signal), {
      answer: (bands) => {
        const { selection, grouping } = this.store.get();
        if (bands.path === selection?.path && bands.device === selection.device && bands.grouping === grouping) {
          answer(bands);
        }
      },
      failure: (error) => {
        this.wholeOf = '';
        this.store.update({ bandsError: sentenceOf(error) });
      },
    });
  }

  private detail(answer: (detail: BandDetail | null) => void): Latest<BandDetailQuery, BandDetail> {
    return new Latest((query, signal) => this.host.call('bandDetail', query, signal), {
      answer,
      failure: () => answer(null),
    });
  }
}
