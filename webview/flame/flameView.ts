/** The flame graph of live memory at the selected instant, with search, folding and navigation. */
import type { Flame } from '../../src/protocol/flameData.js';
import { flameTable } from './flameText.js';
import { tabOf, type Tab } from '../parts/pane.js';
import { byteText } from '../../src/core/text/numberText.js';
import { formatShare } from '../text/format.js';
import { cssOf } from '../layer/palette.js';
import { paintOf } from '../layer/swatches.js';
import { whenOf } from '../text/instant.js';
import { createSearch } from '../parts/search.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { t, tCount } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { createChoice } from '../ui/choice.js';
import { coarse, type Question } from '../model/question.js';
import { resize, type ViewState } from '../model/viewState.js';
import { bytesThrough, findItems, flameItems, type FlameItem } from './flameItems.js';
import { createFlamePane } from './flamePane.js';
import type { FlameMeasure } from '../model/flameState.js';
import { byteTime, callName, itemClasses, itemText, shortName } from './flameText.js';

export function createFlameView(store: Store<ViewState>, session: TimelineSession, flames: Question<'flame'>): Tab {
  const measure = createChoice<FlameMeasure>({
    label: t('Width of the boxes'),
    names: { live: t('Live bytes'), mean: t('Bytes × lifetime in view') },
    onPick: (measure) => session.chooseFlame({ measure }),
  });
  let items: readonly FlameItem[] = [];
  const pane = createFlamePane(store, session, {
    label: t('Live memory by call'),
    tree: t('Calls from the outermost down; the width is their live bytes'),
    measure: measure.element,
    search: createSearch(store),
    focused: () => store.get().flame.focus,
    focus: (focus) => session.chooseFlame({ focus }),
    // The path to the focused call may have changed.
    fold: (folded) => session.chooseFlame({ folded, focus: [] }),
    textOf: (item) => (flames.answer === null ? '' : itemText(item, flames.answer)),
    retry: () => flames.retry(),
  });
  const { graph, scroller } = pane;
  new ResizeObserver(() => resize(store, { flamePixels: coarse(scroller.clientWidth) })).observe(scroller);

  const showFound = (): void => {
    const { answer } = flames;
    const state = store.get();
    const found = findItems(items, state.filter, callName);
    graph.mark(found);
    pane.summarize(answer === null ? '' : summaryOf(answer, state, items, found));
  };
  const draw = (): void => {
    const { answer } = flames;
    graph.show(items, answer?.focus.length ?? 0, (item) => ({
      text: `${shortName(item)}  ${byteText(item.bytes)}`,
      fill: fillOf(store.get(), item),
      label: answer === null ? '' : itemText(item, answer),
      classes: itemClasses(item),
    }));
    showFound();
  };
  store.follow(
    ({ flame }) => [flame],
    ([{ folded, measure: measured, focus }]) => {
      measure.show(measured);
      pane.showControls(folded, focus.length > 0);
    },
  );
  store.follow(({ flame, filter }) => [flame, filter], showFound);
  store.follow(({ wholeBands, pane }) => [pane === 'flame' ? wholeBands : null], draw);
  store.watch(({ pin, curve }) => {
    const { answer } = flames;
    scroller.classList.toggle('stale', answer !== null && answer.event !== (pin?.event ?? (curve?.events ?? 0) - 1));
  });

  return tabOf(pane, {
    question: flames,
    render: (flame) => {
      graph.element.hidden = flame === null;
      items = flame === null ? [] : flameItems(flame);
      draw();
      pane.takeFocus(flames);
    },
    table: () => flameTable(items),
    failed: strings.flameFailed,
    saved: { label: strings.paneName.flame, what: 'flame' },
  });
}

function summaryOf(flame: Flame, state: ViewState, items: readonly FlameItem[], found: ReadonlySet<number>): string {
  const when = whenOf(flame, state);
  const { over, liveBytes } = flame;
  const live =
    over === null
      ? t('{0}: {1} live', when, byteText(liveBytes))
      : t('In view: {0} live on average, {1}', byteText(liveBytes), byteTime(liveBytes, over));
  if (state.filter.trim() === '') return `${live}.`;
  const bytes = bytesThrough(items, found);
  return `${live}. ${foundText(found.size, bytes, formatShare(bytes, flame.liveBytes))}`;
}

function foundText(calls: number, bytes: number, share: string): string {
  if (calls === 0) return t('No call in view matches.');
  return tCount(
    calls,
    '1 call in view matches; {1} ({2}) passed through it.',
    '{0} calls in view match; {1} ({2}) passed through them.',
    byteText(bytes),
    share,
  );
}

/** The chart's color for the call's own allocations. */
function fillOf(state: ViewState, { call, self }: FlameItem): string | null {
  const paint = call === null || !call.mapped || (self ?? 0) === 0 ? null : paintOf(state, call);
  return paint === null ? null : cssOf(paint.fill);
}
