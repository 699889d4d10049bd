/** The flame graph of live memory at the selected instant, with search, folding and navigation. */
import type { Flame } from '../../src/protocol/flameData.js';
import { flameTable } from './flameText.js';
import type { Saved } from '../parts/saveMenu.js';
import { savedName } from '../parts/savedName.js';
import { byteText } from '../../src/core/text/numberText.js';
import { formatShare } from '../text/format.js';
import { cssOf } from '../layer/palette.js';
import { paintOf } from '../layer/swatches.js';
import { whenOf } from '../text/instant.js';
import { createSearch } from '../parts/search.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { strings } from '../text/strings.js';
import { createChoice } from '../ui/choice.js';
import { coarse } from '../model/question.js';
import { resize, type ViewState } from '../model/viewState.js';
import { bytesThrough, findItems, flameItems, type FlameItem } from './flameItems.js';
import { createFlamePane } from './flamePane.js';
import type { FlameSession } from './flameSession.js';
import type { FlameMeasure } from '../model/flameState.js';
import { byteTime, callName, itemClasses, itemText, shortName } from './flameText.js';

export function createFlameView(
  store: Store<ViewState>,
  session: TimelineSession,
  flames: FlameSession,
): { element: HTMLElement; saved: Saved } {
  const answer = () => flames.store.get().answer;
  const measure = createChoice<FlameMeasure>({
    label: strings.flameMeasure,
    names: strings.flameMeasureName,
    onPick: (measure) => flames.choose({ measure }),
  });
  let items: readonly FlameItem[] = [];
  const pane = createFlamePane(store, session, {
    label: strings.flame,
    tree: strings.flameTree,
    measure: measure.element,
    search: createSearch(store),
    focused: () => store.get().flame.focus,
    focus: (focus) => flames.choose({ focus }),
    // The path to the focused call may have changed.
    fold: (folded) => flames.choose({ folded, focus: [] }),
    textOf: (item) => {
      const flame = answer();
      return flame === null ? '' : itemText(item, flame);
    },
    retry: () => flames.retry(),
  });
  const { graph, scroller } = pane;
  new ResizeObserver(() => resize(store, { flamePixels: coarse(scroller.clientWidth) })).observe(scroller);

  /** After an answer, or after a change of the search. */
  const showFound = (): void => {
    const flame = answer();
    const state = store.get();
    const found = findItems(items, state.filter, callName);
    graph.mark(found);
    pane.summarize(flame === null ? '' : summaryOf(flame, state, items, found));
  };
  const draw = (): void => {
    const flame = answer();
    graph.show(items, flame?.focus.length ?? 0, (item) => ({
      text: `${shortName(item)}  ${byteText(item.bytes)}`,
      fill: fillOf(store.get(), item),
      label: flame === null ? '' : itemText(item, flame),
      classes: itemClasses(item),
    }));
  };
  flames.store.watch(({ answer: flame, loading, error }, before) => {
    pane.stand({ loading, error: error === null ? null : strings.flameFailed(error) });
    graph.element.hidden = flame === null;
    if (flame === before.answer) return;
    items = flame === null ? [] : flameItems(flame);
    draw();
    showFound();
  });
  store.watch((state, before) => {
    const { pin, curve, filter } = state;
    const flame = answer();
    scroller.classList.toggle('stale', flame !== null && flame.event !== (pin?.event ?? (curve?.events ?? 0) - 1));
    if (state.wholeBands !== before.wholeBands && state.pane === 'flame') draw();
    if (state.flame === before.flame && filter === before.filter && state !== before) return;
    const { folded, measure: measured, focus } = state.flame;
    measure.show(measured);
    pane.showControls(folded, focus.length > 0);
    showFound();
  });

  return {
    element: pane.element,
    saved: {
      label: strings.paneName.flame,
      name: () => savedName(store.get(), 'flame'),
      table: () => (items.length === 0 ? null : flameTable(items)),
    },
  };
}

function summaryOf(flame: Flame, state: ViewState, items: readonly FlameItem[], found: ReadonlySet<number>): string {
  const when = whenOf(flame, state);
  const { over, liveBytes } = flame;
  const live =
    over === null ? strings.flameSummary(when, liveBytes) : strings.meanSummary(liveBytes, byteTime(liveBytes, over));
  if (state.filter.trim() === '') return `${live}.`;
  const bytes = bytesThrough(items, found);
  return `${live}. ${strings.found(found.size, bytes, formatShare(bytes, flame.liveBytes))}`;
}

/** The chart's color for the call's own allocations. */
function fillOf(state: ViewState, { call, self }: FlameItem): string | null {
  const paint = call === null || !call.mapped || (self ?? 0) === 0 ? null : paintOf(state, call);
  return paint === null ? null : cssOf(paint.fill);
}
