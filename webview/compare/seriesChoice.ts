/** The series of the picture: which they are, their values, and which others could be laid over them. */
import type { SeriesRef } from '../../src/protocol/compareData.js';
import type { TimelineChoice } from '../../src/protocol/timelineApi.js';
import { comparable } from '../choiceGroups.js';
import { el } from '../dom.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { popup } from '../popup.js';
import { createCheckbox } from '../ui/checkbox.js';
import type { ViewState } from '../viewState.js';
import type { CompareSession } from './compareSession.js';
import { runEnds } from './pairChoice.js';

/** Boxes to tick at most. */
const MOST_OFFERED = 64;

/** `step_40.pickle`, or its run where all of it is meant; with the device where there are several. */
export function seriesName(choices: readonly TimelineChoice[], { path, device, whole }: SeriesRef): string {
  const choice = choices.find((one) => one.path === path);
  const name = choice === undefined ? path : whole ? choice.run : choice.label;
  const several = choices.some(({ devices }) => devices.length > 1 || devices.some((one) => one !== 0));
  return several ? `${name} · ${strings.deviceName(device)}` : name;
}

/** Boxes for the other runs, ranks and devices. */
export function createOtherSeries(store: Store<ViewState>, compares: CompareSession): HTMLElement {
  const boxesOf = el('fieldset', { class: 'menu', attributes: { 'aria-label': strings.otherSeries } });
  const element = popup('other-series', strings.otherSeries, boxesOf);
  let built = '';
  store.watch(({ choices, compare }) => {
    const all = comparable(choices);
    const own = compares.shownSeries.slice(0, 2).map((one) => keyOf(one, all));
    const offered = runEnds(all)
      .flatMap(({ path, devices }) => devices.map((device): SeriesRef => ({ path, device, whole: true })))
      .filter((one) => !own.includes(keyOf(one, all)))
      .slice(0, MOST_OFFERED);
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
          compares.choose({ others: checked ? [...rest, series] : rest });
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

/** The same for a run with any snapshot as its representative. */
function keyOf({ path, device, whole }: SeriesRef, choices: readonly TimelineChoice[]): string {
  const run = choices.find((choice) => choice.path === path)?.run;
  return JSON.stringify([whole ? (run ?? path) : path, device, whole]);
}
