/** A flame graph in its tab, with controls to fold it and to go back. */
import { el } from '../ui/dom.js';
import { createPane, type Pane } from '../parts/pane.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import { createButton } from '../ui/button.js';
import { createCheckbox } from '../ui/checkbox.js';
import type { Question } from '../model/question.js';
import type { ViewState } from '../model/viewState.js';
import { FlameGraph } from './flameGraph.js';
import type { FlameItem } from './flameItems.js';

interface FlamePane extends Pane {
  readonly graph: FlameGraph;
  readonly scroller: HTMLElement;
  showControls(folded: boolean, isFocused: boolean): void;
  /** Takes the focus of an answer, as the focused call may no longer exist. An outdated answer has an earlier focus. */
  takeFocus(question: Pick<Question<'flame' | 'compareFlame'>, 'answer' | 'isOutdated'>): void;
}

export function createFlamePane(
  store: Store<ViewState>,
  session: TimelineSession,
  options: {
    label: string;
    /** Describes the boxes and their width. */
    tree: string;
    /** Chooses the measure of the width. */
    measure: HTMLElement;
    search?: HTMLElement;
    /** Ids of the calls down to the one that fills the width. */
    focused: () => readonly number[];
    focus: (path: readonly number[]) => void;
    fold: (folded: boolean) => void;
    textOf: (item: FlameItem) => string;
    retry: () => void;
  },
): FlamePane {
  const { focused, focus } = options;
  const change = (path: readonly number[]): void => {
    if (path.join() !== focused().join()) focus(path);
  };
  const back = (): void => focus(focused().slice(0, -1));
  const everything = (): void => focus([]);
  const folding = createCheckbox({ text: t('Fold library frames'), onChange: options.fold });
  const caller = createButton({ text: t('Back'), hint: t('Show the caller (Backspace)'), onPress: back });
  const whole = createButton({ text: t('Everything'), hint: t('Show all live memory (Escape)'), onPress: everything });
  const graph = new FlameGraph(options.tree, {
    focus: ({ path }) => change(path),
    open: ({ call }) => {
      if (call?.mapped === true && call.line > 0) session.openSource(call);
      else store.update({ openError: t('This call has no file in this workspace.') });
    },
    look: (item) => pane.read(item === null ? '' : options.textOf(item)),
    back,
    everything,
  });
  const scroller = el('div', { class: 'scroller flame-scroller' }, graph.element);
  const pane = createPane({
    class: 'flame',
    label: options.label,
    ...(options.search !== undefined && { search: options.search }),
    head: [options.measure, folding.element, el('span', { class: 'together' }, caller, whole)],
    scroller,
    readout: true,
    retry: options.retry,
  });
  return {
    ...pane,
    graph,
    scroller,
    takeFocus: ({ answer, isOutdated }) => {
      if (answer !== null && !isOutdated) change(answer.focus.map(({ call }) => answer.calls[call].id));
    },
    showControls: (folded, isFocused) => {
      folding.show(folded);
      for (const button of [caller, whole]) button.disabled = !isFocused;
    },
  };
}
