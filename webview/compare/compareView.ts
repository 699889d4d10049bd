/** Two snapshots side by side: their curves over each other, and their growth as a table and as a flame graph. */
import { el, setText } from '../ui/dom.js';
import { comparable, devicesOf, groupsOf } from '../parts/choiceGroups.js';
import type { Host } from '../model/host.js';
import { seriesTable as savedSeries } from './compareTables.js';
import { createSaveMenu } from '../parts/saveMenu.js';
import { createFailure, createMessage } from '../parts/message.js';
import { createSeriesView } from '../series/seriesView.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { deviceName } from '../../src/core/text/deviceName.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { createButton } from '../ui/button.js';
import { createDropdown } from '../ui/dropdown.js';
import { createProgress } from '../ui/progress.js';
import { createSplitter } from '../parts/splitter.js';
import { createChoice } from '../ui/choice.js';
import type { ComparePair, SeriesAxis, SeriesRef } from '../../src/protocol/compareData.js';
import { coarse } from '../model/question.js';
import { shownSeries, type Questions } from '../model/questions.js';
import { resize, type ViewState } from '../model/viewState.js';
import { createCompareGrowth } from './compareGrowth.js';
import type { TimelineChoice } from '../../src/protocol/timelineApi.js';
import { popup } from '../parts/popup.js';
import { createCheckbox } from '../ui/checkbox.js';

/** Maximum number of boxes to tick. */
const MAX_OFFERED = 64;

export function createCompareView(
  store: Store<ViewState>,
  session: TimelineSession,
  questions: Questions,
  host: Pick<Host, 'call'>,
): HTMLElement {
  const side = (label: string, which: 'a' | 'b'): ReturnType<typeof createDropdown> =>
    createDropdown({
      label,
      onPick: (path) => {
        const { pair } = store.get().compare;
        if (pair !== null) session.chooseCompared({ pair: { ...pair, [which]: path } });
      },
    });
  const before = side(t('Snapshot A (before)'), 'a');
  const after = side(t('Snapshot B (after)'), 'b');
  for (const { element } of [before, after]) element.classList.add('snapshots');
  const swap = createButton({
    text: '⇄',
    hint: t('Swap A and B'),
    kind: 'sign',
    onPress: () => {
      const { pair } = store.get().compare;
      if (pair !== null) session.chooseCompared({ pair: { a: pair.b, b: pair.a } });
    },
  });
  const sameStep = createButton({
    text: t('At the Same Step'),
    hint: t('Compare the two runs where both took a snapshot at the same step, the latest such'),
    onPress: () => {
      const { choices, compare } = store.get();
      const pair = compare.pair === null ? null : pairAtSameStep(comparable(choices), compare.pair);
      if (pair !== null) session.chooseCompared({ pair });
    },
  });
  const device = createDropdown({
    label: strings.device,
    onPick: (value) => session.chooseCompared({ device: Number(value) }),
  });
  const extent = createChoice<'snapshots' | 'runs'>({
    label: t('Curves of'),
    names: { snapshots: t('Snapshots'), runs: t('Whole runs') },
    onPick: (value) => session.chooseCompared({ whole: value === 'runs' }),
  });
  const axis = createChoice<SeriesAxis>({
    label: strings.axis,
    names: { step: t('Steps'), time: t('Time'), events: t('Events') },
    onPick: (value) => session.chooseCompared({ axis: value }),
  });
  const clear = createButton({ text: t('Clear Comparison'), onPress: () => session.clearComparison() });
  const progress = createProgress(strings.loading);
  const failure = createFailure(() => questions.series.retry());
  const hint = createMessage('hint');
  const summary = el('p', { class: 'summary', role: 'status' });
  const series = createSeriesView((one) => seriesName(store.get().choices ?? [], one));
  const growth = createCompareGrowth(store, session, questions);
  const name = (text: string, at: number): HTMLElement => {
    const letter = el('span', { class: 'series-letter', 'aria-hidden': 'true' }, text);
    letter.style.setProperty('--color', `var(--leakline-series-${at})`);
    return letter;
  };
  const curves = {
    label: strings.series,
    what: 'curves',
    picture: () => series.picture(),
    table: () => {
      const { answer } = questions.series;
      const names = (answer?.curves ?? []).map((one) => seriesName(store.get().choices ?? [], one));
      return answer === null ? null : savedSeries(answer, names);
    },
  };
  const menu = createSaveMenu(store, host, () => [curves, growth.saved()]);
  const controls = el(
    'div',
    { class: 'controls', role: 'group', 'aria-label': t('Compared snapshots') },
    el('span', { class: 'together' }, name('A', 0), before.element),
    el('span', { class: 'together' }, name('B', 1), after.element),
    el('span', { class: 'together' }, swap, sameStep),
    el('span', { class: 'together' }, extent.element, axis.element, device.element),
    progress.element,
    createOtherSeries(store, session),
    menu,
    clear,
  );
  const head = el('div', { class: 'answer' }, hint.element, summary);
  const picture = el('section', { class: 'history', 'aria-label': strings.series }, failure.element, series.element);
  const view = el('div', { class: 'compare' }, controls, head, picture);
  view.append(createSplitter(store, view), growth.element);
  new ResizeObserver(() => resize(store, { comparePixels: coarse(view.clientWidth) })).observe(view);

  store.watch((state) => {
    const { choices, compare, selection, view: shown } = state;
    const all = comparable(choices);
    const { pair } = compare;
    if (shown === 'compare' && pair === null) {
      const first = firstPair(all, selection?.path ?? null);
      if (first !== null) {
        session.chooseCompared({ pair: first });
        return;
      }
    }
    const there = (path: string | undefined): boolean => all.some((choice) => choice.path === path);
    const missing = choices !== null && pair !== null && !(there(pair.a) && there(pair.b));
    hint.show(
      all.length < 2 && choices !== null
        ? t('A comparison needs two snapshots.')
        : missing
          ? t('A compared snapshot was deleted. Choose another one.')
          : null,
    );
    picture.hidden = growth.element.hidden = pair === null || missing;
    before.show(groupsOf(all), pair?.a ?? '');
    after.show(groupsOf(all), pair?.b ?? '');
    sameStep.hidden = pair === null || pairAtSameStep(all, pair) === null;
    const devices = [...new Set(all.flatMap((choice) => choice.devices))].sort((a, b) => a - b);
    device.element.hidden = devices.length < 2;
    device.show(devicesOf(devices), String(compare.device));
    extent.show(compare.whole ? 'runs' : 'snapshots');
  });
  questions.series.store.watch(({ answer, loading, error }) => {
    progress.show(loading);
    failure.show(error === null ? null : t('The curves could not be read: {0}', error));
    series.element.classList.toggle('stale', loading && answer !== null);
  });
  questions.series.store.follow(
    ({ answer }) => [answer],
    ([answer]) => {
      series.show(answer);
      axis.show(answer?.axis ?? 'events', answer?.axes);
    },
  );
  questions.compareTable.store.follow(
    ({ answer }) => [answer],
    ([table]) => {
      const note =
        table?.reused === true
          ? [t('The traces do not overlap: blocks of equal address, size and stack count as the same block.')]
          : [];
      setText(summary, [...(table?.sentences ?? []), ...note].join(' '));
    },
  );
  return view;
}

/** `step_40.pickle`, or its run where all of it is meant; with the device where there are several. */
function seriesName(choices: readonly TimelineChoice[], { path, device, whole }: SeriesRef): string {
  const choice = choices.find((one) => one.path === path);
  const name = choice === undefined ? path : whole ? choice.run : choice.label;
  const several = choices.some(({ devices }) => devices.length > 1 || devices.some((one) => one !== 0));
  return several ? `${name} · ${deviceName(device)}` : name;
}

/** Boxes for the other runs, ranks and devices. */
function createOtherSeries(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const label = t('Also show');
  const boxesOf = el('fieldset', { class: 'menu', 'aria-label': label });
  const element = popup('other-series', label, boxesOf);
  let built = '';
  store.watch(({ choices, compare }) => {
    const all = comparable(choices);
    const own = shownSeries(compare)
      .slice(0, 2)
      .map((one) => keyOf(one, all));
    const offered = runEnds(all)
      .flatMap(({ path, devices }) => devices.map((device): SeriesRef => ({ path, device, whole: true })))
      .filter((one) => !own.includes(keyOf(one, all)))
      .slice(0, MAX_OFFERED);
    element.hidden = offered.length === 0;
    const ticked = compare.others.map((one) => keyOf(one, all));
    const signature = JSON.stringify([offered, ticked]);
    if (signature === built) return;
    built = signature;
    const focused = [...boxesOf.querySelectorAll('vscode-checkbox')].findIndex((one) => one === document.activeElement);
    const boxes = offered.map((series) => {
      const box = createCheckbox({
        text: seriesName(all, series),
        onChange: (checked) => {
          const rest = store.get().compare.others.filter((one) => keyOf(one, all) !== keyOf(series, all));
          session.chooseCompared({ others: checked ? [...rest, series] : rest });
        },
      });
      box.show(ticked.includes(keyOf(series, all)));
      return box.element;
    });
    boxesOf.replaceChildren(...boxes);
    if (focused !== -1) boxes.at(focused)?.focus();
  });
  return element;
}

/** A key that is equal for a run, whichever snapshot represents it. */
function keyOf({ path, device, whole }: SeriesRef, choices: readonly TimelineChoice[]): string {
  const run = choices.find((choice) => choice.path === path)?.run;
  return JSON.stringify([whole ? (run ?? path) : path, device, whole]);
}

/** The first and the last snapshot of the run that is shown, else any two; null if there are no two. */
function firstPair(choices: readonly TimelineChoice[], shown: string | null): ComparePair | null {
  const run = choices.find(({ path }) => path === shown)?.run;
  const own = choices.filter((choice) => choice.run === run);
  const among = own.length > 1 ? own : choices;
  const [a, b] = [among.at(0), among.at(-1)];
  return a === undefined || b === undefined || a === b ? null : { a: a.path, b: b.path };
}

/** The latest pair of snapshots of two runs at the same step; null for one run, or if there is none. */
function pairAtSameStep(choices: readonly TimelineChoice[], { a, b }: ComparePair): ComparePair | null {
  const [first, second] = [a, b].map((path) => choices.find((choice) => choice.path === path)?.run);
  if (first === undefined || second === undefined || first === second) return null;
  const ofFirst = choices.filter(({ run, step }) => run === first && step !== null);
  const ofSecond = choices.filter(({ run }) => run === second);
  for (const before of ofFirst.toReversed()) {
    const after = ofSecond.findLast(({ step }) => step === before.step);
    if (after !== undefined) return { a: before.path, b: after.path };
  }
  return null;
}

/** A run's last snapshot represents it where whole runs are shown. */
function runEnds(choices: readonly TimelineChoice[]): TimelineChoice[] {
  const last = new Map(choices.map((choice) => [choice.run, choice]));
  return [...last.values()];
}
