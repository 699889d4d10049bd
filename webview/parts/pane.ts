/** The parts of each tab: a row with choices and a summary, a sentence for a failure, and content that scrolls. */
import type { TimelineApi } from '../../src/protocol/timelineApi.js';
import type { Question } from '../model/question.js';
import type { Saved } from './saveMenu.js';
import type { TableData } from './tableData.js';
import { el, setText } from '../ui/dom.js';
import { createMessage } from './message.js';
import { strings } from '../text/strings.js';
import { createProgress } from '../ui/progress.js';

interface PaneOptions {
  /** Names it for styles, and for screen readers. */
  class: string;
  label: string;
  /** Choices, first. */
  head: readonly HTMLElement[];
  /** Before the summary. */
  search?: HTMLElement;
  /** Between the head and the content. */
  notes?: readonly HTMLElement[];
  scroller: HTMLElement;
  /** Describes the content under the pointer. */
  readout?: boolean;
  /** Requests the content again after a failure. */
  retry?: () => void;
}

export interface Pane {
  readonly element: HTMLElement;
  /** @param error a sentence, or null */
  stand(state: { loading: boolean; error: string | null }): void;
  summarize(text: string): void;
  read(text: string): void;
}

export function createPane(options: PaneOptions): Pane {
  const { label, head, search, notes = [], scroller, retry } = options;
  const summary = el('p', { class: 'summary', role: 'status' });
  const readout = el('p', { class: 'flame-readout', 'aria-hidden': 'true' });
  const progress = createProgress(strings.loading);
  const failure = createMessage('error', retry === undefined ? undefined : { text: strings.retry, onPress: retry });
  const element = el(
    'section',
    { class: `live ${options.class}`, 'aria-label': label },
    el(
      'div',
      { class: head.length === 0 && search === undefined ? 'live-head bare' : 'live-head' },
      ...head,
      ...(search === undefined ? [] : [search]),
      summary,
      progress.element,
    ),
    ...notes,
    failure.element,
    scroller,
  );
  if (options.readout === true) element.append(readout);
  return {
    element,
    stand: ({ loading, error }) => {
      progress.show(loading);
      failure.show(error);
    },
    summarize: (text) => {
      setText(summary, text);
      summary.title = summary.textContent;
    },
    read: (text) => setText(readout, text),
  };
}

/** What a tab does with the answer to its question. */
export interface View<Name extends keyof TimelineApi> {
  question: Question<Name>;
  /** Draws an answer, or that there is none. */
  render: (answer: TimelineApi[Name]['result'] | null) => void;
  /** The answer as it is saved. */
  table: (answer: TimelineApi[Name]['result']) => TableData | null;
  /** The sentence on a failure. */
  failed: (error: string) => string;
  /** Names it in the menu and in the file that is saved. */
  saved: Pick<Saved, 'label' | 'what'>;
}

export interface Tab {
  readonly element: HTMLElement;
  readonly saved: Saved;
}

/** Lets a pane follow its question. */
export function tabOf<Name extends keyof TimelineApi>(
  pane: Pane,
  { question, render, table, failed, saved }: View<Name>,
): Tab {
  question.store.watch(({ loading, error }) => pane.stand({ loading, error: error === null ? null : failed(error) }));
  question.store.follow(
    ({ answer }) => [answer],
    ([answer]) => render(answer),
  );
  const savedTable = (): TableData | null => (question.answer === null ? null : table(question.answer));
  return { element: pane.element, saved: { ...saved, table: savedTable } };
}
