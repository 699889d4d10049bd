/** The overview of the run above the chart: where a snapshot stands in it, and the way to the others. */
import type { TimelineChoice } from '../../src/protocol/timelineApi.js';
import { el, oncePerFrame, setText } from '../dom.js';
import { createMessage } from '../message.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { readTheme, watchTheme } from '../theme.js';
import type { ViewState } from '../viewState.js';
import { drawRun, pixelOfRun, placeAt } from './runPicture.js';
import type { RunSession } from './runSession.js';
import { partText, runSummary } from './runText.js';

export function createRunView(store: Store<ViewState>, runs: RunSession): HTMLElement {
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      runs.ask();
    },
  });
  const summary = el('p', { class: 'aside' });
  const canvas = el('canvas', { attributes: { 'aria-hidden': 'true' } });
  const shown = el('div', { class: 'shown' });
  const heading = el('h2', {}, strings.run);
  // A slider over the snapshots: assistive technology knows its keys, and reads its value when it changes.
  const strip = el(
    'div',
    {
      class: 'run-strip',
      title: strings.runHint,
      attributes: {
        role: 'slider',
        tabindex: '0',
        'aria-label': strings.run,
        'aria-roledescription': strings.runRole,
        'aria-valuemin': '1',
      },
    },
    canvas,
    shown,
  );
  const view = el(
    'section',
    { class: 'run', attributes: { 'aria-label': strings.run } },
    failure.element,
    el('div', { class: 'run-head' }, heading, summary),
    strip,
  );
  const current = (): number => {
    const { run } = runs.store.get();
    const { selection } = store.get();
    return run?.parts.findIndex(({ path }) => path === selection?.path) ?? -1;
  };
  const draw = oncePerFrame(() => {
    const { run } = runs.store.get();
    const { clientWidth: width, clientHeight: height } = strip;
    if (run === null || width === 0 || height === 0) return;
    const scale = window.devicePixelRatio;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const ink = canvas.getContext('2d');
    const theme = readTheme(strip);
    const top = Math.round(theme.fontSize * 1.5);
    const index = current();
    if (ink !== null) {
      ink.scale(scale, scale);
      drawRun(ink, run, theme, { width, height, top }, index);
    }
    shown.hidden = index < 0;
    if (index < 0) return;
    const { from, to } = run.parts[index];
    shown.style.left = `${pixelOfRun(run, from, width)}px`;
    shown.style.width = `${pixelOfRun(run, to, width) - pixelOfRun(run, from, width)}px`;
    shown.style.top = `${top}px`;
  });
  const describe = (): void => {
    const { run, error } = runs.store.get();
    const { choices, selection, curveAsTable } = store.get();
    failure.show(error === null ? null : strings.runFailed(error));
    // An empty strip keeps its place while it is asked for: its width decides what is asked.
    const index = current();
    const several = choices !== null && choices.length > 1;
    view.classList.toggle('without', run === null);
    view.hidden = !several;
    strip.hidden = curveAsTable;
    setText(heading, headingOf(choices ?? [], selection?.path));
    if (run === null) return;
    setText(summary, runSummary(run));
    strip.setAttribute('aria-valuemax', String(run.parts.length));
    strip.setAttribute('aria-valuenow', String(index + 1));
    strip.setAttribute('aria-valuetext', index < 0 ? '' : partText(run, index));
    draw();
  };
  runs.store.watch(describe);
  store.watch((state, before) => {
    const { selection, choices, curveAsTable } = state;
    const changed = selection !== before.selection || choices !== before.choices;
    if (state === before || changed || curveAsTable !== before.curveAsTable) describe();
  });
  watchTheme(draw);
  new ResizeObserver(() => {
    runs.setPixels(view.clientWidth);
    draw();
  }).observe(view);

  strip.addEventListener('click', (event) => {
    const { run } = runs.store.get();
    if (run === null) return;
    const { left, width } = strip.getBoundingClientRect();
    const place = placeAt(run, event.clientX - left, width);
    runs.show(place.part, place.event);
  });
  strip.addEventListener('keydown', (event) => {
    const count = runs.store.get().run?.parts.length ?? 0;
    const index = current();
    const next = {
      ArrowLeft: index - 1,
      ArrowDown: index - 1,
      ArrowRight: index + 1,
      ArrowUp: index + 1,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next === undefined || count === 0) return;
    event.preventDefault();
    const to = Math.min(Math.max(next, 0), count - 1);
    if (to !== index) runs.show(to);
  });
  return view;
}

/** Whose files are called alike in each of several runs is told by the name of the run. */
function headingOf(choices: readonly TimelineChoice[], path: string | undefined): string {
  const name = choices.find((choice) => choice.path === path)?.run;
  const isOne = choices.every(({ run }) => run === name);
  return name === undefined || isOne ? strings.run : strings.runNamed(name);
}
