/** The page without a snapshot: the one that is being read, or instructions to record one. */
import { el } from '../ui/dom.js';
import { createFailure, createMessage } from '../parts/message.js';
import type { TimelineSession } from '../actions/session.js';
import { basename } from '../../src/core/text/pathText.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import { readTheme } from '../ui/theme.js';
import { createButton } from '../ui/button.js';
import type { ViewState } from '../model/viewState.js';
import type { PAGE_COMMANDS } from '../../src/protocol/timelineApi.js';

export function createEmptyView(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const way = (text: string, command: (typeof PAGE_COMMANDS)[number], kind?: 'primary'): HTMLElement =>
    createButton({ text, ...(kind && { kind }), onPress: () => session.run(command) });
  const failed = createMessage('error');
  const failure = createFailure(() => session.refresh());
  const invitation = el(
    'div',
    {},
    el('h2', {}, t('No snapshot yet')),
    el(
      'p',
      {},
      t(
        'Snapshots in this workspace appear here automatically. To make some, put recording code into the training loop and run it.',
      ),
    ),
    el(
      'div',
      { class: 'ways' },
      way(t('Insert Recording Code'), 'insertRecordingCode', 'primary'),
      way(t('Open Example'), 'openExample'),
      way(t('Open Snapshot…'), 'openSnapshot'),
    ),
    failed.element,
  );
  const reading = createMessage('hint');
  const strip = el('canvas', { class: 'reading-strip', 'aria-hidden': 'true' });
  const view = el('section', { class: 'empty' }, failure.element, reading.element, strip, invitation);
  store.watch((state) => {
    const { choices, choicesError } = state;
    failed.show(state.openError);
    failure.show(choicesError === null ? null : t('The snapshots could not be listed: {0}', choicesError));
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
    ? t('Reading snapshots…')
    : soFar.fraction < 1
      ? t('Reading {0}: {1} %', basename(soFar.path), Math.floor(soFar.fraction * 100))
      : t('Analyzing {0}…', basename(soFar.path));
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
