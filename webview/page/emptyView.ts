/** The page without a snapshot: the one that is being read, or instructions to record one. */
import { el } from '../ui/dom.js';
import { createFailure, createMessage } from '../parts/message.js';
import type { TimelineSession } from '../actions/session.js';
import { basename } from '../../src/core/text/pathText.js';
import type { Store } from '../model/store.js';
import { strings } from '../text/strings.js';
import { readTheme } from '../ui/theme.js';
import { createButton } from '../ui/button.js';
import type { ViewState } from '../model/viewState.js';

export function createEmptyView(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const ways = (['insertRecordingCode', 'openExample', 'openSnapshot'] as const).map((command, at) =>
    createButton({
      text: strings.wayToSnapshot[command],
      kind: at === 0 ? 'primary' : 'secondary',
      onPress: () => session.run(command),
    }),
  );
  const failed = createMessage('error');
  const failure = createFailure(() => session.refresh());
  const invitation = el(
    'div',
    {},
    el('h2', {}, strings.noSnapshots),
    el('p', {}, strings.noSnapshotsHelp),
    el('div', { class: 'ways' }, ...ways),
    failed.element,
  );
  const reading = createMessage('hint');
  const strip = el('canvas', { class: 'reading-strip', attributes: { 'aria-hidden': 'true' } });
  const view = el('section', { class: 'empty' }, failure.element, reading.element, strip, invitation);
  store.watch((state) => {
    const { choices, choicesError } = state;
    failed.show(state.openError);
    failure.show(choicesError === null ? null : strings.readyFailed(choicesError));
    const empty = choices?.length === 0;
    const isReading = empty && state.reading;
    reading.show(isReading ? readingText(state.readSoFar) : null);
    strip.hidden = !isReading || state.readSoFar === null;
    invitation.hidden = !empty || state.reading;
    view.hidden = choicesError === null && !empty;
  });
  store.follow(
    ({ readSoFar }) => [readSoFar],
    ([readSoFar]) => {
      if (!strip.hidden) drawSoFar(strip, readSoFar);
    },
  );
  return view;
}

function readingText(soFar: ViewState['readSoFar']): string {
  return soFar === null
    ? strings.readingSnapshots
    : soFar.fraction < 1
      ? strings.readingFile(basename(soFar.path), Math.floor(soFar.fraction * 100))
      : strings.analyzingFile(basename(soFar.path));
}

/** The overview of the part that is read; its full width represents the whole file. */
function drawSoFar(canvas: HTMLCanvasElement, soFar: ViewState['readSoFar']): void {
  const ink = canvas.getContext('2d');
  if (ink === null || soFar === null) return;
  const { fraction, from, live } = soFar;
  const scale = window.devicePixelRatio;
  canvas.width = Math.round(canvas.clientWidth * scale);
  canvas.height = Math.round(canvas.clientHeight * scale);
  const { width, height } = canvas;
  const left = from * width;
  const step = ((fraction - from) * width) / Math.max(1, live.length);
  const perByte = (height - scale) / live.reduce((most, bytes) => Math.max(most, bytes), 1);
  const theme = readTheme(canvas);
  ink.fillStyle = theme.liveFill;
  ink.fillRect(0, height - scale, fraction * width, scale);
  live.forEach((bytes, at) => {
    const top = height - scale - bytes * perByte;
    ink.fillStyle = theme.liveFill;
    ink.fillRect(left + at * step, top, step, height - top);
    ink.fillStyle = theme.live;
    ink.fillRect(left + at * step, top, step, scale);
  });
}
