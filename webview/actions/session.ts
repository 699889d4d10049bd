/** The user's actions and their effects on the state: the only place that calls the extension. */
import { unpackPoints } from '../../src/protocol/curveCode.js';
import { type PAGE_COMMANDS, type TimelineChoice, type TimelineState } from '../../src/protocol/timelineApi.js';
import { MAX_FOCUS } from '../../src/protocol/flameData.js';
import type { RunCurve } from '../../src/protocol/runData.js';
import type { LiveAt, LiveLine, OwnerSums, TimelineAxis, TimelineWindow } from '../../src/protocol/timelineData.js';
import type { CompareChoices } from '../model/compareState.js';
import type { FlameChoices } from '../model/flameState.js';
import { busyRange } from '../model/busyRange.js';
import { axesOf, eventsOfRange, placePin, rangeOfEvents } from '../model/axisChange.js';
import { drawableExtent, fitRange, NARROWEST, type Range } from '../model/range.js';
import type { Host } from '../model/host.js';
import { Latest } from '../model/latest.js';
import { CURVE_PACE_MS, currentCurve, Question, reasonOf, type Asks } from '../model/question.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import {
  listedBy,
  OF_SNAPSHOT,
  type Pin,
  type Selection,
  type SourceLine,
  type ViewState,
} from '../model/viewState.js';

const CURVE: Asks<'timeline'> = {
  method: 'timeline',
  query: ({ selection, axis, range: window, plotWidth: pixels }) =>
    selection === null ? null : pixels === 0 ? undefined : { ...selection, axis, window, pixels },
  outlives: true,
  paceMs: CURVE_PACE_MS,
};

const LIVE: Asks<'liveAt'> = {
  method: 'liveAt',
  query: (state) => {
    const { selection, pin } = state;
    const curve = currentCurve(state);
    const event = pin?.event ?? (curve === null ? null : curve.events - 1);
    return selection === null || event === null ? null : { ...selection, event, by: listedBy(state) };
  },
};

export class TimelineSession {
  readonly curve: Question<'timeline', TimelineWindow>;
  readonly live: Question<'liveAt'>;
  /** The events that were visible when the axis was changed, until the new axis is known. */
  private carriedEvents: Range | null = null;
  /** The view of a snapshot that disappeared, for example while it is overwritten; restored when it is back. */
  private parked: Pick<ViewState, 'selection' | 'range' | 'pin'> | null = null;
  /** Where the next curve is looked into: at what matters in its snapshot, at its end, or where it was. */
  private arrival: 'opening' | 'end' | null = 'opening';
  /** The event whose largest line shall be opened when it is known. */
  private openAtEvent: number | null = null;

  private readonly list = new Latest<null, TimelineState>(() => this.host.call('ready', {}), {
    answer: (state) => this.receiveState(state),
    failure: (error) => this.store.update({ choicesError: reasonOf(error) }),
  });

  constructor(
    private readonly store: Store<ViewState>,
    private readonly host: Pick<Host, 'call'>,
  ) {
    this.curve = new Question(store, host, CURVE, ({ packed, ...window }): TimelineWindow => ({
      ...window,
      ...unpackPoints(packed),
    }));
    this.live = new Question(store, host, LIVE);
    this.curve.store.watch(({ answer, loading, error }, before) => {
      const arrived = answer === null || answer === before.answer ? { curve: answer } : this.arrived(answer);
      store.update({ ...arrived, curveLoading: loading, curveError: error });
    });
    this.live.store.watch(({ answer, error }, before) => {
      const { live } = store.get();
      // An equal answer should not rebuild a table that is being read.
      const isSame = answer !== before.answer && JSON.stringify(answer) === JSON.stringify(live);
      store.update({ live: isSame ? live : answer });
      if (error !== null) this.openAtEvent = null;
      if (answer !== null && answer.event === this.openAtEvent) this.openLargest(answer);
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
   */
  receiveState(state: TimelineState): void {
    const { selection: shown, highlight, request, revision } = this.store.get();
    const asked = state.request !== request && state.request > 0;
    const requested = asked && hasAll(state.choices, state.compared) ? existing(state.selected, state.choices) : null;
    const parked = existing(this.parked?.selection ?? null, state.choices);
    const back = requested === null || sameSelection(requested, parked) ? parked : null;
    const remaining = back ?? existing(shown, state.choices);
    const selection = requested ?? remaining ?? existing(state.selected, state.choices) ?? first(state);
    const isOther = !sameSelection(selection, shown);
    const { range, pin } = this.store.get();
    const gone = this.parked ?? (shown === null ? null : { selection: shown, range, pin });
    this.store.update({
      choices: state.choices,
      revision: revision + 1,
      reading: state.reading ?? false,
      choicesError: null,
      // A wish for a snapshot that is not there yet stays open.
      request: requested !== null || !asked ? state.request : request,
      highlight: requested === null ? highlight : state.highlight,
      ...(requested !== null && this.viewFor(state)),
      ...(requested !== null && state.pane !== null && { pane: state.pane }),
      ...(isOther && this.opened(selection)),
      ...(isOther && back !== null && { range: gone?.range ?? null, pin: gone?.pin ?? null }),
    });
    if (isOther && back === null && remaining === null && requested === null) this.parked = gone;
    if (requested !== null && state.highlight !== null) this.arrival = 'end';
  }

  select(selection: Selection): void {
    if (sameSelection(selection, this.store.get().selection)) return;
    this.store.update(this.opened(selection));
  }

  setAxis(axis: TimelineAxis): void {
    const { axis: before, range, curve } = this.store.get();
    if (axis === before) return;
    this.carriedEvents = range !== null && curve !== null ? eventsOfRange(range, curve) : null;
    this.store.update({ axis, range: null });
  }

  /** Shows a stretch of the history, cut to its extent; null for all. */
  setRange(range: Range | null): void {
    // The whole of an axis that is not known yet is the whole.
    if (range === null) this.carriedEvents = null;
    const curve = currentCurve(this.store.get());
    if (curve === null || !isOnAxis(curve, this.store.get().axis)) return;
    const fitted = fittedTo(curve, range);
    if (sameRange(fitted, this.store.get().range)) return;
    this.parked = null;
    this.store.update({ range: fitted });
  }

  showWhole(): void {
    this.setRange(null);
    this.setHeights(null);
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
  }

  unpin(): void {
    this.openAtEvent = null;
    this.store.update({ pin: null, openError: null });
  }

  /** Opens the line of a band, or shows that the workspace has no such file. */
  openBand({ place }: { place: (SourceLine & { mapped: boolean }) | null }): void {
    if (place?.mapped === true) this.openSource(place);
    else this.store.update({ openError: t('The workspace does not have the file of this series.') });
  }

  openSource(target: SourceLine): void {
    const { file, line } = target;
    this.send(this.host.call('openSource', { file, line }), (error) =>
      t('The line could not be opened: {0}', reasonOf(error)),
    );
  }

  /** Shows a snapshot of the run at an event of its trace, by default the end. */
  showPart({ parts, device }: RunCurve, part: number, event: number | null = null): void {
    const { path, events } = parts[part];
    this.select({ path, device });
    // A snapshot without a trace is shown alone.
    if (events === 0) return;
    const at = event ?? events - 1;
    this.lookInto({ event: at, axis: 'events', x: at });
  }

  /** Changes the choices of the flame graph. A call of `focus` fills the width, if it still exists. */
  chooseFlame(change: Partial<FlameChoices>): void {
    if ((change.focus?.length ?? 0) <= MAX_FOCUS)
      this.store.update({ flame: { ...this.store.get().flame, ...change } });
  }

  /** Draws the reserved memory and the layout with a change, or no longer if they are drawn. */
  chooseChange(change: string): void {
    this.store.update({ change: change === this.store.get().change ? null : change });
  }

  /** Changes the choices of the comparison. */
  chooseCompared(change: Partial<CompareChoices>): void {
    const others = change.pair === undefined && change.folded === undefined ? {} : { compareFocus: [] };
    this.store.update({ compare: { ...this.store.get().compare, ...change }, ...others });
  }

  /** Lets a compared call fill the width. @param focus ids of the calls down to it, outermost first; none for everything */
  focusCompared(focus: readonly number[]): void {
    if (focus.length <= MAX_FOCUS) this.store.update({ compareFocus: focus });
  }

  /** Applies the fix of an allocating line. */
  fixLeak({ file, line }: SourceLine): void {
    this.send(this.host.call('fixLeak', { file, line }));
  }

  /** Runs a command of the extension. */
  run(command: (typeof PAGE_COMMANDS)[number]): void {
    this.send(this.host.call('run', { command }));
  }

  /** Adds a setting of the allocator to the file that gives the program its environment. */
  applySetting(assignment: string): void {
    this.send(this.host.call('applySetting', { assignment }));
  }

  copySetting(assignment: string): void {
    this.send(this.host.call('copyText', { text: assignment }), (error) => t('Copying failed: {0}', reasonOf(error)));
  }

  /** Goes back to the timeline, in the editor as well. */
  clearComparison(): void {
    this.store.update({ view: 'timeline' });
    this.run('clearComparison');
  }

  private send(sent: Promise<null>, textOf: (error: unknown) => string = reasonOf): void {
    this.store.update({ openError: null });
    sent.catch((error: unknown) => this.store.update({ openError: textOf(error) }));
  }

  private viewFor({ compared }: TimelineState): Pick<ViewState, 'view' | 'compare'> {
    const { compare } = this.store.get();
    return compared === null
      ? { view: 'timeline', compare }
      : { view: 'compare', compare: { ...compare, pair: compared } };
  }

  /** The state of another snapshot. */
  private opened(selection: Selection | null): Partial<ViewState> {
    this.carriedEvents = null;
    this.parked = null;
    this.arrival = 'opening';
    this.openAtEvent = null;
    return { selection, ...OF_SNAPSHOT, flame: { ...this.store.get().flame, focus: [] } };
  }

  /** The state with a new curve: a file that was read again may have become shorter. */
  private arrived(curve: TimelineWindow): Partial<ViewState> {
    const state = this.store.get();
    const { arrival, carriedEvents } = this;
    this.arrival = this.carriedEvents = null;
    const known = carriedEvents === null ? state.range : rangeOfEvents(carriedEvents, curve);
    const range = known === null && arrival === 'opening' && this.parked === null ? busyRange(curve) : known;
    const pin = this.pinFor(curve, arrival, state);
    return { curve, range: fittedTo(curve, range), pin, ...(pin !== state.pin && { openError: null }) };
  }

  private pinFor(curve: TimelineWindow, arrival: typeof this.arrival, state: ViewState): Pin | null {
    const { axis, events, extent, failed, peak } = curve;
    const { pin, live } = state;
    if (arrival === 'end' && pin?.event !== events - 1) return { event: events - 1, axis, x: extent.to };
    if (pin !== null) return pin.event >= events ? null : placePin(pin, curve, live);
    if (arrival !== 'opening' || this.parked !== null) return null;
    const first = failed ?? (events > 0 && isAlone(state) ? peak : null);
    return first === null ? null : { event: first.event, axis, x: first.x };
  }

  private openLargest(live: LiveAt): void {
    this.openAtEvent = null;
    const line = largestMappedLine(live);
    if (line === null) this.store.update({ openError: t('No line with live memory is in this workspace.') });
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

/** False while the curve of another axis shows. */
function isOnAxis(curve: TimelineWindow, axis: TimelineAxis): boolean {
  return curve.axis === axis || !axesOf(curve).includes(axis);
}

function fittedTo({ axis, extent }: TimelineWindow, range: Range | null): Range | null {
  return range === null ? null : fitRange(range, drawableExtent(extent), NARROWEST[axis]);
}

function sameSelection(a: Selection | null, b: Selection | null): boolean {
  return a?.path === b?.path && a?.device === b?.device;
}

function sameRange(a: Range | null, b: Range | null): boolean {
  return a?.from === b?.from && a?.to === b?.to;
}

/** The line to open straight away: the largest that is a file of the workspace. Null if there is none. */
export function largestMappedLine(live: OwnerSums): LiveLine | null {
  let largest: LiveLine | null = null;
  for (const line of live.lines) if (line.mapped && line.bytes > (largest?.bytes ?? 0)) largest = line;
  return largest;
}
