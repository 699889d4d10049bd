/** The user's actions and their effects on the state: the only place that calls the extension. */
import { unpackPoints } from '../src/protocol/curveCode.js';
import {
  type PAGE_COMMANDS,
  TIMELINE_PROTOCOL,
  type TimelineApi,
  type TimelineChoice,
  type TimelineState,
} from '../src/protocol/timelineApi.js';
import type { LiveAt, LiveAtQuery, TimelineAxis, TimelineQuery, TimelineWindow } from '../src/protocol/timelineData.js';
import { eventsOfRange, placePin, rangeOfEvents } from './axisChange.js';
import { drawableExtent, fitRange, NARROWEST, type Range } from './chart/range.js';
import type { Host } from './host.js';
import { Latest } from './latest.js';
import { largestMappedLine } from './live/rows.js';
import { sentenceOf } from './question.js';
import type { Store } from './store.js';
import { strings } from './strings.js';
import { listedBy, type Pin, type Selection, type SourceLine, type ViewState } from './viewState.js';

/** During zoom and pan, the present picture is stretched; new curves and bands cost more than a frame. */
const CURVE_PACE_MS = 150;

export class TimelineSession {
  private pixels = 0;
  /** The events that were visible when the axis was changed, until the new axis is known. */
  private carriedEvents: Range | null = null;
  /** The view of a snapshot that disappeared, for example while it is overwritten; restored when it is back. */
  private parked: Pick<ViewState, 'selection' | 'range' | 'pin'> | null = null;
  /** True while the curve that is shown is of another snapshot or on another axis than requested. */
  private curveIsOld = false;
  /** True until the end of the history is known, where it shall be pinned. */
  private pinEnd = false;
  /** The last snapshot that was opened, at its failed allocation or, the only one of its run, at its peak. */
  private openedAt = '';
  /** The event whose largest line shall be opened when it is known. */
  private openAtEvent: number | null = null;

  private readonly list = new Latest<null, TimelineState>(() => this.call('ready', { protocol: TIMELINE_PROTOCOL }), {
    answer: (state) => this.receiveState(state, true),
    failure: (error) => this.store.update({ choicesError: sentenceOf(error) }),
  });

  private readonly curve = new Latest<TimelineQuery, TimelineWindow>(
    async (query, signal) => {
      const { packed, ...window } = await this.call('timeline', query, signal);
      return { ...window, ...unpackPoints(packed) };
    },
    {
      answer: (answer) => this.receiveCurve(answer),
      failure: (error) => this.store.update({ curveError: sentenceOf(error) }),
      settled: () => this.store.update({ curveLoading: false }),
    },
    CURVE_PACE_MS,
  );

  private readonly live = new Latest<LiveAtQuery, LiveAt>((query, signal) => this.call('liveAt', query, signal), {
    answer: (answer) => this.receiveLive(answer),
    failure: (error) => {
      this.openAtEvent = null;
      this.store.update({ live: null, liveError: sentenceOf(error) });
    },
    settled: () => this.store.update({ liveLoading: false }),
  });

  constructor(
    private readonly store: Store<ViewState>,
    private readonly host: Pick<Host, 'call'>,
  ) {
    store.watch((state, before) => {
      if (listedBy(state) !== listedBy(before)) this.askLive();
    });
  }

  /** The view to restore when its snapshot is back, else null. */
  get awaited(): Pick<ViewState, 'selection' | 'range' | 'pin'> | null {
    return this.parked;
  }

  /** Requests everything again: at the start, and when messages may be lost. */
  refresh(): void {
    this.store.update({ choicesError: null });
    this.list.restart(null);
  }

  /**
   * Follows a complete state of the extension: the view stays if it still exists and the user requested nothing else.
   * @param restart true if answers to open questions may be lost
   */
  receiveState(state: TimelineState, restart = false): void {
    const { selection: shown, highlight, request } = this.store.get();
    const asked = state.request !== request && state.request > 0;
    const requested = asked && hasAll(state.choices, state.compared) ? existing(state.selected, state.choices) : null;
    const parked = existing(this.parked?.selection ?? null, state.choices);
    const back = requested === null || sameSelection(requested, parked) ? parked : null;
    const remaining = back ?? existing(shown, state.choices);
    const selection = requested ?? remaining ?? existing(state.selected, state.choices) ?? first(state);
    this.store.update({
      choices: state.choices,
      reading: state.reading ?? false,
      choicesError: null,
      // A wish for a snapshot that is not there yet stays open.
      request: requested !== null || !asked ? state.request : request,
      highlight: requested === null ? highlight : state.highlight,
      ...(requested !== null && this.viewFor(state)),
      ...(requested !== null && state.pane !== null && { pane: state.pane }),
    });
    if (!sameSelection(selection, shown)) {
      const { range, pin } = this.store.get();
      const gone = this.parked ?? (shown === null ? null : { selection: shown, range, pin });
      this.show(selection);
      if (back !== null) this.store.update({ range: gone?.range ?? null, pin: gone?.pin ?? null });
      else if (remaining === null && requested === null) this.parked = gone;
    }
    if (requested !== null && state.highlight !== null) this.pinEnd = true;
    this.askCurve(restart);
    this.askLive();
  }

  select(selection: Selection): void {
    if (sameSelection(selection, this.store.get().selection)) return;
    this.show(selection);
    this.askCurve(true);
  }

  setAxis(axis: TimelineAxis): void {
    const { axis: before, range, curve } = this.store.get();
    if (axis === before) return;
    this.carriedEvents = range !== null && curve !== null ? eventsOfRange(range, curve) : null;
    this.curveIsOld = true;
    this.store.update({ axis, range: null });
    this.askCurve(true);
  }

  /** Sets the width of the plot, in pixels; there is no request before that. */
  setPixels(pixels: number): void {
    const rounded = Math.round(pixels);
    if (rounded === this.pixels || rounded <= 0) return;
    this.pixels = rounded;
    this.askCurve(false);
  }

  /** Shows a stretch of the history, cut to its extent; null for all. */
  setRange(range: Range | null): void {
    const { curve } = this.store.get();
    if (curve === null || this.curveIsOld) return;
    const fitted = range === null ? null : fitRange(range, drawableExtent(curve.extent), NARROWEST[curve.axis]);
    if (sameRange(fitted, this.store.get().range)) return;
    this.parked = null;
    this.store.update({ range: fitted });
    this.askCurve(false);
  }

  /** Shows a stretch of the byte axis, which must be one that exists; null for all that is in view. */
  setHeights(heights: Range | null): void {
    if (!sameRange(heights, this.store.get().heights)) this.store.update({ heights });
  }

  /** Selects an instant. A second call for it, or `open`, opens its largest line. */
  pin(pin: Pin, open = false): void {
    const { pin: before, live } = this.store.get();
    const again = before?.event === pin.event;
    if (again || open) this.openAtEvent = pin.event;
    if (again && live?.event === pin.event) {
      this.parked = null;
      this.store.update({ pin, openError: null });
      this.openLargest(live);
    } else this.lookInto(pin);
  }

  /** Looks into an instant, whatever was looked into before. */
  lookInto(pin: Pin): void {
    this.parked = null;
    this.store.update({ pin, openError: null });
    this.askLive();
  }

  unpin(): void {
    this.openAtEvent = null;
    this.store.update({ pin: null, openError: null });
    this.askLive();
  }

  /** Opens the line of a band, or shows that the workspace has no such file. */
  openBand({ place }: { place: (SourceLine & { mapped: boolean }) | null }): void {
    if (place?.mapped === true) this.openSource(place);
    else this.store.update({ openError: strings.bandNotMapped });
  }

  openSource(target: SourceLine): void {
    this.store.update({ openError: null });
    const { file, line } = target;
    this.call('openSource', { file, line, preserveFocus: false }).catch((error: unknown) =>
      this.store.update({ openError: strings.openFailed(sentenceOf(error)) }),
    );
  }

  /** Applies the fix of an allocating line. */
  fixLeak({ file, line }: SourceLine): void {
    this.call('fixLeak', { file, line }).catch((error: unknown) => this.store.update({ openError: sentenceOf(error) }));
  }

  /** Runs a command of the extension. */
  run(command: (typeof PAGE_COMMANDS)[number]): void {
    this.call('run', { command }).catch((error: unknown) => this.store.update({ openError: sentenceOf(error) }));
  }

  /** Goes back to the timeline, in the editor as well. */
  clearComparison(): void {
    this.store.update({ view: 'timeline' });
    this.run('clearComparison');
  }

  retryCurve(): void {
    this.askCurve(true);
  }

  retryLive(): void {
    this.askLive();
  }

  private call<Name extends keyof TimelineApi>(
    method: Name,
    params: TimelineApi[Name]['params'],
    signal?: AbortSignal,
  ): Promise<TimelineApi[Name]['result']> {
    return this.host.call(method, params, signal);
  }

  private viewFor({ compared }: TimelineState): Pick<ViewState, 'view' | 'compare'> {
    const { compare } = this.store.get();
    return compared === null
      ? { view: 'timeline', compare }
      : { view: 'compare', compare: { ...compare, pair: compared } };
  }

  private show(selection: Selection | null): void {
    this.carriedEvents = null;
    this.parked = null;
    this.curveIsOld = true;
    this.pinEnd = false;
    this.openAtEvent = null;
    this.live.cancel();
    this.store.update({
      selection,
      range: null,
      heights: null,
      pin: null,
      live: null,
      liveError: null,
      liveLoading: false,
      openError: null,
      ...(selection === null && { curve: null, curveError: null }),
    });
  }

  private askCurve(restart: boolean): void {
    const { selection, axis, range } = this.store.get();
    if (selection === null) {
      this.curve.cancel();
      this.store.update({ curveLoading: false });
      return;
    }
    if (this.pixels === 0) return;
    const query = { ...selection, axis, window: range, pixels: this.pixels };
    this.store.update({ curveLoading: true, curveError: null });
    if (restart) this.curve.restart(query);
    else this.curve.request(query);
  }

  private receiveCurve(curve: TimelineWindow): void {
    const { selection, pin, live } = this.store.get();
    if (!sameSelection(selection, curve)) return;
    this.curveIsOld = false;
    this.store.update({ curve, curveError: null });
    this.fitRangeTo(curve);
    if (this.carriedEvents !== null) {
      const range = rangeOfEvents(this.carriedEvents, curve);
      this.carriedEvents = null;
      this.setRange(range);
    }
    const opening = `${curve.path} ${curve.device} ${curve.failed?.event ?? ''}`;
    const opens = opening !== this.openedAt && !this.pinEnd && pin === null && this.parked === null;
    this.openedAt = opening;
    const first = curve.failed ?? (curve.events > 0 && isAlone(this.store.get()) ? curve.peak : null);
    if (first !== null && opens) this.lookInto({ event: first.event, axis: curve.axis, x: first.x });
    else if (this.pinEnd) {
      this.pinEnd = false;
      const event = curve.events - 1;
      if (pin?.event !== event) this.pin({ event, axis: curve.axis, x: curve.extent.to });
    } else if (pin === null) {
      if (live?.event !== curve.events - 1) this.askLive();
    } else if (pin.event >= curve.events) this.unpin();
    else this.store.update({ pin: placePin(pin, curve, live) });
  }

  /** A file that was read again may have become shorter. */
  private fitRangeTo(curve: TimelineWindow): void {
    const { range } = this.store.get();
    if (range === null) return;
    const fitted = fitRange(range, drawableExtent(curve.extent), NARROWEST[curve.axis]);
    if (!sameRange(fitted, range)) this.store.update({ range: fitted });
  }

  /** Requests the live memory at the selected instant, else at the end. */
  private askLive(): void {
    const { selection, pin, curve } = this.store.get();
    const last = curve !== null && sameSelection(selection, curve) ? curve.events - 1 : null;
    const event = pin?.event ?? last;
    if (selection === null || event === null) return;
    this.store.update({ liveLoading: true, liveError: null });
    this.live.restart({ ...selection, event, by: listedBy(this.store.get()) });
  }

  private receiveLive(live: LiveAt): void {
    const { live: before } = this.store.get();
    // The same answer again shall not rebuild a table that is being read.
    const same = JSON.stringify(live) === JSON.stringify(before);
    this.store.update({ live: same ? before : live, liveError: null });
    if (this.openAtEvent === live.event) this.openLargest(live);
  }

  private openLargest(live: LiveAt): void {
    this.openAtEvent = null;
    const line = largestMappedLine(live);
    if (line === null) this.store.update({ openError: strings.nothingMapped });
    else this.openSource(line);
  }
}

/** True if both snapshots of a pair are there; of no pair, too. */
function hasAll(choices: readonly TimelineChoice[], pair: TimelineState['compared']): boolean {
  return pair === null || [pair.a, pair.b].every((path) => choices.some((choice) => choice.path === path));
}

/** The selection if it is among the choices, on its first device if it has not the one that was named. */
function existing(selection: Selection | null, choices: readonly TimelineChoice[]): Selection | null {
  const choice = choices.find(({ path }) => path === selection?.path);
  if (selection === null || choice === undefined) return null;
  const { path, devices } = choice;
  if (devices.includes(selection.device)) return selection;
  return { path, device: devices.at(0) ?? selection.device };
}

/** The default view: the newest snapshot, which is last. */
function first(state: TimelineState): Selection | null {
  const choice = state.choices.at(-1);
  return choice === undefined ? null : { path: choice.path, device: choice.devices.at(0) ?? 0 };
}

/** True if the snapshot that shows is the only one of its run. */
function isAlone({ choices, selection }: ViewState): boolean {
  const own = choices?.find(({ path }) => path === selection?.path);
  return own?.kind === 'snapshot' && choices?.filter(({ run }) => run === own.run).length === 1;
}

function sameSelection(a: Selection | null, b: Selection | null): boolean {
  return a?.path === b?.path && a?.device === b?.device;
}

function sameRange(a: Range | null, b: Range | null): boolean {
  return a?.from === b?.from && a?.to === b?.to;
}
