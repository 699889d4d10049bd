/** The bands of the visible range and of the whole history, and details of the band under the pointer. */
import type { BandDetail, BandDetailQuery, BandSeries, BandsQuery } from '../../src/protocol/bandData.js';
import type { Host } from '../model/host.js';
import { CURVE_PACE_MS, currentCurve, Question, type Asks } from '../model/question.js';
import type { Store } from '../model/store.js';
import type { BandRef, ViewState } from '../model/viewState.js';
import { stackBands, type StackedBands } from '../model/stackedBands.js';

export class BandSession {
  private readonly window: Question<'bands', StackedBands>;
  private readonly whole: Question<'bands', StackedBands>;

  constructor(store: Store<ViewState>, host: Pick<Host, 'call'>) {
    const bands = (query: (state: ViewState) => BandsQuery | null, show: (stacked: StackedBands | null) => void) => {
      const subject = ({ path, device, grouping, axis }: BandsQuery): unknown => [path, device, grouping, axis];
      const asks: Asks<'bands'> = { method: 'bands', query, subject, paceMs: CURVE_PACE_MS };
      const question = new Question(store, host, asks, stackBands);
      question.store.watch(({ answer }) => show(answer));
      return question;
    };
    this.window = bands(windowQuery, (stacked) => store.update({ stacked }));
    this.whole = bands(wholeQuery, (wholeBands) => store.update({ wholeBands }));
    for (const { store: own } of [this.window, this.whole])
      own.watch(() => store.update({ bandsError: this.whole.store.get().error ?? this.window.store.get().error }));
    const detail = (of: 'pointed' | 'selected', show: (detail: BandDetail | null) => void): void => {
      const question = new Question(store, host, {
        method: 'bandDetail',
        query: (state) => detailQuery(state, state[of]),
        subject: (asked) => asked,
      });
      question.store.watch(({ answer }) => show(answer));
    };
    detail('pointed', (looked) => store.update({ looked }));
    detail('selected', (selectedDetail) => store.update({ selectedDetail }));
    store.watch((state) => store.update({ thinLine: thinLine(state) }));
  }

  /** Requests them again after a failure. */
  retry(): void {
    this.window.retry();
    this.whole.retry();
  }
}

function wholeQuery(state: ViewState): BandsQuery | null {
  const curve = currentCurve(state);
  const { layer, grouping, thinLine: line, plotWidth, plotHeight } = state;
  if (curve === null || !layer || curve.events === 0 || !curve.hasAllocations || plotHeight === 0) return null;
  const { path, device, axis } = curve;
  return { path, device, axis, window: null, pixels: plotWidth, rows: plotHeight, bytes: null, grouping, line };
}

function windowQuery(state: ViewState): BandsQuery | null {
  const { range, heights } = state;
  const whole = range === null && heights === null ? null : wholeQuery(state);
  return whole === null ? null : { ...whole, window: range, bytes: heights };
}

function detailQuery({ selection, grouping }: ViewState, band: BandRef | null): BandDetailQuery | null {
  return selection === null || band === null ? null : { ...selection, grouping, ...band };
}

/** The line whose bands are wanted however thin: the editor's or the requested one, if it is hidden among the others. */
function thinLine({ cursorLine, highlight, stacked, wholeBands, thinLine: before }: ViewState): ViewState['thinLine'] {
  const line = cursorLine ?? highlight;
  const bands = (stacked ?? wholeBands)?.bands;
  if (line === null || bands === undefined || (line.file === before?.file && line.line === before.line)) return before;
  const isOf = ({ place }: BandSeries): boolean => place?.file === line.file && place.line === line.line;
  return bands.otherSeries === 0 || bands.allSeries.some(isOf) ? before : { file: line.file, line: line.line };
}
