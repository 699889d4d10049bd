/** Below the chart: what other settings and changes would reserve. A chosen one has its curve in the chart. */
import { el } from '../ui/dom.js';
import type { TimelineSession } from '../actions/session.js';
import type { Question } from '../model/question.js';
import { byteText } from '../../src/core/text/numberText.js';
import { formatExactBytes } from '../text/format.js';
import { createMessage } from '../parts/message.js';
import { createPane, tabOf, type Tab } from '../parts/pane.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { bytesCell, DataTable, nameColumn, type Cell, type Column } from '../parts/dataTable.js';
import { createButton } from '../ui/button.js';
import type { ViewState } from '../model/viewState.js';
import { whatIfRows, whatIfTable, type WhatIfRow } from './whatIfRows.js';

export function createWhatIfView(store: Store<ViewState>, session: TimelineSession, whatIfs: Question<'whatIf'>): Tab {
  /** The assignment of the chosen setting, null without one. */
  const assignment = (): string | null => {
    const { change } = store.get();
    return whatIfs.answer?.outcomes.find((outcome) => outcome.change === change)?.assignment ?? null;
  };
  const withAssignment = (text: string, hint: string, use: (assignment: string) => void) =>
    createButton({
      text,
      hint,
      onPress: () => {
        const chosen = assignment();
        if (chosen !== null) use(chosen);
      },
    });
  const copy = withAssignment(t('Copy Setting'), t('Copy the environment variable with the chosen setting'), (text) =>
    session.copySetting(text),
  );
  const apply = withAssignment(
    t('Apply Setting…'),
    t('Put the chosen setting into .env, launch.json or tasks.json, unsaved'),
    (text) => session.applySetting(text),
  );
  const problem = createMessage('hint');
  const notes = createMessage('hint');
  /** The buttons that choose, by change. */
  const buttons = new Map<string, HTMLButtonElement>();
  const label = t('Reserved memory with other settings of the allocator, or changes of the program');
  const table = new DataTable<WhatIfRow>({ class: 'what-if-table', label });
  const pane = createPane({
    class: 'what-if',
    label,
    head: [apply, copy],
    notes: [problem.element],
    scroller: el('div', { class: 'scroller' }, table.element, notes.element),
    retry: () => whatIfs.retry(),
  });

  const nameCell = ({ change }: WhatIfRow): Cell => {
    if (change === null) return { content: strings.asRecorded };
    const button = el(
      'button',
      { class: 'link', title: t('Draw the reserved memory with {0}', change.name) },
      change.name,
    );
    button.addEventListener('click', () => session.chooseChange(change.id));
    buttons.set(change.id, button);
    return { content: button };
  };
  const column = (text: string, cell: (row: WhatIfRow) => Cell): Column<WhatIfRow> => ({ text, kind: 'number', cell });
  const columnsOf = (capacity: number | null): Column<WhatIfRow>[] => [
    nameColumn<WhatIfRow, string>(t('Change'), nameCell),
    column(t('Reserved peak'), ({ reservedPeakBytes, isEstimate }) => ({
      content: `${isEstimate ? '~' : ''}${byteText(reservedPeakBytes)}`,
      title: formatExactBytes(reservedPeakBytes),
    })),
    column(t('Saved'), ({ savedBytes }) => (savedBytes === null ? { content: '' } : bytesCell(savedBytes))),
    column(t('At the end'), (row) => bytesCell(row.reservedEndBytes)),
    ...(capacity === null
      ? []
      : [
          column(t('Of {0}', byteText(capacity)), ({ leftBytes }) => ({
            content: leftBytes === null ? t('does not fit') : t('{0} left', byteText(leftBytes)),
          })),
        ]),
  ];
  const markChosen = (): void => {
    const { change } = store.get();
    for (const [id, button] of buttons) {
      const isChosen = id === change;
      button.setAttribute('aria-pressed', String(isChosen));
      const row = button.closest('tr');
      if (isChosen) row?.setAttribute('aria-current', 'true');
      else row?.removeAttribute('aria-current');
    }
    for (const button of [apply, copy]) button.disabled = assignment() === null;
  };

  store.follow(({ change }) => [change], markChosen);

  return tabOf(pane, {
    question: whatIfs,
    render: (answer) => {
      const recorded = answer?.recorded ?? null;
      const isAnswered = answer !== null && recorded !== null;
      problem.show(answer?.problem ?? null);
      table.element.hidden = !isAnswered;
      pane.summarize(answer?.summary ?? '');
      notes.show(answer === null || answer.notes.length === 0 ? null : answer.notes.join(' '));
      buttons.clear();
      if (!isAnswered) return;
      table.show({ columns: columnsOf(recorded.capacityBytes), rows: whatIfRows(answer) });
      markChosen();
    },
    table: (answer) => (answer.recorded === null ? null : whatIfTable(whatIfRows(answer))),
    failed: (reason: string) => t('The allocations could not be replayed: {0}', reason),
    saved: { label: strings.paneName.whatIf, what: 'what-if' },
  });
}
